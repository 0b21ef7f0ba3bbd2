// SPDX-License-Identifier: MIT
// What curl makes of our answers: a client that many scripts stand on, and that knows HTTP better
// than a test's own reading of it.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { startNode, writeTree } from '../support/node.mjs'

const run = promisify(execFile)
const css = 'h1 { color: green }\n'.repeat(200)
const large = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))

/** What `curl --version` says, or '' without one. */
const versionOfCurl = () => {
  try {
    return execFileSync('curl', ['--version'], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
const version = versionOfCurl()

describe('curl', { skip: version === '' && 'curl is not installed' }, () => {
  const cleanups = []
  let node
  let base

  before(async () => {
    node = await startNode({ after: (f) => cleanups.push(f) })
    writeTree(node.root, {
      's.css': css,
      's.css.gz': gzipSync(css),
      's.css.br': brotliCompressSync(css),
      'large.bin': large,
      'in/x.txt': 'secret\n',
      'list/a & b.txt': 'x',
    })
    const old = new Date(Date.now() - 60_000)
    for (const name of ['s.css', 's.css.gz', 's.css.br', 'large.bin'])
      utimesSync(join(node.root, name), old, old)
    const hash = execFileSync('openssl', ['passwd', '-6', 'secret'], { encoding: 'utf8' })
    writeFileSync(join(node.folder, 'passwords'), `ann:${hash}`, { mode: 0o600 })
    const site = {
      ...node.config.sites[0],
      directoryListing: { enabled: true },
      precompressed: ['br', 'gzip'],
      redirects: [{ match: '^/old$', to: '/s.css?a=1&b=2' }],
      auth: [{ paths: ['/in/**'], realm: 'in', file: join(node.folder, 'passwords') }],
    }
    const listen = [...node.config.listen, { socket: join(node.folder, 'socket') }]
    assert.ok(await node.reload({ ...node.config, listen, sites: [site] }))
    base = `http://127.0.0.1:${node.port}`
  })
  after(async () => {
    for (const f of cleanups.reverse()) await f()
  })

  /** Standard output, and behind it what `format` says of the transfer. */
  const curl = async (format, ...args) =>
    (
      await run('curl', ['-sS', '--max-time', '20', '--noproxy', '*', '-w', format, ...args], {
        encoding: 'utf8',
      })
    ).stdout
  const codeOf = (path, ...args) => curl('%{http_code}', '-o', '/dev/null', ...args, base + path)

  test('goes on with what it has, and knows when it has all', async () => {
    const part = join(node.folder, 'part')
    writeFileSync(part, large.subarray(0, 100_000))
    const more = ['-C', '-', '-o', part, `${base}/large.bin`]
    assert.equal(await curl('%{http_code} %{size_download}', ...more), '206 200000')
    assert.deepEqual(readFileSync(part), large)
    assert.match(await curl('%{http_code}', ...more), /^416$/)
  })

  test('takes parts, one or several', async () => {
    assert.equal(await curl(' %{http_code}', '-r', '0-1', `${base}/s.css`), 'h1 206')
    const parts = await curl(' %{http_code}', '-r', '0-1,5-9,-2', `${base}/s.css`)
    assert.match(parts, /Content-Range: bytes 5-9\/4000\r\n\r\ncolor\r\n--/)
    assert.ok(parts.endsWith(' 206'))
  })

  test('undoes each coding', async () => {
    for (const coding of ['gzip', 'identity', ...(version.includes('brotli') ? ['br'] : [])]) {
      const args = ['--compressed', '-H', `Accept-Encoding: ${coding}`, `${base}/s.css`]
      assert.equal(await curl('', ...args), css, coding)
    }
  })

  test('asks only for what is new', async () => {
    const tags = join(node.folder, 'tags')
    assert.equal(await codeOf('/s.css', '-z', new Date().toUTCString()), '304')
    assert.equal(await codeOf('/s.css', '-z', 'Sun, 06 Nov 1994 08:49:37 GMT'), '200')
    assert.equal(await codeOf('/s.css', '--etag-save', tags), '200')
    assert.equal(await codeOf('/s.css', '--etag-compare', tags), '304')
  })

  test('gets the answer its request deserves', async () => {
    for (const [want, path, ...args] of [
      ['200', '/s.css', '-I'],
      ['200', '/s.css', '--http1.0'],
      ['200', '/s.css', version.includes('HTTP2') ? '--http2' : '--http1.1'],
      ['204', '/', '-X', 'OPTIONS'],
      ['204', '/', '-X', 'OPTIONS', '--request-target', '*'],
      ['405', '/s.css', '-T', join(node.root, 'large.bin')],
      ['405', '/s.css', '-T', join(node.root, 'large.bin'), '-H', 'Transfer-Encoding: chunked'],
      ['405', '/s.css', '-F', `a=@${join(node.root, 'large.bin')}`],
      ['405', '/s.css', '-d', 'a=b', '-H', 'Expect: 100-continue'],
      ['501', '/', '-X', 'BREW'],
      ['401', '/in/x.txt'],
      ['401', '/in/x.txt', '-u', 'ann:wrong'],
      ['200', '/in/x.txt', '-u', 'ann:secret'],
      ['200', '/in/x.txt', '-u', 'ann:secret', '--anyauth'],
      ['400', '/../etc/passwd', '--path-as-is'],
      ['400', '/%2e%2e/etc/passwd', '--path-as-is'],
      ['404', '/..%2fetc/passwd', '--path-as-is'],
      ['200', '//in/../s.css', '--path-as-is'],
      ['200', '/old', '-L'],
      ['200', '/list', '-L'],
      ['200', '/list/a%20%26%20b.txt'],
    ])
      assert.equal(await codeOf(path, ...args), want, [path, ...args].join(' '))
  })

  test('keeps one connection for many, and takes a Unix socket', async () => {
    const many = Array.from({ length: 5 }, () => ['-o', '/dev/null', `${base}/s.css`]).flat()
    assert.equal(await curl('%{num_connects}', ...many), '10000')
    const socket = ['--unix-socket', join(node.folder, 'socket'), '-o', '/dev/null']
    assert.equal(await curl('%{http_code}', ...socket, 'http://any/in/x.txt'), '401')
  })
})
