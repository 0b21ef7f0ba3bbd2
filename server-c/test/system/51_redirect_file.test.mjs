// SPDX-License-Identifier: MIT
// Redirects in bulk: a file of 100,000 rules, changed under load, broken and mended.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

/** Under TSan they take ten times as long to read, which is all of the ten seconds that a config may be checked in. */
const RULES = process.env.FARMSTEAD_NODE?.includes('/tsan/') ? 20_000 : 100_000

/** Where a client is sent: "301 /new", or the status alone. */
async function target(port, path) {
  const { status, headers } = await get(port, path)
  return headers.location ? `${status} ${headers.location}` : `${status}`
}

/** As programs do that never leave half a file. */
function replace(path, text) {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

async function start(t, text, { site = {}, ...options } = {}) {
  const redirectFile = join(tempFolder(t), 'redirects.txt')
  writeFileSync(redirectFile, text)
  const node = await startNode(t, {
    files: { 'index.html': 'home', 'old.html': 'a file' },
    site: { redirectFile, ...site },
    ...options,
  })
  return { node, redirectFile, asks: (path) => target(node.port, path) }
}

const numbered = (to) =>
  Array.from({ length: RULES }, (_, i) => `/old/${i % 97}/page-${i}.html ${to}/${i}\n`).join('')

/** Asks for one path after the other until `end()`; where each was sent. */
function askOn(port, path) {
  const seen = []
  let isOver = false
  const done = (async () => {
    while (!isOver) seen.push(await target(port, path))
  })()
  return {
    seen,
    async end() {
      isOver = true
      await done
      return seen
    },
  }
}

describe('a file of redirects', { concurrency: 5 }, () => {
  test('exact paths come before patterns, after the redirects of the config, and before files', async (t) => {
    const { asks } = await start(
      t,
      [
        '# what has moved',
        '/old.html /new.html',
        '/caf%C3%A9 /coffee 308',
        '/a%20b https://other.example/a 302',
        '~^/blog/([0-9]+)$ /posts/$1 307',
        '/blog/7 /seven',
        '/config /never',
        '',
      ].join('\r\n'),
      { site: { redirects: [{ match: '^/config$', to: '/first' }] } },
    )
    assert.equal(await asks('/old.html'), '301 /new.html')
    assert.equal(await asks('/old.html?a=1&b'), '301 /new.html?a=1&b')
    assert.equal(await asks('//x/../old.html'), '301 /new.html')
    assert.equal(await asks('/caf%c3%a9'), '308 /coffee')
    assert.equal(await asks('/a%20b?q'), '302 https://other.example/a?q')
    assert.equal(await asks('/blog/12?x'), '307 /posts/12?x')
    assert.equal(await asks('/blog/7'), '301 /seven')
    assert.equal(await asks('/config'), '301 /first')
    assert.equal(await asks('/OLD.html'), '404')
    assert.equal(await asks('/'), '200')
  })

  test('a path can neither choose another host, nor begin a line, nor hold up the node', async (t) => {
    const { asks } = await start(
      t,
      [
        '~^/go(.*)$ https://good.example$1',
        '~^/sub/(.*)$ https://$1.good.example/',
        '~^/any/(.*)$ $1',
        '~^/rel(.*)$ /$1',
        '~^/slow/(a+)+$ /fast',
        '',
      ].join('\n'),
    )
    assert.equal(await asks('/go.evil.example'), '301 https://good.example/.evil.example')
    assert.equal(await asks('/go@evil.example/x'), '301 https://good.example/@evil.example/x')
    assert.equal(await asks('/sub/evil.example/'), '301 https://evil.example%2F.good.example/')
    assert.equal(await asks('/any//evil.example'), '301 /evil.example')
    assert.equal(await asks('/any/https://evil.example'), '301 /https:/evil.example')
    assert.equal(await asks('/rel//evil.example'), '301 /evil.example')
    assert.equal(await asks('/rel%5Cevil.example'), '301 /%5Cevil.example')
    assert.equal(await asks('/rel/%0d%0aSet-Cookie:%20a=1'), '400')
    assert.equal(await asks(`/slow/${'a'.repeat(4000)}!`), '500')
  })

  test(`${RULES} rules: each request of a reload and of a change is answered by the old or the new ones`, async (t) => {
    const { node, redirectFile, asks } = await start(t, numbered('/first'))
    const last = `/old/${(RULES - 1) % 97}/page-${RULES - 1}.html`
    assert.equal(await asks('/old/0/page-0.html'), '301 /first/0')
    assert.equal(await asks(last), `301 /first/${RULES - 1}`)
    assert.equal(await asks(`/old/89/page-${RULES}.html`), '404')

    const witness = await Witness.start(node.port, { target: '/', text: 'home' })
    const during = askOn(node.port, '/old/5/page-5.html')
    const isSeen = (answer) => until(() => during.seen.includes(answer), answer)
    await isSeen('301 /first/5')
    replace(redirectFile, numbered('/second'))
    assert.ok(await node.reload(node.config), node.log)
    assert.equal(await asks(last), `301 /second/${RULES - 1}`)
    await isSeen('301 /second/5')
    replace(redirectFile, numbered('/third'))
    await isSeen('301 /third/5')
    assert.equal(await asks('/old/0/page-0.html'), '301 /third/0')
    const seen = new Set(await during.end())
    await witness.stop(t)
    assert.deepEqual([...seen].sort(), ['301 /first/5', '301 /second/5', '301 /third/5'])
    assert.equal((await node.status()).effective.generation, 2)
    await node.logLine(/info site: the file of redirects "\S+" has changed: what is in it now/)
    assert.doesNotMatch(node.log, / error /)
  })

  for (const [what, spoil, problem] of [
    [
      'wrong',
      (path) => replace(path, '/old /new\n/x /y 200\n'),
      /is wrong in line 2, column 7: "200" is not the status of a redirect/,
    ],
    ['gone', (path) => rmSync(path), /does not exist on this machine/],
    [
      'a pipe that nobody writes to',
      (path) => {
        execFileSync('mkfifo', [`${path}.new`])
        renameSync(`${path}.new`, path)
      },
      /is not a regular file/,
    ],
    [
      'of 2 GiB',
      (path) => {
        writeFileSync(`${path}.new`, '/a /b\n')
        truncateSync(`${path}.new`, 2 * 1024 ** 3)
        renameSync(`${path}.new`, path)
      },
      /is too long: 33554432 bytes are the most/,
    ],
  ])
    test(`a file that is ${what} leaves the rules that were: said, shown, and mended later`, async (t) => {
      const { node, redirectFile, asks } = await start(t, '/old /new\n')
      spoil(redirectFile)
      const [line] = await node.logLine(/error site: the file of redirects .*\n/)
      assert.match(line, problem)
      assert.match(line, /; what was read of it before stays in force\n/)
      assert.equal((await node.status()).gauges.filesUnusable, 1)
      assert.equal(await asks('/old'), '301 /new')
      // A person who asks for it is told, and loses nothing either.
      assert.equal(await node.reload(node.config), false)
      assert.equal(await asks('/old'), '301 /new')
      replace(redirectFile, '/old /newer\n')
      await until(async () => (await asks('/old')) === '301 /newer', 'the mended file')
      assert.equal((await node.status()).gauges.filesUnusable, 0)
    })

  test('another mistake in a file that was wrong is said, too', async (t) => {
    const { node, redirectFile } = await start(t, '/old /new\n')
    replace(redirectFile, '/old\n')
    await node.logLine(/is wrong in line 1, column 5: the address to go to is missing/)
    replace(redirectFile, '\n/a /a\n')
    await node.logLine(/is wrong in line 2, column 1: "\/a" leads to itself/)
  })

  test('the file is not served, wherever it is', async (t) => {
    const root = tempFolder(t)
    mkdirSync(join(root, 'conf'))
    const redirectFile = join(root, 'conf/redirects.txt')
    writeFileSync(redirectFile, '/old /new\n')
    writeFileSync(join(root, 'conf/other.txt'), 'served')
    const node = await startNode(t, { site: { root, redirectFile } })
    assert.equal(await target(node.port, '/old'), '301 /new')
    assert.equal(await target(node.port, '/conf/other.txt'), '200')
    assert.equal(await target(node.port, '/conf/redirects.txt'), '404')
  })

  test('check says file, line, column and what is wrong', async (t) => {
    const folder = tempFolder(t)
    const config = join(folder, 'node.jsonc')
    const redirectFile = join(folder, 'redirects.txt')
    writeFileSync(redirectFile, '/a /b\n\n/x /y/$1\n~^/( /z\n/a /c\n')
    writeFileSync(config, JSON.stringify({ sites: [{ hosts: ['*'], root: folder, redirectFile }] }))
    const { stderr, code } = await promisify(execFile)(nodeBinary, ['check', config]).catch(
      (error) => error,
    )
    assert.equal(code, 1)
    assert.match(stderr, /redirects\.txt", line 3, column 7: there is no group 1/)
    assert.match(stderr, /redirects\.txt", line 4, column 5: missing closing parenthesis/)
    assert.match(stderr, /redirects\.txt", line 5, column 1: "\/a" has a rule in line 1 already/)
    assert.match(stderr, /\/sites\/0\/redirectFile/)
  })
})
