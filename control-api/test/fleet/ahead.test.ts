// SPDX-License-Identifier: MIT
// What nodes are to hold ahead, and how far they are.
import { describe, expect, it } from 'vitest'
import type { AheadStates, ReleaseVersion } from '../../src/agent-protocol/messages.gen.ts'
import { ReleasesAhead, type Wanted } from '../../src/fleet/ahead.ts'

const version = (name: string, number: number): ReleaseVersion => ({
  ...{ name, number, manifestSha256: `${name}-${number}` },
})
const states = (state: AheadStates[number]['state'], ...manifests: string[]): AheadStates =>
  manifests.map((manifestSha256) => ({ manifestSha256, state }))
const lists = (entries: Record<string, Record<string, ReleaseVersion[]>>): Map<string, Wanted> =>
  new Map(Object.entries(entries).map(([id, of]) => [id, new Map(Object.entries(of))]))

function open() {
  const woken: string[] = []
  let previewed: ReleaseVersion[] = []
  const ahead = new ReleasesAhead({
    wake: (nodeId) => woken.push(nodeId),
    previewed: () => previewed,
  })
  const preview = (...versions: ReleaseVersion[]) => {
    previewed = versions
  }
  return { ahead, woken, preview }
}

describe('releases ahead', () => {
  it('are told whole to who names others, and not before it is known which there are', () => {
    const { ahead, woken } = open()
    expect(ahead.newsFor('n1', states('held', 'www-7'))).toBeNull()
    ahead.set(lists({ r1: { n1: [version('www', 2)], n2: [] } }))
    expect(woken).toEqual(['n1', 'n2'])
    expect(ahead.newsFor('n1', [])).toEqual([version('www', 2)])
    expect(ahead.newsFor('n1', states('fetching', 'www-2'))).toBeNull()
    expect(ahead.newsFor('n2', [])).toBeNull()
    expect(ahead.newsFor('n3', states('held', 'www-2'))).toEqual([])
    ahead.set(lists({}))
    expect(ahead.newsFor('n1', states('held', 'www-2'))).toEqual([])
    expect(woken).toHaveLength(2)
  })

  it('of two rollouts are one list, of eight at most, those of the oldest', () => {
    const { ahead } = open()
    const many = Array.from({ length: 8 }, (_, i) => version('web', i + 1))
    ahead.set(lists({ r2: { n1: many }, r1: { n1: [version('www', 2), version('app', 3)] } }))
    expect(ahead.wantedBy('n1').map(({ manifestSha256 }) => manifestSha256)).toEqual([
      ...['app-3', 'web-1', 'web-2', 'web-3', 'web-4', 'web-5', 'web-6', 'www-2'],
    ])
    // What there is no room for is not waited for.
    const manifests = ahead.wantedBy('n1').map(({ manifestSha256 }) => manifestSha256)
    ahead.heard('n1', states('held', ...manifests))
    expect(ahead.stateOf('r2', 'n1')?.state).toBe('held')
  })

  it('have what a node shows by itself first', () => {
    const { ahead, preview } = open()
    const many = Array.from({ length: 8 }, (_, i) => version('web', i + 1))
    preview(version('www', 9), version('app', 1))
    ahead.set(lists({ r1: { n1: many } }))
    const names = ahead.wantedBy('n1').map(({ manifestSha256 }) => manifestSha256)
    expect(names).toHaveLength(8)
    expect(names).toContain('www-9')
    expect(names[0]).toBe('app-1')
    // What there was no room for is not waited for.
    ahead.heard('n1', states('held', ...names))
    expect(ahead.stateOf('r1', 'n1')?.state).toBe('held')
    expect(ahead.stateOfManifest('n1', 'www-9')?.state).toBe('held')
    expect(ahead.stateOfManifest('n1', 'web-8')).toBeNull()
  })

  it('are held when all are, and refused when none is under way and one was', () => {
    const { ahead } = open()
    ahead.set(lists({ r1: { n1: [version('app', 3), version('www', 2)] } }))
    expect(ahead.stateOf('r1', 'n1')).toBeNull()
    const state = (...said: AheadStates) => {
      ahead.heard('n1', said)
      return ahead.stateOf('r1', 'n1')
    }
    const [app, www] = ['app-3', 'www-2']
    const error = { code: 'resource_limit', message: 'no room' } as const
    const refused = { manifestSha256: www, state: 'refused', error } as const
    expect(state()).toMatchObject({ state: 'fetching' })
    expect(state(...states('held', app))).toMatchObject({ state: 'fetching' })
    expect(state(...states('fetching', app), refused)).toMatchObject({ state: 'fetching' })
    expect(state(...states('held', app), refused)).toMatchObject({ state: 'refused', error })
    expect(state(...states('held', app, www))).toMatchObject({ state: 'held', error: null })
    ahead.heard('n1', undefined)
    expect(ahead.stateOf('r1', 'n1')).toBeNull()
  })

  it('come further with each that is settled and with bytes, and with nothing else', () => {
    const { ahead } = open()
    ahead.set(lists({ r1: { n1: [version('www', 2)] } }))
    const bytes = (bytesDone: number) =>
      ahead.fetching('n1', {
        ...{ manifestSha256: 'www-2', files: 9, filesDone: 0, bytes: 9, bytesDone },
      })
    const steps = () => ahead.stateOf('r1', 'n1')?.steps
    ahead.heard('n1', states('fetching', 'www-2'))
    expect(steps()).toBe(0)
    for (const [bytesDone, expected] of [
      [1, 1],
      [1, 1],
      [5, 2],
      [0, 2],
      [1, 2],
      [6, 3],
    ] as const) {
      bytes(bytesDone)
      expect(steps()).toBe(expected)
    }
    ahead.heard('n1', states('held', 'www-2'))
    // Its process began anew: it is as far as it was.
    ahead.restarted('n1')
    expect(ahead.stateOf('r1', 'n1')?.state).toBe('fetching')
    ahead.heard('n1', states('held', 'www-2'))
    expect(steps()).toBe(4)
    ahead.waits('n1')
    expect(steps()).toBe(5)
    ahead.forget('n1')
    bytes(7)
    expect(ahead.stateOf('r1', 'n1')).toBeNull()
  })
})
