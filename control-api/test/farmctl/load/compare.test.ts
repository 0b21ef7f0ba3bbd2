// SPDX-License-Identifier: MIT
// Two servers asked the same: what differs is told, and nothing else.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { make } from '../../certificates/make.ts'
import { FARMCTL_TEST_MS, farmctl } from '../helper.ts'

const BUILT = resolve(import.meta.dirname, '../../../../server-c/build/release/farmload')
const env = { FARMSTEAD_LOAD_BINARY: process.env.FARMSTEAD_LOAD_BINARY ?? BUILT }

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

type Said = { status?: number; headers?: Record<string, string>; body?: string }
const saying =
  (pages: Record<string, Said>): RequestListener =>
  ({ url = '', headers: { host } }, response) => {
    const { status = 200, headers = {}, body = '' } = pages[url] ?? { status: 404, body: `${host}` }
    const named = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      value.replace('SELF', `http://${host}`),
    ])
    response.writeHead(status, Object.fromEntries(named)).end(body)
  }

const OLD: Record<string, Said> = {
  '/': { headers: { 'content-type': 'text/html; charset=utf-8', etag: '"1"' }, body: 'home' },
  '/moved': { status: 301, headers: { location: 'SELF/new' } },
  '/style.css': {
    headers: { 'content-type': 'text/css', 'cache-control': 'max-age=60' },
    body: 'a',
  },
  '/gone': { status: 410 },
  '//elsewhere.test/x': { body: 'here' },
}
const NEW: Record<string, Said> = {
  '/': { headers: { 'content-type': 'text/html;charset=UTF-8', etag: '"other"' }, body: 'home' },
  '/moved': { status: 301, headers: { location: '/new' } },
  '/style.css': { headers: { 'content-type': 'text/css', 'cache-control': 'no-cache' }, body: 'b' },
  '//elsewhere.test/x': { body: 'here' },
}

describe('farmctl compare-servers', { timeout: FARMCTL_TEST_MS }, () => {
  test('tells what differs, then loads both in turn', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const [old, now] = [await serve(saying(OLD)), await serve(saying(NEW))]
    const paths = [...Object.keys(OLD), '/nix']
    file('urls.txt', paths.map((path) => `http://elsewhere.test${path}\n`).join(''))
    const words = ['compare-servers', old, now, '--urls', 'urls.txt']
    const answers = await run([...words, '--no-load', '--exit-code', '--json'], '', env)
    expect(answers.code).toBe(1)
    const { kind, version, differences, paths: asked, runs, ...report } = JSON.parse(answers.stdout)
    expect([kind, version, asked, runs]).toEqual(['farmstead.comparison', 1, 6, []])
    expect(differences).toEqual([
      { path: '/style.css', aspect: 'cache-control', old: 'max-age=60', new: 'no-cache' },
      {
        path: '/style.css',
        aspect: 'body',
        old: expect.stringContaining('1 bytes'),
        new: expect.stringContaining('1 bytes'),
      },
      { path: '/gone', aspect: 'status', old: '410', new: '404' },
    ])
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/)
    const told = (cacheControl: string) => ({
      ...{ status: 200, bytes: 1, sha256: digest },
      headers: expect.arrayContaining([
        ['content-type', 'text/css'],
        ['cache-control', cacheControl],
      ]),
    })
    expect(report.answers).toMatchObject([
      { path: '/style.css', gzip: false, old: told('max-age=60'), new: told('no-cache') },
      { path: '/gone', gzip: false, old: { status: 410 }, new: { status: 404 } },
    ])
    const loaded = await run([...words, '-d', '1', '--rounds', '1'], '', env)
    expect(loaded.code).toBe(0)
    expect(loaded.stdout).toContain('6 paths asked of both: 3 differences')
    expect(loaded.stdout).toMatch(/^old +[\d,]+ .* 100 % +\d+/m)
    expect(loaded.stdout).toMatch(/^new +[\d,]+ .* 100 % +\d+/m)
  })

  test('a path that one of them leaves unanswered is a difference, and the others are asked', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const old = await serve(saying(OLD))
    const now = await serve((request, response) => {
      if (request.url === '/gone') request.socket.destroy()
      else saying(OLD)(request, response)
    })
    const urls = ['/gone', '/', '/style.css'].map((path) => `http://localhost${path}\n`).join('')
    file('urls.txt', urls)
    const words = ['--urls', 'urls.txt', '--no-load', '--json']
    const { code, stdout } = await run(['compare-servers', old, now, ...words], '', env)
    expect(code).toBe(0)
    const unanswered = expect.stringMatching(/^none: .*hang up/)
    expect(JSON.parse(stdout)).toMatchObject({
      paths: 3,
      differences: [{ path: '/gone', aspect: 'answer', old: '410', new: unanswered }],
      answers: [{ path: '/gone', old: { status: 410 }, new: { unanswered } }],
    })
    const nobody = await run(['compare-servers', old, 'http://localhost:1', ...words], '', env)
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')])
  })

  test('both are asked for the host that was named, over TLS as well, and a page has them side by side', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const ca = await make({ isCa: true })
    const { pem, key } = await make({ names: ['shop.example.org'], by: ca })
    const tls = createTlsServer({ cert: pem, key }, (request, response) => {
      const { host } = request.headers
      if (request.url === '/moved') response.writeHead(301, { location: `https://${host}/<new>` })
      response.end(`of ${host}`)
    })
    await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done))
    onTestFinished(() => void tls.close().closeAllConnections())
    const now = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`
    const old = await serve((request, response) => {
      const { host } = request.headers
      if (request.url === '/moved') response.writeHead(301, { location: `http://${host}/` })
      response.end(`of ${host}`)
    })
    file('urls.txt', 'http://localhost/\nhttp://localhost/moved\n')
    const page = file('page.html', '')
    const caFile = file('ca.pem', ca.pem)
    const words = ['compare-servers', old, now, '--urls', 'urls.txt', '--ca-file', caFile]
    const text = file('page.md', '')
    const pages = ['--html', 'page.html', '--markdown', 'page.md']
    const told = ['-d', '1', '--rounds', '1', '--json', ...pages]
    const { code, stdout, stderr } = await run(
      [...words, ...told, '--host', 'shop.example.org'],
      '',
      env,
    )
    expect([code, stderr]).toEqual([0, expect.any(String)])
    const { differences, host, runs } = JSON.parse(stdout)
    expect(host).toBe('shop.example.org')
    expect(differences).toEqual([
      { path: '/moved', aspect: 'location', old: '/', new: '/%3Cnew%3E' },
    ])
    for (const { counted } of runs) {
      expect([counted.faults.handshake, counted.good]).toEqual([0, counted.requests])
    }
    const html = readFileSync(page, 'utf8')
    for (const one of [old, now, 'both asked for shop.example.org', '/%3Cnew%3E', '<svg ']) {
      expect(html).toContain(one)
    }
    const markdown = readFileSync(text, 'utf8')
    expect(markdown).toContain('| Path | What | Old | New |\n|---|---|---|---|\n')
    expect(markdown).toContain('| /moved | location | / | /%3Cnew%3E |')
    expect(markdown).toContain('## Load, in turn')
    const other = await run([...words, '--no-load', '--host', 'other.example.org'], '', env)
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('other.example.org')])
    const wrong = await run([...words, '--host', 'a/b'], '', env)
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--host "a/b"')])
  })

  test('what is sent to who takes gzip is compared by what is in it', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const text = 'same '.repeat(500)
    const packing = (level: number, packed: (url: string) => string | null) =>
      serve(({ url = '', headers }, response) => {
        const body = headers['accept-encoding'] === 'gzip' ? packed(url) : null
        if (body === null) return void response.end(text)
        response.setHeader('content-encoding', 'gzip')
        response.end(gzipSync(body, { level }))
      })
    const old = await packing(1, () => text)
    const packed: Record<string, string> = { '/other-level': text, '/other': 'stale' }
    const now = await packing(9, (url) => packed[url] ?? null)
    const urls = ['/other-level', '/lost', '/other']
    file('urls.txt', urls.map((path) => `http://localhost${path}\n`).join(''))
    const words = ['--urls', 'urls.txt', '--no-load', '--json']
    const { stdout } = await run(['compare-servers', old, now, ...words], '', env)
    expect(JSON.parse(stdout).differences).toMatchObject([
      { path: '/lost', aspect: 'coding, of who takes gzip', old: 'gzip', new: 'none' },
      { path: '/other', aspect: 'body in gzip' },
    ])
  })

  test('a header that is lost is a difference, and what a server makes up for itself is none', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const kept = { 'content-type': 'text/html', etag: '"1"' }
    const old = await serve(
      saying({
        '/': { headers: { ...kept, 'x-frame-options': 'DENY', 'x-powered-by': 'PHP' } },
        '/moved': {
          ...{ status: 301 },
          headers: { location: '/', vary: 'accept', 'strict-transport-security': 'max-age=1' },
        },
        '/gone': { status: 404, headers: { 'x-frame-options': 'DENY' } },
        '/old-clients': { headers: { 'cache-control': 'max-age=60', expires: 'yesterday' } },
        '/no-age': { headers: { expires: 'yesterday', 'set-cookie': 'a=1' } },
      }),
    )
    const now = await serve(
      saying({
        '/': { headers: { ...kept, etag: '"2"', server: 'farmstead', 'x-new': 'b' } },
        '/moved': { status: 301, headers: { location: '/', 'content-type': 'text/html' } },
        '/gone': { status: 410 },
        '/old-clients': { headers: { 'cache-control': 'max-age=60' } },
        '/no-age': { headers: { 'set-cookie': 'a=2' } },
      }),
    )
    const urls = ['/', '/moved', '/gone', '/old-clients', '/no-age']
    file('urls.txt', urls.map((path) => `http://localhost${path}\n`).join(''))
    const words = ['--urls', 'urls.txt', '--no-load', '--json']
    const { stdout } = await run(['compare-servers', old, now, ...words], '', env)
    expect(JSON.parse(stdout).differences).toEqual([
      { path: '/', aspect: 'x-frame-options', old: 'DENY', new: 'none' },
      { path: '/', aspect: 'x-new', old: 'none', new: 'b' },
      { path: '/moved', aspect: 'strict-transport-security', old: 'max-age=1', new: 'none' },
      { path: '/gone', aspect: 'status', old: '404', new: '410' },
      { path: '/no-age', aspect: 'expires', old: 'some', new: 'none' },
    ])
  })

  test('no cookie is in its report, and no header without end', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const old = await serve((_, response) => {
      response.setHeader('set-cookie', ['session=secret; Path=/; HttpOnly', 'seen=secret'])
      response.setHeader('x-long', 'long'.repeat(1000)).end('old')
    })
    const now = await serve((_, response) => void response.end('new'))
    file('urls.txt', 'http://localhost/\n')
    const words = ['--urls', 'urls.txt', '--no-load', '--json']
    const { stdout } = await run(['compare-servers', old, now, ...words], '', env)
    expect(stdout).not.toContain('secret')
    const [{ old: told }] = JSON.parse(stdout).answers
    expect(told.headers).toEqual(
      expect.arrayContaining([
        ['set-cookie', 'session=…; Path=/; HttpOnly'],
        ['set-cookie', 'seen=…'],
        ['x-long', `${'long'.repeat(250)}…`],
      ]),
    )
  })

  test('of a server with itself, nothing; and who may not be loaded is not asked', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const url = await serve(saying(OLD))
    file('urls.txt', 'http://localhost/\nhttp://localhost/style.css\n')
    const same = ['compare-servers', url, url, '--urls', 'urls.txt', '--no-load', '--exit-code']
    const { code, stdout } = await run(same, '', env)
    expect([code, stdout]).toEqual([0, '2 paths asked of both: the answers are the same\n'])
    const far = await run(['compare-servers', url, 'http://192.0.2.1', '--urls', 'urls.txt'])
    expect([far.code, far.stderr]).toEqual([1, expect.stringContaining('--yes-i-may-load')])
  })
})
