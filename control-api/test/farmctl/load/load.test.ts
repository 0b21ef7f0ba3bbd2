// SPDX-License-Identifier: MIT
// farmctl load as people run it, with farmload, against servers of the test.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl } from '../helper.ts'

const BUILT = resolve(import.meta.dirname, '../../../../server-c/build/release/farmload')
const env = { FARMSTEAD_LOAD_BINARY: process.env.FARMSTEAD_LOAD_BINARY ?? BUILT }

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

const hello: RequestListener = (_request, response) => void response.end('hello')

describe('farmctl load', { timeout: FARMCTL_TEST_MS }, () => {
  test('needs no control plane, and says how it went as text, JSON and a page', async () => {
    const { run, home } = await farmctl({ signedIn: false })
    const url = await serve(hello)
    const objectives = ['--availability', '100', '--p99', '1m']
    const words = ['load', `${url}/`, '-n', '50', '-c', '2', ...objectives]
    const { code, stdout, stderr } = await run([...words, '--html', 'r.html'], '', env)
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 URLs of localhost')])
    expect(stdout).toMatch(/^Requests +50,/m)
    expect(stdout).toContain('p99 at most 60 s')
    expect(readFileSync(join(home, 'r.html'), 'utf8')).toContain('<svg')
    const secret = ['-H', 'Authorization: Bearer of-mine']
    const asJson = await run([...words, ...secret, '--json'], '', env)
    expect(asJson.stdout).not.toContain('of-mine')
    const { counted, plan } = JSON.parse(asJson.stdout)
    expect([counted.good, counted.statuses, plan.clients]).toEqual([50, { 200: 50 }, 2])
  })

  test('ends with 1 when an objective is missed, and says which', async () => {
    const { run } = await farmctl({ signedIn: false })
    const url = await serve((_request, response) => void response.writeHead(503).end())
    const words = ['load', url, '-n', '20', '--good', '99.9', '--availability', '100']
    const { code, stdout, stderr } = await run(words, '', env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('good is 0 %, not at least 99.9 %')])
    expect(stdout).toMatch(/availability at least 100 % +100 %: met/)
    expect(stdout).toMatch(/status of 400 or more +20/)
  })

  test('speaks HTTP/2 when asked', async () => {
    const { run } = await farmctl({ signedIn: false })
    const server = http2.createServer((_request, response) => void response.end('hello'))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`
    const words = ['load', url, '-n', '50', '-c', '8', '--http2', '--streams', '4']
    const { code, stdout } = await run(words, '', env)
    expect(code).toBe(0)
    expect(stdout).toContain('HTTP/2, 4 streams a connection')
    expect(stdout).toMatch(/^Good +100 % \(50\)$/m)
    expect(stdout).toMatch(/^Connections +2$/m)
  })

  test('finds other content than the crawl saw', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    let visits = 0
    const url = await serve(({ url: path }, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(path === '/' ? '<a href="/counter">c</a>' : String(visits++ % 10))
    })
    const words = ['load', `${url}/`, '--crawl', '--save-urls', 'urls.txt', '-n', '40', '-c', '1']
    const { code, stdout } = await run(words, '', env)
    expect(code).toBe(0)
    expect(stdout).toMatch(/wrong content +\d+/)
    file('plain.txt', `${url}/ weight=1\n`)
    const plain = await run(['load', '--urls', 'plain.txt', '-n', '10'], '', env)
    expect(plain.stdout).toMatch(/^Good +100 %/m)
    const again = await run(['load', '--urls', 'urls.txt', '-n', '40', '--good', '100'], '', env)
    expect(again.code).toBe(1)
  })

  test('replays a log, and says what it leaves out', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const asked: string[] = []
    const url = await serve(({ url: path = '' }, response) => {
      asked.push(path)
      response.end()
    })
    const line = (second: number, request: string) =>
      `1.2.3.4 - - [21/Nov/2026:23:54:0${second} +0000] "${request} HTTP/1.1" 200 1\n`
    const lines = [line(3, 'GET /c'), line(1, 'GET /a'), line(1, 'POST /x'), line(2, 'GET /b')]
    file('access.log', lines.join(''))
    const words = ['load', url, '--log', 'access.log', '--speed', '10', '-c', '1']
    const { code, stderr } = await run(words, '', env)
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 lines are left out')])
    expect(asked).toEqual(['/a', '/b', '/c'])
    // allinurl/goaccess#317: of yesterday there is only what a rotation left.
    const packed = gzipSync(lines.join(''))
    const named = file('access.log.1.gz', '')
    const again = words.map((one) => (one === 'access.log' ? 'access.log.1.gz' : one))
    writeFileSync(named, packed)
    expect((await run(again, '', env)).code).toBe(0)
    expect(asked).toHaveLength(6)
    writeFileSync(named, packed.subarray(0, -9))
    const cut = await run(again, '', env)
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('unexpected end of file')])
    const none = await run(again.with(3, 'nix.log'), '', env)
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('nix.log')])
  })

  test('a Host that is typed is the only one', async () => {
    const { run } = await farmctl({ signedIn: false })
    const asked = new Set<string>()
    const url = await serve(({ rawHeaders, headers }, response) => {
      asked.add(`${headers.host} ${rawHeaders.filter((name) => /^host$/i.test(name)).length}`)
      response.end()
    })
    const words = ['load', `${url}/`, '-n', '10', '--crawl', '-H', 'host: shop.test', '-H', 'X: y']
    expect((await run(words, '', env)).code).toBe(0)
    expect([...asked]).toEqual(['shop.test 1'])
  })

  test('a proxy of the environment is not asked in place of the server', async () => {
    const { run } = await farmctl({ signedIn: false })
    const proxied: unknown[] = []
    const proxy = await serve((request, response) => {
      proxied.push(request.url)
      response.end('of the proxy')
    })
    const url = await serve(hello)
    const words = ['load', `${url}/`, '-n', '10', '--crawl', '--good', '100']
    const set = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '' }
    const { code, stderr } = await run(words, '', { ...env, ...set })
    expect([code, proxied], stderr).toEqual([0, []])
  })

  test('says what is wrong before anything is asked', async () => {
    const { run, file } = await farmctl({ signedIn: false })
    const asked: unknown[] = []
    const url = await serve((request) => void asked.push(request))
    file('empty.log', 'no log\n')
    const rows = [
      [['load'], 'Name a URL'],
      [['load', 'http://192.0.2.1/'], '--yes-i-may-load 192.0.2.1'],
      [['load', url, '--p99', 'fast'], '--p99 is a time'],
      [['load', url, '--rate', '0'], '"ratePerSecond" must be'],
      [['load', url, '-c', '20001'], '"clients" must be from 1 to 20000'],
      [['load', url, '-d', '0'], '"seconds" must be'],
      [['load', url, '-c', '10000', '--memory', '16'], 'this run could take'],
      [['load', url, '--http2', '--no-keep-alive'], 'are kept'],
      [['load', url, '-H', 'x'], '--header is a field'],
      [['load', url, '--log', 'empty.log'], 'none of its 1 lines is'],
      [['load', url, '--log', 'empty.log', '--crawl'], 'leave out'],
      [['load', '--log', 'empty.log'], 'name the one server'],
      [['load', url, '--urls', 'absent.txt'], 'absent.txt'],
    ] as const
    for (const [words, why] of rows) {
      const { code, stdout, stderr } = await run(words, '', env)
      expect([words, code, stdout, stderr]).toEqual([words, 1, '', expect.stringContaining(why)])
    }
    const elsewhere = { FARMSTEAD_LOAD_BINARY: '/nowhere/farmload' }
    const { stderr } = await run(['load', url], '', elsewhere)
    expect(stderr).toContain('/nowhere/farmload is not there. Build it')
    expect(asked).toEqual([])
  })
})
