// SPDX-License-Identifier: MIT
// Searches among nodes' requests: what nodes are told, what of their answers is taken, and that nothing grows.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RequestFound } from '../../src/agent-protocol/messages.gen.ts'
import { createRequestLooks } from '../../src/fleet/request-looks.ts'
import {
  MOST_NODES,
  MOST_PER_SECOND,
  MOST_SEARCHES,
  RequestSearches,
  type Search,
} from '../../src/fleet/request-searches.ts'
import { SampleWatches } from '../../src/fleet/sample-watches.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const found = (path: string, rest: Partial<RequestFound> = {}): RequestFound => ({
  ...{ startedUs: 1, generation: 1, status: 200, bytes: 1, protocol: 'HTTP/1.1', reason: null },
  ...{ path, host: 'example.org', method: 'GET', stageSeconds: { total: 0.01 } },
  ...rest,
})
const nodes = (count: number, name = 'n') =>
  Array.from({ length: count }, (_, i) => ({ id: `${name}${i}`, name: `${name}-${i}` }))

function searching() {
  const woken: string[] = []
  const searches = new RequestSearches((nodeId) => woken.push(nodeId), Date.now)
  const begin = (rest: Partial<Parameters<RequestSearches['begin']>[0]> = {}): Search => {
    const search = searches.begin({
      ...{ owner: 'ana', filter: {}, tellsClients: false, nodes: nodes(1), forMs: 60_000 },
      ...rest,
    })
    if (search === 'full') throw new Error('there is no room')
    return search
  }
  const say = (id: string, requests: RequestFound[], matched = requests.length, nodeId = 'n0') =>
    searches.heard(
      nodeId,
      { uptimeUs: 2, searches: [{ id, seen: matched * 2, matched, requests }] },
      Date.now(),
    )
  return { searches, woken, begin, say }
}

describe('what nodes are told', () => {
  it('is the filter, once, and again when nothing comes of it', () => {
    const { searches, woken, begin } = searching()
    const search = begin({ filter: { pathPrefix: '/a' }, tellsClients: true })
    expect(woken).toEqual(['n0'])
    expect(searches.takeOwed('n0')).toBe(true)
    expect(searches.takeOwed('n0')).toBe(false)
    const filter = { pathPrefix: '/a' }
    expect(searches.of('n0')).toEqual([
      { id: search.id, forMs: 60_000, most: 50, tellsClients: true, filter },
    ])
    searches.ask(search.id, 'ana')
    expect(woken).toHaveLength(1)
    vi.advanceTimersByTime(3_000)
    searches.ask(search.id, 'ana')
    expect(woken).toHaveLength(2)
    expect(searches.of('n0')[0]?.forMs).toBe(57_000)
  })

  it('is less for each, the more nodes there are', () => {
    const { searches, begin } = searching()
    begin({ nodes: nodes(1_000) })
    const told = nodes(1_000).flatMap(({ id }) => searches.of(id))
    expect(told).toHaveLength(MOST_NODES)
    expect(told.reduce((sum, { most }) => sum + most, 0)).toBeLessThanOrEqual(MOST_PER_SECOND)
  })

  it('goes with what is told of who looks live, and neither ends the other', () => {
    const { searches, begin } = searching()
    const watches = new SampleWatches(() => {}, Date.now)
    const looks = createRequestLooks(watches, searches)
    const message = { bootId: '', incarnation: '', uptimeUs: 1, seen: 0, samples: [] }
    expect(looks.take('n0')).toBeNull()
    const search = begin()
    expect(looks.take('n0')).toMatchObject({ forMs: 0, searches: [{ id: search.id }] })
    watches.look('n0')
    expect(looks.take('n0')).toMatchObject({ forMs: 10_000, searches: [{ id: search.id }] })
    searches.end(search)
    expect(looks.heard('n0', message, 0)).toEqual({ forMs: 10_000 })
    vi.advanceTimersByTime(10_000)
    const other = begin()
    expect(looks.heard('n0', message, 0)).toMatchObject({ forMs: 0, searches: [{ id: other.id }] })
  })
})

describe('what comes of it', () => {
  it('is counted, also what was not sent, and each weighs what it stands for', () => {
    const { begin, say } = searching()
    const search = begin()
    say(search.id, [found('/a'), found('/b')], 20)
    say(search.id, [found('/b')])
    expect(search).toMatchObject({ seen: 42, matched: 21, received: 3 })
    expect(search.paths.top(2)).toMatchObject([
      { key: 'example.org/b', count: 11 },
      { key: 'example.org/a', count: 10 },
    ])
  })

  it('is of no search that the node has no part in, that has ended, or that nobody knows', () => {
    const { searches, begin, say } = searching()
    const search = begin()
    say(search.id, [found('/a')], 1, 'n7')
    say('search_unknown', [found('/a')])
    expect(search.received).toBe(0)
    searches.end(search)
    say(search.id, [found('/a')])
    expect(search.received).toBe(0)
    expect(searches.ask(search.id, 'ana')).toBe(search)
  })

  it('believes no node more than it was asked for, nor that it served more than any can', () => {
    const { begin, say } = searching()
    const search = begin({ nodes: nodes(50) })
    expect(search.mostOfNode).toBe(5)
    say(
      search.id,
      Array.from({ length: 50 }, () => found('/a', { client: '192.0.2.1' })),
      2 ** 50,
    )
    expect(search.received).toBe(5)
    expect(search.matched).toBe(10_000_000)
    // It was not asked who asked.
    expect(search.found.every(({ request }) => !('client' in request))).toBe(true)
    expect(search.clients.top(1)).toEqual([])
  })

  it('stays bounded: the newest requests, the paths that come most often', () => {
    const { begin, say } = searching()
    const search = begin()
    for (let second = 0; second < 100; second++) {
      say(
        search.id,
        Array.from({ length: 50 }, (_, i) => found(`/${second}/${i}`)),
      )
    }
    expect(search.received).toBe(5_000)
    expect(search.found).toHaveLength(2_000)
    expect(search.found.at(-1)?.request.path).toBe('/99/49')
    expect(search.paths.top(10_000).length).toBeLessThanOrEqual(500)
  })

  it('has no time of what was given up', () => {
    const { begin, say } = searching()
    const search = begin()
    say(search.id, [found('/a'), found('/b', { reason: 'clientGone' })])
    expect(search.times.count).toBe(1)
  })
})

describe('the end of a search', () => {
  it('comes by itself, and what was found is there for five minutes', () => {
    const { searches, begin, say } = searching()
    const search = begin({ forMs: 20_000 })
    say(search.id, [found('/a')])
    for (let second = 0; second < 20; second += 5) {
      vi.advanceTimersByTime(5_000)
      searches.ask(search.id, 'ana')
    }
    expect(search.isOver).toBe(true)
    expect(searches.of('n0')).toEqual([])
    vi.advanceTimersByTime(299_000)
    expect(searches.ask(search.id, 'ana')?.found).toHaveLength(1)
    vi.advanceTimersByTime(1_000)
    expect(searches.ask(search.id, 'ana')).toBeUndefined()
  })

  it('comes fifteen seconds after nobody asks, and others can’t ask', () => {
    const { searches, begin } = searching()
    const search = begin()
    vi.advanceTimersByTime(14_000)
    expect(searches.ask(search.id, 'ben')).toBeUndefined()
    vi.advanceTimersByTime(1_000)
    expect(search.isOver).toBe(true)
  })

  it('comes for one’s oldest of three when one begins another; others can’t begin more than there may be', () => {
    const { searches, begin } = searching()
    const own = [begin(), begin(), begin(), begin()]
    expect(own.map(({ isOver }) => isOver)).toEqual([true, false, false, false])
    expect(searches.ask(own[0]?.id ?? '', 'ana')).toBeUndefined()
    for (let i = 3; i < MOST_SEARCHES; i++)
      begin({ owner: `person ${i}`, nodes: nodes(2, `${i}-`) })
    const order = { filter: {}, tellsClients: false, nodes: nodes(1), forMs: 1_000 }
    expect(searches.begin({ ...order, owner: 'one more' })).toBe('full')
    vi.advanceTimersByTime(15_000)
    expect(searches.begin({ ...order, owner: 'one more' })).not.toBe('full')
  })

  it('comes for none of one’s own when there is no room for another', () => {
    const { searches, begin } = searching()
    const own = [begin(), begin(), begin()]
    for (const search of own) searches.end(search)
    for (let i = 0; i < MOST_SEARCHES; i++)
      begin({ owner: `person ${i}`, nodes: nodes(2, `${i}-`) })
    const order = { filter: {}, tellsClients: false, nodes: nodes(1), forMs: 1_000 }
    expect(searches.begin({ ...order, owner: 'ana' })).toBe('full')
    for (const search of own) expect(searches.ask(search.id, 'ana')).toBe(search)
  })

  it('leaves out nodes beyond a hundred that are searched together, and says so', () => {
    const { begin } = searching()
    begin({ nodes: nodes(50, 'a') })
    begin({ nodes: nodes(30, 'b') })
    const search = begin({ nodes: [...nodes(10, 'a'), ...nodes(40, 'c')] })
    expect(search).toMatchObject({ nodesBusy: 20 })
    expect(search.nodes.size).toBe(30)
  })

  it('leaves out nodes that are searched for four others already, and says so', () => {
    const { begin } = searching()
    for (let i = 0; i < 4; i++) begin({ owner: `person ${i}` })
    expect(begin({ owner: 'one more', nodes: nodes(2) })).toMatchObject({ nodesBusy: 1 })
  })
})
