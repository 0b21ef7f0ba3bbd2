// SPDX-License-Identifier: MIT
// What `farmstead-node explain` says of a config is what a node with that config answers: the same URLs are put to both.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { nodeBinary, startNode } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const run = promisify(execFile)

const files = {
  'index.html': 'home',
  'about.html': 'about',
  'app.js': 'script',
  'style.css': 'style',
  'notes.txt': 'notes',
  'pack.zip': 'zip',
  'x/page.html': 'rewritten',
  'club/index.html': 'members',
  'shut/index.html': 'shut',
  'secret.bak': 'old',
  users: '',
}
const site = {
  precompressed: ['br', 'gzip'],
  redirects: [
    { match: '^/gone-to/(.*)$', to: 'https://other.example/$1', status: 302 },
    { match: '^/old$', to: '/about.html', status: 308 },
  ],
  rewrites: [{ match: '^/r/(.*)$', to: '/x/$1' }],
  access: [{ action: 'deny', paths: ['*.bak', '/shut/index.html'] }],
  maintenance: [{ paths: ['/closed/**'], retrySeconds: 120 }],
  securityHeaders: { preset: 'strict' },
  headers: [
    { name: 'X-Everywhere', value: 'yes' },
    { name: 'X-Style', value: 'yes', types: ['text/css'] },
    { name: 'X-Missing', value: 'yes', statuses: ['4xx'] },
    { name: 'Server', action: 'remove', paths: ['/about.html'] },
    { name: 'Cache-Control', value: 'no-store', paths: ['/notes.txt'] },
  ],
  expires: [{ types: ['text/*'], maxAgeSeconds: 60, directives: 'public' }],
  downloads: [{ paths: ['*.zip'] }],
  preload: [{ paths: ['/', '/index.html'], links: ['</style.css>; rel=preload; as=style'] }],
}
const paths = [
  ...['/', '/index.html', '/about.html', '/app.js', '/style.css', '/notes.txt', '/pack.zip'],
  ...['/r/page.html', '/old', '/gone-to/x?y=1', '/club/', '/shut/', '/secret.bak', '/closed/a'],
  ...['/%2e%2e/x', '/.hidden'],
]

/** Of each request alone; and a file that is this young has no date yet. */
const OWN = new Set(['date', 'connection', 'last-modified'])

test('each status, address and header is as a node answers', async (t) => {
  const node = await startNode(t, { files, site })
  const urls = paths.map((path) => `http://test${path}`)
  const { stdout } = await run(nodeBinary, ['explain', '--json', node.configPath, ...urls])
  for (const [i, said] of JSON.parse(stdout).entries()) {
    const answer = await get(node.port, paths[i])
    assert.equal(said.status, answer.status, said.url)
    const names = said.headers
      .map(({ name }) => name.toLowerCase())
      .filter((name) => !OWN.has(name))
    const sent = Object.keys(answer.headers).filter((name) => !OWN.has(name))
    assert.deepEqual([...new Set(names)].sort(), sent.sort(), said.url)
    for (const { name, value } of said.headers) {
      if (value !== null) assert.match(answer.headers[name.toLowerCase()], containing(value), name)
    }
    if (said.status === 200) {
      assert.equal(readFileSync(said.files[0], 'utf8'), answer.text, said.url)
    }
  }
})

/** A header that is sent twice is one text here. */
const containing = (value) => new RegExp(value.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))

/** As the control plane asks: nothing of it is an argument. */
async function ask(input, ...options) {
  const child = spawn(nodeBinary, ['explain', '--json', '--text-only', ...options, '-'])
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, error, code }
}

const config = JSON.stringify({ sites: [{ hosts: ['a.test'], root: '/srv/www' }] })

test('URLs come before the config on standard input', async () => {
  const { out, code } = await ask(`http://a.test/\nhttp://b.test/x\n\n${config}`)
  assert.equal(code, 0)
  const [first, second] = JSON.parse(out)
  assert.deepEqual([first.status, first.files], [200, ['/srv/www/index.html']])
  assert.deepEqual([second.status, second.site, second.headers], [421, null, []])
})

test('what cannot be explained is refused', async () => {
  const many = 'http://a.test/\n'.repeat(201)
  assert.match((await ask(`${many}\n${config}`)).error, /no empty line after at most 200 URLs/)
  assert.match((await ask('http://a.test/')).error, /no empty line/)
  const wrong = await ask('http://a.test/\n\n{"sites": 1}')
  assert.deepEqual([wrong.code, wrong.out], [1, ''])
  assert.match(wrong.error, /farmstead-node check/)
  const usages = [
    ['explain'],
    ['explain', 'x'],
    ['explain', '-', 'http://a.test/'],
    ['explain', '-x', 'y', 'z'],
  ]
  for (const words of usages) {
    await assert.rejects(run(nodeBinary, words), { code: 2 })
  }
})

test('people read it as lines', async (t) => {
  const node = await startNode(t, { files, site })
  const { stdout } = await run(nodeBinary, ['explain', node.configPath, 'http://test/old', 'x'])
  assert.match(
    stdout,
    /^http:\/\/test\/old\n {2}308 \/about\.html\n {2}by \/sites\/0\/redirects\/1\n/,
  )
  assert.match(stdout, /\n {2}X-Everywhere: yes {2}\[\/sites\/0\/headers\/0\]\n/)
  assert.match(stdout, /\nx\n {2}a URL begins with/)
})
