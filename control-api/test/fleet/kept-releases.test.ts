// SPDX-License-Identifier: MIT
// Who still asks for old versions, of all nodes that say so.
import { describe, expect, it } from 'vitest'
import type { ReportRequest } from '../../src/agent-protocol/messages.gen.ts'
import { KeptReleases } from '../../src/fleet/kept-releases.ts'

type Kept = NonNullable<ReportRequest['keptReleases']>[number]
const NOW = 1_000_000
const kept = (number: number, requests: number, lastRequestMs: number | null): Kept => ({
  ...{ name: 'www', number, requests, lastRequestMs },
})
const report = (uptimeMs: number, serves: number | null, ...keptReleases: Kept[]) => {
  const releases = serves === null ? [] : [{ name: 'www', number: serves, manifestSha256: 'a' }]
  const digest = 'sha256:1'
  const effective = { ...{ generation: 1, digest, bootId: 'b', reloads: 0 }, releases }
  return { uptimeMs, effective, keptReleases }
}
const everybody = () => true

describe('kept releases', () => {
  it('are summed over all nodes, quiet since the last request or the latest start', () => {
    const all = new KeptReleases()
    all.heard('n1', report(900_000, 42, kept(41, 7, 500_000), kept(40, 0, null)), NOW)
    all.heard('n2', report(300_000, 42, kept(41, 2, 800_000), kept(40, 0, null)), NOW)
    all.heard('n3', report(900_000, 41), NOW)
    const { countingNodes, versionOf } = all.of('www', everybody)
    expect(countingNodes).toBe(3)
    expect(versionOf(41)).toEqual({
      ...{ servedByNodes: 1, keptByNodes: 2, requests: 9 },
      ...{ lastRequestMs: 800_000, quietSinceMs: 800_000 },
    })
    // The one that started last knows of no more than that.
    expect(versionOf(40)).toMatchObject({ requests: 0, lastRequestMs: null, quietSinceMs: 700_000 })
    expect(versionOf(42)).toMatchObject({ servedByNodes: 2, keptByNodes: 0, quietSinceMs: null })
    expect(versionOf(1)).toMatchObject({ servedByNodes: 0, keptByNodes: 0 })
    expect(all.of('other', everybody).versionOf(41)).toMatchObject({ keptByNodes: 0 })
  })

  it('of who is away, gone or does not count are not counted', () => {
    const all = new KeptReleases()
    for (const id of ['n1', 'n2', 'n3', 'n4'])
      all.heard(id, report(10, null, kept(41, 1, NOW - 1)), NOW)
    all.forget('n2')
    all.heard('n3', { ...report(10, null), keptReleases: undefined } as never, NOW)
    const { countingNodes, versionOf } = all.of('www', (id) => id !== 'n4')
    expect([countingNodes, versionOf(41).requests]).toEqual([1, 1])
  })

  it('were not asked for tomorrow, however a node’s clock goes', () => {
    const all = new KeptReleases()
    all.heard('n1', report(10, null, kept(41, 1, NOW + 90_000)), NOW)
    expect(all.of('www', everybody).versionOf(41).lastRequestMs).toBe(NOW)
  })
})
