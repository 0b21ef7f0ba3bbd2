// SPDX-License-Identifier: MIT
// farmctl releases verify against real servers on sockets: one that serves the files, and one that has them wrong.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import { oddOf } from '../../src/farmctl/releases/verify/judge.ts'
import { placeOfNode } from '../../src/farmctl/releases/verify/nodes.ts'
import { chosenOf, pathsOf, placesOf } from '../../src/farmctl/releases/verify/urls.ts'
import { tempDir } from '../helper.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

test.each([
  ['index.html', ['index.html', '']],
  ['a/index.html', ['a/index.html', 'a/']],
  ['a/my-index.html', ['a/my-index.html']],
  ['ü/50% #1?.txt', ['%C3%BC/50%25%20%231%3F.txt']],
])('the file %j is asked for as %j', (path, asked) => {
  expect(pathsOf(path)).toEqual(asked)
})

describe('where', () => {
  test('is each URL, on each machine', () => {
    const places = placesOf(
      ['https://www.example.org', 'http://h/base'],
      ['192.0.2.7', '[2001:db8::7]:8443'],
    )
    expect(places.map(({ url, at }) => [url.href, at])).toEqual([
      ['https://www.example.org/', { host: '192.0.2.7', port: 443 }],
      ['https://www.example.org/', { host: '2001:db8::7', port: 8443 }],
      ['http://h/base/', { host: '192.0.2.7', port: 80 }],
      ['http://h/base/', { host: '2001:db8::7', port: 8443 }],
    ])
  })

  test.each([
    [[], []],
    [['www.example.org'], []],
    [['ftp://h/'], []],
    [['http://h/?q'], []],
    [['http://h/'], ['h/path']],
  ])('is refused as %j at %j', (urls, machines) => {
    expect(() => placesOf(urls, machines)).toThrow()
  })

  test.each([
    [10, 3],
    [10, 10],
    [7, 100],
    [100_000, 999],
  ])('of %i files %i are chosen, whatever the first', (all, most) => {
    for (const first of [0, 0.3, 0.999999]) {
      const isChosen = chosenOf(all, most, () => first)
      const chosen = Array.from({ length: all }, (_, at) => at).filter(isChosen)
      expect(chosen.length).toBe(Math.min(all, most))
      expect(Math.max(...chosen)).toBeGreaterThan(all * 0.5)
    }
  })
})

describe('a node that runs a release', () => {
  const wanted = { release: 'www', number: 3, url: undefined }
  const node = (...urls: string[]) => ({
    name: 'edge-1',
    version: 3,
    urls,
    host: 'www.example.org',
  })
  const placeOf = (...asked: Parameters<typeof placeOfNode>) => {
    const place = placeOfNode(...asked)
    return 'url' in place ? [place.url.href, place.at, place.label] : place
  }

  test.each([
    [['http://192.0.2.7/'], ['http://www.example.org/', '192.0.2.7', 80]],
    [
      ['http://192.0.2.7/', 'https://[2001:db8::7]:8443/'],
      ['https://www.example.org/', '2001:db8::7', 8443],
    ],
  ] as const)('at %j is asked as %j', (urls, [href, host, port]) => {
    expect(placeOf(node(...urls), wanted)).toEqual([href, { host, port }, 'edge-1'])
  })

  test('is asked for the URL that was said, where it listens for its scheme', () => {
    const said = { ...wanted, url: 'http://shop.example/base' }
    const both = node('https://192.0.2.7/', 'http://192.0.2.7:8080/')
    expect(placeOf(both, said)).toEqual([
      'http://shop.example/base/',
      { host: '192.0.2.7', port: 8080 },
      'edge-1',
    ])
    expect(placeOf(node('https://192.0.2.7/'), said)).toMatchObject({ node: 'edge-1' })
  })

  test('of whose site no name is known is asked by its address', () => {
    const place = placeOf({ ...node('http://192.0.2.7:81/'), host: null }, wanted)
    expect(place).toEqual(['http://192.0.2.7:81/', { host: '192.0.2.7', port: 81 }, 'edge-1'])
  })

  test('is not asked when it runs another version, or no address is known', () => {
    expect(placeOf(node('http://192.0.2.7/'), { ...wanted, number: 4 })).toMatchObject({
      ...{ what: 'version', place: 'edge-1', expected: 'www@4', found: 'www@3' },
    })
    expect(placeOf(node(), wanted)).toMatchObject({ node: 'edge-1' })
  })
})

test('is odd: another status, size, bytes, digest or header than it should be', () => {
  const file = { path: 'a', type: 'file', mode: '644', size: 1, sha256: sha256('x') } as const
  const answer = (more: object) => ({
    place: 'here',
    answer: { status: 200, sha256: file.sha256, size: 1, headers: {}, ...more },
  })
  const what = (...all: ReturnType<typeof answer>[]) => oddOf('/a', file, all).map((o) => o.what)
  expect(what(answer({}), answer({}))).toEqual([])
  expect(what(answer({ status: 301, headers: { location: '/b' } }))).toEqual(['status'])
  expect(what(answer({ size: 2 }))).toEqual(['size'])
  expect(what(answer({ sha256: sha256('y') }))).toEqual(['bytes'])
  expect(what(answer({ headers: { 'content-encoding': 'gzip' } }))).toEqual(['content-encoding'])
  const digestOf = (text: string) =>
    `sha-512=:AA==:, sha-256=:${Buffer.from(sha256(text), 'hex').toString('base64')}:`
  expect(what(answer({ headers: { 'repr-digest': digestOf('x') } }))).toEqual([])
  expect(what(answer({ headers: { 'repr-digest': digestOf('y') } }))).toEqual(['repr-digest'])
  const [one, other] = [{ headers: { etag: '"1"' } }, { headers: { etag: '"2"' } }]
  expect(what(answer(one), answer(one), answer(other))).toEqual(['etag'])
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => void server.close().closeAllConnections())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const filesOf =
  (root: string): RequestListener =>
  (request, response) => {
    const path = decodeURIComponent(request.url ?? '').replace(/^\/base\//, '')
    const file = join(root, path.replace(/(^|\/)$/, '$1index.html'))
    try {
      response.setHeader('etag', '"one"').end(readFileSync(file))
    } catch {
      response.writeHead(404).end()
    }
  }

test(
  'tells which answers of which machine are not as the version says',
  async () => {
    const { run } = await farmctl()
    const root = join(tempDir(), 'public')
    mkdirSync(join(root, 'é dir'), { recursive: true })
    writeFileSync(join(root, 'é dir/index.html'), '<h1>one')
    writeFileSync(join(root, 'a#b.txt'), 'a')
    writeFileSync(join(root, 'empty'), '')
    expect((await run(['releases', 'push', 'www', root])).code).toBe(0)

    const hosts = new Set<string>()
    const right = await serve((request, response) => {
      hosts.add(request.headers.host ?? '')
      filesOf(root)(request, response)
    })
    const verify = ['releases', 'verify', 'www', '--url', 'http://www.example.org/base']
    const good = await run([...verify, '--at', right])
    expect([good.code, good.stdout]).toEqual([
      0,
      'www@1: all 3 files, 4 answers, all as they should be.\n',
    ])
    expect([...hosts]).toEqual(['www.example.org'])

    // As nodes do it: to who wants one.
    const wrongDigest = await serve((request, response) => {
      if (request.headers['want-repr-digest'] === 'sha-256=1')
        response.setHeader('repr-digest', `sha-256=:${Buffer.alloc(32).toString('base64')}:`)
      filesOf(root)(request, response)
    })
    const lying = await run([...verify, '--at', wrongDigest, '--json'])
    expect(JSON.parse(lying.stdout)).toMatchObject({
      ...{ odd: 4, answers: 4 },
      items: expect.arrayContaining([
        expect.objectContaining({ what: 'repr-digest', found: '0'.repeat(64) }),
      ]),
    })

    const wrong = await serve((request, response) => {
      if (request.url?.endsWith('a%23b.txt')) response.end('b')
      else if (request.url?.endsWith('/empty')) response.destroy()
      else filesOf(root)(request, response.setHeader('cache-control', 'no-store'))
    })
    const odd = await run([...verify, '--at', right, '--at', wrong, '--json'])
    expect(odd.code).toBe(1)
    const { items, ...counts } = JSON.parse(odd.stdout)
    expect(counts).toMatchObject({ version: 1, ofFiles: 3, files: 3, answers: 8, odd: 4 })
    const place = `http://www.example.org/base/ at ${wrong}`
    expect(items).toEqual(
      expect.arrayContaining([
        { path: '/a%23b.txt', place, what: 'bytes', expected: sha256('a'), found: sha256('b') },
        { path: '/empty', place, what: 'answer', expected: 'one', found: expect.any(String) },
        expect.objectContaining({ path: '/%C3%A9%20dir/', what: 'cache-control' }),
      ]),
    )
    const sampled = await run([...verify, '--at', right, '--sample', '1'])
    expect(sampled.stdout).toMatch(/^www@1: 1 of 3 files, [12] answers, all/)
  },
  FARMCTL_TEST_MS,
)
