// SPDX-License-Identifier: MIT
// What people search for among a node's requests, while they do.
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, test } from 'node:test'
import { joinNodeFor } from '../support/joined-node.mjs'
import { exchange, get, RawClient, request } from '../support/raw.mjs'

const LONG_MS = 60_000
let searchesBefore = 0
/** A filter that nobody had before. */
const searchFor = (filter, rest = {}) => ({
  id: `search_${String(++searchesBefore).padStart(26, '0')}`,
  forMs: LONG_MS,
  most: 50,
  tellsClients: false,
  filter,
  ...rest,
})

/** A node, and what it found. */
async function searching(t, samples = { slowerThanMillis: 0 }, options = {}) {
  const { control, node } = await joinNodeFor(t)
  node.start()
  const { generation } = control.assign({ ...node.config('v1'), workers: 2, samples, ...options })
  await node.untilVersion('v1')
  await node.untilConfirmed(generation)
  const of = ({ id }) =>
    control.of('samples').flatMap(({ body }) => body.searches.filter((one) => one.id === id))
  const sum = (search, what) => of(search).reduce((all, one) => all + one[what], 0)
  return {
    ...{ control, node, of },
    found: (search) => of(search).flatMap(({ requests }) => requests),
    seen: (search) => sum(search, 'seen'),
    matched: (search) => sum(search, 'matched'),
    async search(...searches) {
      control.searches = searches
      control.lookFor(0, searches)
      await control.until('the searches', () => searches.every((one) => of(one).length > 0))
    },
  }
}

describe('searches of requests', { concurrency: 4 }, () => {
  test('each search finds what its filter says, and nobody’s address', async (t) => {
    const { control, node, search, found, seen, matched } = await searching(t)
    const all = searchFor({})
    const missing = searchFor({ statusFrom: 404, statusTo: 404 })
    const page = searchFor({ pathPrefix: '/index', method: 'GET' })
    const elsewhere = searchFor({ host: 'nowhere.example' })
    await search(all, missing, page, elsewhere)
    const before = seen(all)
    for (const target of ['/index.html?token=secret', '/nope', '/a%zz', '/index.html']) {
      await get(node.port, target)
    }
    await exchange(node.port, 'HEAD /index.html HTTP/1.1\r\nHost: Some.Example\r\n\r\n', {
      isHead: true,
    })
    await control.until('all of them', () => seen(all) - before >= 5)
    assert.equal(found(all).length, matched(all))
    assert.equal(matched(all), seen(all))
    assert.ok(found(missing).every(({ status }) => status === 404))
    assert.deepEqual([...new Set(found(missing).map(({ path }) => path))], ['/nope'])
    assert.equal(found(page).length, 2)
    assert.equal(seen(elsewhere), seen(all))
    assert.equal(matched(elsewhere), 0)
    assert.ok(found(all).some(({ method, host }) => method === 'HEAD' && host === 'some.example'))
    // What can't be decoded could not be masked either.
    assert.ok(found(all).some(({ path, status }) => path === '' && status === 400))
    assert.doesNotMatch(JSON.stringify(control.of('samples')), /secret|token|"client"/)
    // Nobody looks at the others.
    assert.ok(control.of('samples').every(({ body }) => body.samples.length === 0))
  })

  test('addresses are told to who may see them, and can be searched for', async (t) => {
    const { control, node, search, found, seen } = await searching(t)
    const anybody = searchFor({}, { tellsClients: true })
    const untold = searchFor({})
    await search(anybody, untold)
    await get(node.port, '/index.html')
    await control.until('it', () => found(anybody).length > 0 && found(untold).length > 0)
    // Which address this machine's own requests come from is the machine's.
    const { client: own } = found(anybody)[0]
    assert.ok(isIP(own), own)
    assert.ok(found(untold).every((one) => !('client' in one)))
    const its = searchFor({ client: own })
    const others = searchFor({ client: '203.0.113.0/24' })
    await search(its, others)
    const before = seen(others)
    await get(node.port, '/index.html')
    await control.until('it', () => found(its).length > 0 && seen(others) > before)
    assert.deepEqual(found(others), [])
  })

  test('an address that is masked in the access log is told, and compared, as masked', async (t) => {
    const masked = { accessLog: { maskAddresses: true } }
    const { control, node, search, found, seen } = await searching(t, undefined, masked)
    const anybody = searchFor({}, { tellsClients: true })
    await search(anybody)
    await get(node.port, '/index.html')
    await control.until('it', () => found(anybody).length > 0)
    const { client } = found(anybody)[0]
    assert.match(client, /\.0$/)
    // Not even by its last byte could it be guessed.
    const guesses = [1, 2].map((last) => searchFor({ client: client.replace(/0$/, last) }))
    await search(...guesses)
    const before = seen(guesses[0])
    await get(node.port, '/index.html')
    await control.until('it', () => seen(guesses[0]) > before)
    for (const guess of guesses) assert.deepEqual(found(guess), [])
  })

  test('what the config hides in a path is neither said nor found by it', async (t) => {
    const samples = { slowerThanMillis: 0, maskPaths: ['/users/*'] }
    const { control, node, search, found, matched } = await searching(t, samples)
    const guess = searchFor({ pathPart: 'ana' })
    const masked = searchFor({ pathPrefix: '/users/***' })
    await search(guess, masked)
    await get(node.port, '/users/ana/photos')
    await control.until('it', () => matched(masked) > 0)
    assert.equal(found(masked)[0].path, '/users/***/photos')
    assert.equal(matched(guess), 0)
  })

  test('of more than may be said each message has as many as that, and how many there were', async (t) => {
    const { control, node, search, of, matched } = await searching(t)
    const few = searchFor({ pathPrefix: '/index' }, { most: 7 })
    await search(few)
    const client = await RawClient.connect(node.port)
    client.send(request('/index.html').toString().repeat(300))
    for (let i = 0; i < 300; i++) await client.response()
    client.close()
    await control.until('all matched', () => matched(few) >= 300)
    assert.equal(matched(few), 300)
    assert.ok(of(few).every(({ requests, matched }) => requests.length === Math.min(7, matched)))
  })

  test('a search ends when it is not named any more, and by itself; the others go on', async (t) => {
    const { control, search, of } = await searching(t)
    const [short, long] = [searchFor({}, { forMs: 2000 }), searchFor({})]
    await search(short, long)
    control.searches = [long]
    const before = of(long).length
    await control.until('more of the other', () => of(long).length > before + 2)
    const ended = of(short).length
    await control.until('more of the other', () => of(long).length > before + 4)
    assert.equal(of(short).length, ended)
    control.searches = []
    const said = control.of('samples').length
    await control.until('the last', () => control.of('samples').length > said)
    const last = control.of('samples').length
    const reports = control.of('report').length
    await control.until('reports', () => control.of('report').length > reports + 10)
    assert.ok(control.of('samples').length <= last + 1)
  })
})
