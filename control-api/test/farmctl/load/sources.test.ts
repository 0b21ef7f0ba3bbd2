// SPDX-License-Identifier: MIT
// What is asked for: lists, logs and pages, without a process.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dueTimes, readLogLine } from '../../../src/farmctl/load/access-log.ts'
import { crawl, linksOf } from '../../../src/farmctl/load/crawl.ts'
import { atPath, isLoopback, readUrl, Targets } from '../../../src/farmctl/load/targets.ts'
import { readUrlList, urlListText } from '../../../src/farmctl/load/url-list.ts'

describe('a line of a log', () => {
  const atMs = Date.UTC(2026, 10, 21, 23, 54, 15)
  test.each([
    ['127.0.0.1 - - [21/Nov/2026:23:54:15 +0000] "GET /a?b=c HTTP/1.1" 200 12', '/a?b=c', false],
    ['::1 - ana [22/Nov/2026:01:54:15 +0200] "HEAD / HTTP/1.1" 200 - "-" "x \\"y\\""', '/', true],
    ['shop.test 1.2.3.4 - - [21/Nov/2026:23:54:15 +0000] "GET /\\x22 HTTP/2" 404 1', '/%22', false],
    ['1.2.3.4 - - [21/Nov/2026:23:54:15 +0000] "GET http://a.test/x HTTP/1.1" 200 1', '/x', false],
    ['1.2.3.4 - - [21/Nov/2026:23:54:15 +0000] "GET /\\\\x22 HTTP/2" 404 1', '/\\x22', false],
    ['{"time":"2026-11-21T23:54:15Z","request":"GET /nix HTTP/1.1","status":404}', '/nix', false],
    [
      `{"ts":${atMs / 1000},"request":{"method":"GET","uri":"/caddy?x"},"status":200}`,
      '/caddy?x',
      false,
    ],
  ])('%s', (line, path, head) => {
    expect(readLogLine(line)).toEqual({ atMs, path, head })
  })

  test.each([
    '1.2.3.4 - - [21/Nov/2026:23:54:15 +0000] "POST /form HTTP/1.1" 200 1',
    '1.2.3.4 - - [21/Nov/2026:23:54:15 +0000] "\\x16\\x03" 400 1',
    '1.2.3.4 - - [21/Nix/2026:23:54:15 +0000] "GET / HTTP/1.1" 200 1',
    '1.2.3.4 - - [21/Nov/2026:23:54:15 +0000] "GET *\\x0d HTTP/1.1" 400 1',
    // The heart takes neither, and would refuse all of the log.
    `1.2.3.4 - - [21/Nov/2026:23:54:15 +0000] "GET /${'x'.repeat(8192)} HTTP/1.1" 414 1`,
    '{"time":"2026-11-21T23:54:15Z","request":"GET /\\ud800 HTTP/1.1"}',
    '{"time":"yesterday","request":"GET / HTTP/1.1"}',
    '{"half":',
    '{}',
    'a sentence',
  ])('says nothing that can be asked again: %s', (line) => {
    expect(readLogLine(line)).toBeNull()
  })
})

describe('when a request of a log is due', () => {
  const requests = (...times: number[]) => times.map((atMs) => ({ atMs }))
  test('with its own timing, or faster', () => {
    expect(dueTimes(requests(5001, 5002, 6001.5), 1)).toEqual([0, 1000, 1_000_500])
    expect(dueTimes(requests(5001, 6001), 10)).toEqual([0, 100_000])
  })
  test('where the log counts seconds, those of one are spread over it', () => {
    expect(dueTimes(requests(1000, 1000, 3000, 3000, 3000, 3000), 1)).toEqual([
      0, 500_000, 2_000_000, 2_250_000, 2_500_000, 2_750_000,
    ])
  })
})

describe('a list of URLs', () => {
  const SHA256 = 'ab'.repeat(32)
  test('has what is known of each', () => {
    const text = `# a comment\n\nhttp://a.test/x weight=2.5 bytes=12 sha256=${SHA256}\nhttps://b.test:8443/?q method=HEAD\n`
    const listed = readUrlList(text, 'urls.txt')
    expect(listed.map(({ url, more }) => [url.href, more])).toEqual([
      ['http://a.test/x', { weight: 2.5, bytes: 12, sha256: SHA256 }],
      ['https://b.test:8443/?q', { head: true }],
    ])
    expect(readUrlList(urlListText(listed), 'again')).toEqual(listed)
  })
  test.each([
    ['http://a.test/ weight=0', 'urls.txt:1: "weight=0" is none of'],
    ['http://a.test/ bytes=many', 'urls.txt:1: "bytes=many"'],
    ['http://a.test/ sha256=12', 'urls.txt:1: "sha256=12"'],
    ['http://a.test/ x=1', 'urls.txt:1: "x=1"'],
    ['\nftp://a.test/', 'urls.txt:2: "ftp://a.test/" is no URL'],
    ['http://u:p@a.test/', 'a name and password are a field'],
    ['# nothing', 'urls.txt has no URL'],
  ])('%j is refused', (text, why) => {
    expect(() => readUrlList(text, 'urls.txt')).toThrow(why)
  })
})

describe('whom a load may fall upon', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['::1', true],
    ['::2', false],
    ['128.0.0.1', false],
    ['192.168.0.1', false],
  ])('%s is this machine: %s', (address, is) => {
    expect(isLoopback(address)).toBe(is)
  })

  test('others must be named twice', async () => {
    const url = new URL('http://192.0.2.1:8080/a?b')
    await expect(new Targets([]).urlOf(url)).rejects.toThrow('--yes-i-may-load 192.0.2.1')
    await expect(new Targets(['192.0.2.2']).urlOf(url)).rejects.toThrow('is not this machine')
    const targets = new Targets(['192.0.2.1'])
    expect(await targets.urlOf(url)).toMatchObject({ path: '/a?b', host: '192.0.2.1:8080' })
    await targets.urlOf(new URL('http://192.0.2.1:8080/other'))
    expect(targets.list).toEqual([
      { name: '192.0.2.1', address: '192.0.2.1', port: 8080, tls: false, confirmed: true },
    ])
  })

  // grafana/k6#1109, ziglang/zig#5555
  test('of several addresses it is the one where somebody listens', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '::1', done))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const addressOf = async (...found: string[]) => {
      const targets = new Targets([], async () => found)
      return targets.addressOf(new URL(`http://localhost:${port}`))
    }
    expect(await addressOf('127.0.0.1', '::1')).toBe('::1')
    // Who is not this machine is passed over; where nobody is, the first is named.
    expect(await addressOf('192.0.2.1', '::1')).toBe('::1')
    expect(await addressOf('127.0.0.1', '127.0.0.2')).toBe('127.0.0.1')
    await expect(addressOf('192.0.2.1')).rejects.toThrow(
      'localhost (192.0.2.1) is not this machine',
    )
  })

  // wtarreau/h1load#2, JoeDog/siege#199
  test.each([
    ['http://127.0.0.1:8080?s=64', '127.0.0.1:8080', '/?s=64'],
    ['http://127.0.0.1/r.php?js=lib/j.js#top', '127.0.0.1', '/r.php?js=lib/j.js'],
    ['http://127.0.0.1:80/a b?c=%2F', '127.0.0.1', '/a%20b?c=%2F'],
  ])('%s is asked for as a browser would', async (text, host, path) => {
    expect(await new Targets([]).urlOf(readUrl(text))).toMatchObject({ host, path })
  })

  test('a path is never another host', () => {
    const base = new URL('http://localhost:8080/x')
    expect(atPath(base, '//b.test/y').href).toBe('http://localhost:8080//b.test/y')
  })

  test('an address of version 6 is one', async () => {
    const targets = new Targets([])
    await targets.urlOf(readUrl('https://[::1]/'))
    expect(targets.list[0]).toMatchObject({ name: '::1', port: 443, tls: true, confirmed: false })
  })
})

describe('a crawl', () => {
  test('reads links of pages and style sheets, of the same host', () => {
    const base = new URL('http://a.test/dir/page.html')
    const html = `<a href="../up#part">x</a><img src='i.png'><a href=bare>y</a><a href="http://b.test/">z</a>
      <a href="../up">again</a><a href="mailto:x@y">m</a><a href="?a=1&amp;b=2">q</a><a data-href="no">n</a>
      <a href="//u:p@a.test/private">p</a><a href="/${'l'.repeat(8192)}">l</a>`
    expect(linksOf('text/html; charset=utf-8', html, base).map(({ href }) => href)).toEqual([
      'http://a.test/up',
      'http://a.test/dir/i.png',
      'http://a.test/dir/bare',
      'http://a.test/dir/page.html?a=1&b=2',
      'http://a.test/private',
    ])
    const css = `@import url("a.css"); b { background: url( i.svg ) }`
    expect(linksOf('text/css', css, base).map(({ pathname }) => pathname)).toEqual([
      '/dir/a.css',
      '/dir/i.svg',
    ])
    expect(linksOf('image/png', html, base)).toEqual([])
  })

  test('asks for each page once, knows its bytes, and stops at its bound', async () => {
    const asked: string[] = []
    const pages: Record<string, string> = {
      '/': '<a href="/a"></a><a href="/b"></a><a href="/gone"></a>',
      '/a': '<a href="/">home</a><a href="/c"></a>',
      '/b': 'b',
      '/c': 'c',
    }
    const server = createServer(({ url = '' }, response) => {
      asked.push(url)
      const page = pages[url]
      response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const start = new URL(`http://127.0.0.1:${port}/`)
    const stop = new AbortController().signal
    const options = { address: '127.0.0.1', most: 3, stop, headers: {}, insecure: false }
    const listed = await crawl(start, options)
    expect(listed.map(({ url, more }) => [url.pathname, more.bytes])).toEqual([
      ['/', pages['/']?.length],
      ['/a', pages['/a']?.length],
      ['/b', 1],
    ])
    expect(listed[2]?.more.sha256).toMatch(/^3e23e8160039594a33894f6564e1b134/)
    expect(asked).toEqual(['/', '/a', '/b'])
    await expect(crawl(new URL('/nix', start), options)).rejects.toThrow('did not answer with 200')
    // Whatever its name leads to: the address is the one that was looked at.
    const named = new URL(`http://elsewhere.invalid:${port}/b`)
    expect((await crawl(named, options)).map(({ url }) => url.href)).toEqual([named.href])
  })

  test('links that lead nowhere do not keep it', async () => {
    let asked = 0
    const server = createServer(({ url }, response) => {
      asked++
      const links = Array.from({ length: 100 }, (_, at) => `<a href="/nix${at}"></a>`).join('')
      response.writeHead(url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(links)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const start = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const stop = new AbortController().signal
    const how = { address: '127.0.0.1', stop, headers: {}, insecure: false }
    expect(await crawl(start, { ...how, most: 2 })).toHaveLength(1)
    expect(asked).toBe(40)
  })
})
