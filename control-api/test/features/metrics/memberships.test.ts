// SPDX-License-Identifier: MIT
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { nextTurn } from '../../../src/base/slices.ts'
import { startMemberships } from '../../../src/features/metrics/memberships.ts'
import type { Membership } from '../../../src/metrics-store/roll-up.ts'

type Member = {
  id: string
  group: string
  running: { config: string; version: number; generation: number } | null
}

afterEach(() => vi.useRealTimers())

function started() {
  const listeners = new Set<() => void>()
  const members: Member[] = []
  const told: [string, Membership | null][][] = []
  const failures: unknown[] = []
  let failure: Error | null = null
  const memberships = startMemberships({
    members: async () => members,
    metrics: {
      setMemberships: async (of) => {
        if (failure) throw failure
        told.push(of)
      },
      onNewWindows: (listener) => {
        const listen = () => listener([])
        listeners.add(listen)
        return () => listeners.delete(listen)
      },
    },
    onError: (error) => failures.push(error),
  })
  onTestFinished(() => memberships.stop())
  /** What is told when it looks again. */
  const news = async () => {
    told.length = 0
    await memberships.look()
    return told.flat()
  }
  const failWith = (error: Error | null) => {
    failure = error
  }
  const report = () => {
    for (const listener of listeners) listener()
  }
  return { members, told, news, report, memberships, failures, failWith }
}

const running = (version: number, generation: number, config = 'site') => ({
  config,
  version,
  generation,
})
const of = (group: string, ...versions: [generation: number, sum: string][]): Membership => ({
  groups: [`group ${group}`],
  versions: versions.map(([generation, sum]) => ({ generation, sum })),
})

it('tells of each node its group and the versions that it ran last, and then only what is new', async () => {
  const { members, news } = started()
  const [a, b]: [Member, Member] = [
    { id: 'node_a', group: 'web', running: running(7, 3) },
    { id: 'node_b', group: 'default', running: null },
  ]
  members.push(a, b)
  expect(await news()).toEqual([
    ['node_a', of('web', [3, 'version site/7'])],
    ['node_b', of('default')],
  ])
  expect(await news()).toEqual([])
  a.running = running(8, 4)
  b.group = 'web'
  expect(await news()).toEqual([
    ['node_a', of('web', [3, 'version site/7'], [4, 'version site/8'])],
    ['node_b', of('web')],
  ])
  // Back to the one before, under a number of its own; and away.
  a.running = running(7, 5)
  expect(await news()).toMatchObject([['node_a', { versions: { length: 3 } }]])
  a.running = null
  expect(await news()).toEqual([])
})

it('keeps the last four versions of a node, and of one generation the last', async () => {
  const { members, news } = started()
  const node: Member = { id: 'node_a', group: 'web', running: null }
  members.push(node)
  for (let generation = 1; generation <= 6; generation++) {
    node.running = running(generation, generation)
    await news()
  }
  node.running = running(1, 6, 'other')
  expect(await news()).toEqual([
    [
      'node_a',
      of(
        'web',
        [3, 'version site/3'],
        [4, 'version site/4'],
        [5, 'version site/5'],
        [6, 'version other/1'],
      ),
    ],
  ])
})

it('tells of a node that is gone, once, and again what could not be told', async () => {
  const { members, news, failures, failWith } = started()
  members.push({ id: 'node_a', group: 'web', running: null })
  await news()
  members.length = 0
  failWith(new Error('the worker is starting'))
  await news()
  expect(failures).toHaveLength(1)
  failWith(null)
  expect(await news()).toEqual([['node_a', null]])
  expect(await news()).toEqual([])
})

it('takes no node for gone because another one went while it looked', async () => {
  const { members, news, told, memberships } = started()
  for (let i = 0; i < 3_000; i++) members.push({ id: `node_${i}`, group: 'web', running: null })
  await news()
  told.length = 0
  const looking = memberships.look()
  await nextTurn()
  members.shift()
  await looking
  expect(told.flat()).toEqual([])
  expect(await news()).toEqual([['node_0', null]])
})

it('looks by itself every ten seconds, and only when something was measured since', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { members, told, report, memberships } = started()
  members.push({ id: 'node_a', group: 'web', running: null })
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    // What it began is over before it ends.
    await memberships.stop()
  }
  vi.advanceTimersByTime(60_000)
  report()
  vi.advanceTimersByTime(9_000)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1_000)
  await expect.poll(() => told).toEqual([[['node_a', of('web')]]])
  await pass(60_000)
  expect(told).toHaveLength(1)
})
