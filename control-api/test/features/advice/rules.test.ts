// SPDX-License-Identifier: MIT
// Each rule on windows that are just beyond its bounds, and just within each of them.
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../src/base/seeded-random.ts'
import { advise, READ } from '../../../src/features/advice/advise.ts'
import { meanWaitSeconds } from '../../../src/features/advice/rules/erlang.ts'
import { RULES, type Rule } from '../../../src/features/advice/schema.ts'
import type { Unit } from '../../../src/metrics-store/units.ts'
import { times, unitsOf } from './units.ts'

const found = (units: Unit[]) => advise(units).advice.map(({ rule }) => rule)
const adviceOf = (units: Unit[], rule: Rule) =>
  advise(units).advice.find((one) => one.rule === rule)
const figuresOf = (units: Unit[], rule: Rule) =>
  new Map(adviceOf(units, rule)?.figures.map((figure) => [figure.name, figure]))

type Reads = { wait?: number; read?: number; count?: number; threads?: number; total?: number }
/** 50 reads a window on two threads, each 0.3 s of 10 s: busy three quarters of the time. */
const reads = ({
  wait = 2,
  read = 0.3,
  count = 50,
  threads = 2,
  total = wait + read,
}: Reads = {}) =>
  unitsOf(4, {
    stages: {
      total: times(count, total),
      readWait: times(count, wait),
      read: times(count, read),
    },
    counters: { requests: count },
    gauges: { readThreads: threads },
  })

describe('reads that wait for a thread', () => {
  it('are told of with the arithmetic, and twice as many threads can be tried', () => {
    const advice = adviceOf(reads(), 'readThreads')
    expect(advice).toMatchObject({
      title: 'Reads wait: the disk is slow',
      change: { pointer: '/io/readThreads', now: 2, times: 2, most: 256 },
      whyNoChange: null,
    })
    const figures = figuresOf(reads(), 'readThreads')
    expect(figures.get('busy')).toMatchObject({ atLeast: 0.5 })
    expect(figures.get('busy')?.value).toBeCloseTo(0.75)
    expect(figures.get('waitShare')?.value).toBeCloseTo(2 / 2.3)
    // Off by what a bucket is wide.
    expect(figures.get('waitToRead')?.value).toBeGreaterThan((2 / 0.3) * 0.9)
    expect(figures.get('waitToRead')?.value).toBeLessThan((2 / 0.3) * 1.1)
    expect(advice?.arithmetic.join('\n')).toContain(
      '60 s of reading / 80 s that the threads had = 75 %',
    )
  })
  it('are the threads’ doing when the disk answers quickly', () => {
    const quick = reads({ wait: 0.02, read: 0.004, count: 4000 })
    expect(adviceOf(quick, 'readThreads')?.title).toBe('Reads wait for a thread')
  })
  it.each([
    ['wait less than twice what they take', reads({ wait: 0.5 })],
    ['wait less than anybody notices', reads({ wait: 0.004, read: 0.001, count: 18_000 })],
    ['are a small part of the time', reads({ total: 20 })],
    ['wait while threads idle', reads({ threads: 8 })],
    ['are too few', reads({ count: 24, threads: 1 })],
    ['are of two windows', reads({ count: 90 }).slice(0, 2)],
  ])('say nothing when they %s', (_, units) => {
    expect(found(units)).toEqual([])
    expect(advise(units).quiet.map(({ rule }) => rule)).toContain('readThreads')
  })
  it('have nothing to try with the most threads there may be', () => {
    const most = adviceOf(reads({ threads: 256, count: 6_400 }), 'readThreads')
    expect(most).toMatchObject({ change: null })
    expect(most?.whyNoChange).toMatch(/256 read threads, the most/)
  })
})

describe('the wait that Erlang’s formula tells', () => {
  it('is that of one server: ρ/(1-ρ) of a job', () => {
    expect(meanWaitSeconds({ threads: 1, perSecond: 5, meanSeconds: 0.1 })).toBeCloseTo(0.1)
  })
  it('is that of two: ρ²/(1-ρ²) of a job', () => {
    expect(meanWaitSeconds({ threads: 2, perSecond: 10, meanSeconds: 0.1 })).toBeCloseTo(
      (0.25 / 0.75) * 0.1,
    )
  })
  it('has no end when more comes than can be done', () => {
    expect(meanWaitSeconds({ threads: 2, perSecond: 20, meanSeconds: 0.1 })).toBeNull()
  })
})

type LookUps = {
  stat?: number
  limit?: number
  hits?: number
  evictions?: number
  entries?: number
  total?: number
}
/** 50 look-ups on disk a window. */
const lookUps = ({
  stat = 0.05,
  hits = 20,
  evictions = 0,
  entries = 10,
  limit = 16,
  total = stat,
}: LookUps = {}) =>
  unitsOf(4, {
    stages: { total: times(50 + hits, total), stat: times(50, stat) },
    counters: {
      ...{ requests: 50 + hits, cacheHits: hits, cacheMisses: 50, cacheEvictions: evictions },
    },
    gauges: { cacheEntries: entries, cacheEntriesLimit: limit },
  })

describe('look-ups that are slow and mostly not in the stat cache', () => {
  it('call for a longer time when the same paths are looked up again and again', () => {
    const advice = adviceOf(lookUps(), 'statCache')
    expect(advice).toMatchObject({
      title: 'The stat cache forgets too soon',
      change: { pointer: '/statCache/ttlMillis', now: null, times: 10 },
    })
    expect(advice?.arithmetic).toContain('In the cache: 80 of 280 look-ups = 28.6 %')
  })
  it('call for a larger cache when others are pushed out', () => {
    expect(adviceOf(lookUps({ evictions: 20, entries: 16 }), 'statCache')).toMatchObject({
      title: 'The stat cache is too small',
      change: { pointer: '/statCache/maxEntries', now: 16, times: 4 },
    })
  })
  it('have nothing to try with the largest cache that there may be', () => {
    const most = 10_000_000
    const advice = adviceOf(lookUps({ evictions: 20, entries: most, limit: most }), 'statCache')
    expect(advice).toMatchObject({ change: null })
    expect(advice?.whyNoChange).toMatch(/10000000 entries, the most/)
  })
  it.each([
    ['they are quick', lookUps({ stat: 0.004 })],
    ['most are in the cache', lookUps({ hits: 210, total: 0.01 })],
    ['they are a small part of the time', lookUps({ total: 1 })],
    ['each path is looked up for the first time', lookUps({ entries: 100 })],
    ['they are of two windows', lookUps().slice(0, 2)],
  ])('say nothing when %s', (_, units) => {
    expect(found(units)).toEqual([])
  })
})

type Sent = {
  write?: number
  bytes?: number
  read?: number
  total?: number
  count?: number
  client?: number
  network?: number
  again?: number
}
const sent = ({
  write = 2,
  bytes = 100_000,
  read = 0,
  total = write,
  count = 20,
  client = write,
  network = 0,
  again = 0,
}: Sent = {}) =>
  unitsOf(4, {
    stages: {
      ...{ total: times(count, total), write: times(count, write) },
      ...(client > 0 && { writeClient: times(count, client) }),
      ...(network > 0 && {
        ...{ writeNetwork: times(count, network), roundTrip: times(count, 0.08) },
      }),
      ...(read > 0 && { read: times(count, read) }),
    },
    counters: {
      ...{ requests: count, bytesSent: count * bytes },
      retransmittedBytes: again,
    },
    gauges: { readThreads: 8 },
  })

describe('responses that are sent slowly', () => {
  it('are the clients’ doing, and nothing in the config changes that', () => {
    expect(found(sent())).toEqual(['slowClients'])
    const advice = adviceOf(sent(), 'slowClients')
    expect(advice).toMatchObject({ change: null })
    expect(advice?.sentence).toContain('50 kB a second')
    expect(advice?.sentence).toContain('not this server and not the network')
    expect(figuresOf(sent({ network: 0.5 }), 'slowClients').get('clientShare')?.value).toBeCloseTo(
      0.8,
    )
  })
  it('are the network’s doing when that is what sockets wait for, and whether it loses packets', () => {
    const narrow = sent({ client: 0.1, network: 1.9 })
    expect(found(narrow)).toEqual(['slowNetwork'])
    const advice = adviceOf(narrow, 'slowNetwork')
    expect(advice?.sentence).toContain('hardly anything was sent again')
    expect(advice?.sentence).toContain('Neither clients nor this server')
    expect(advise(narrow).quiet.find(({ rule }) => rule === 'slowClients')?.why).toMatch(
      /95 % is for the network, not for clients/,
    )
    const lossy = sent({ client: 0.1, network: 1.9, again: 100_000 })
    expect(adviceOf(lossy, 'slowNetwork')?.sentence).toContain('5 % of the bytes were sent again')
  })
  it('are nobody’s that could be named when both have half of it', () => {
    const ofClients = sent({ client: 1.8, network: 0.2 }).slice(0, 2)
    const ofNetwork = sent({ client: 0.2, network: 1.8 }).slice(0, 2)
    const both = [...ofClients, ...ofNetwork]
    expect(found(both)).toEqual([])
    const whys = advise(both).quiet.filter(({ rule }) => /^slow/.test(rule))
    expect(whys.map(({ why }) => /50 %.*too even to name one/.test(why))).toEqual([true, true])
  })
  it('are not the clients’ doing when a rate of the config holds them up', () => {
    const paced = sent({ client: 0.2 })
    expect(found(paced)).toEqual([])
    const why = advise(paced).quiet.find(({ rule }) => rule === 'slowClients')?.why
    expect(why).toContain('a rate of the config does (connectionBytesPerSecond')
  })
  it('are nobody’s that is known when the node tells of no wait for a socket: it may be too old to', () => {
    const untold = sent({ client: 0 })
    expect(found(untold)).toEqual([])
    const whys = advise(untold).quiet.filter(({ rule }) => /^slow/.test(rule))
    expect(whys.map(({ why }) => /versions from before them.* is not known/.test(why))).toEqual([
      ...[true, true],
    ])
  })
  it.each([
    ['it takes no time that anybody notices', sent({ write: 0.05 })],
    ['they are large, and go at a good pace', sent({ bytes: 3_000_000 })],
    ['the disk is read meanwhile', sent({ read: 1 })],
    ['the time goes elsewhere', sent({ total: 8 })],
    ['they are few', sent({ count: 12 })],
  ])('say nothing when %s', (_, units) => {
    expect(found(units)).toEqual([])
  })
})

type Shaken = { full?: number; requests?: number; total?: number; count?: number }
const shaken = ({ count = 40, full = count, requests = count, total = 0.001 }: Shaken = {}) =>
  unitsOf(4, {
    stages: { total: times(requests, total), handshake: times(count, 0.002) },
    counters: {
      requests,
      tlsHandshakes: count,
      ...(full > 0 && { tlsFullHandshakes: full }),
    },
  })

describe('handshakes that resume nothing', () => {
  it('are told of when they take most of the time', () => {
    const figures = figuresOf(shaken(), 'handshakes')
    expect(figures.get('fullShare')).toMatchObject({ value: 1, atLeast: 0.9 })
    expect(figures.get('handshakeShare')?.value).toBeCloseTo(2 / 3)
  })
  it.each([
    ['a fifth of them resume', shaken({ full: 32 })],
    ['connections carry many requests', shaken({ requests: 100, total: 0.0001 })],
    ['requests take longer', shaken({ total: 0.01 })],
    ['they are few', shaken({ count: 20 })],
    ['the node is too old to count full ones', shaken({ full: 0 })],
  ])('say nothing when %s', (_, units) => {
    expect(found(units)).toEqual([])
  })
})

/** Of any stages, counters and gauges, those that make no sense together among them. */
function anyUnits(random: () => number): Unit[] {
  const seconds = () => 10 ** (random() * 8 - 6)
  const some = <T>(names: readonly string[], value: () => T) =>
    Object.fromEntries(names.filter(() => random() < 0.7).map((name) => [name, value()]))
  const count = () => (random() < 0.2 ? 0 : Math.floor(10 ** (random() * 6)))
  const calm = { stages: some(READ.stages, () => times(1 + Math.floor(random() * 60), seconds())) }
  const [counters, gauges] = [READ.counters, READ.gauges].map((names) => some(names, count))
  return Array.from({ length: Math.floor(random() * 6) }, () => {
    const [unit] = unitsOf(1, { ...calm, counters: counters ?? {}, gauges: gauges ?? {} })
    if (!unit) throw new Error('one was asked for')
    return unit
  })
}

/** As users of other advisers report it: nonsense of zeros, an answer that changes by itself, a value that is both too large and too small, what is there already. */
it('of whatever was measured, advice is whole: numbers are numbers and beyond their bounds, it is the same when asked again, and no value is spoken of twice', () => {
  const random = seededRandom(11)
  const spoken = new Set<Rule>()
  for (let i = 0; i < 3_000; i++) {
    const units = anyUnits(random)
    const { advice, quiet } = advise(units)
    expect(advise(units)).toEqual({ advice, quiet })
    expect(advice.length + quiet.length).toBe(5)
    const words = [
      ...quiet.map(({ why }) => why),
      ...advice.flatMap((one) => [one.sentence, ...one.arithmetic]),
    ]
    for (const line of words) expect(line).not.toMatch(/NaN|Infinity|undefined|null|-\d/)
    for (const { rule, figures, change, whyNoChange } of advice) {
      spoken.add(rule)
      for (const { name, value, low, high, atLeast, atMost } of figures) {
        expect(Number.isFinite(value) && value >= 0, `${rule} ${name} ${value}`).toBe(true)
        expect(low === null || (atLeast ?? low) <= low, `${rule} ${name}`).toBe(true)
        expect(high === null || high <= (atMost ?? high), `${rule} ${name}`).toBe(true)
      }
      expect(change === null).toBe(whyNoChange !== null)
      if (change?.now)
        expect(Math.min(change.most, change.now * change.times)).toBeGreaterThan(change.now)
    }
    const pointers = advice.flatMap(({ change }) => change?.pointer ?? [])
    expect(new Set(pointers).size).toBe(pointers.length)
  }
  expect([...spoken].sort()).toEqual([...RULES].sort())
})

it('windows in which nothing happened advise nothing', () => {
  expect(found(unitsOf(90, { stages: {} }))).toEqual([])
  expect(advise([]).quiet).toHaveLength(5)
})
