// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { withSites } from '../../src/metrics-store/site-reports.ts'
import type { PlacedWindow } from '../../src/metrics-store/windows.ts'

const windowOf = (seq: number, sites?: { digest: string; counts: number[][] }): PlacedWindow => ({
  ...{ seq, endedAtMs: seq, durationMs: 5_000 },
  series: [{ generation: 1, counters: {}, stages: {}, ...(sites && { sites }) }],
})

describe('what reports say of sites', () => {
  it('costs no copy where nothing is said of any', async () => {
    const windows = [windowOf(1), windowOf(2)]
    const placed = await withSites('node_a', windows, async () => {
      throw new Error('nothing was said of sites')
    })
    expect(placed).toBe(windows)
  })

  it('is under its version, and of one that nobody knows nothing is left', async () => {
    const told = (digest: string) => ({ digest, counts: [[0, 1, 2]] })
    const windows = [windowOf(1), windowOf(2, told('known')), windowOf(3, told('other'))]
    const placed = await withSites('node_a', windows, async ({ digest }) =>
      digest === 'known' ? 'version 7' : null,
    )
    expect(placed[0]).toBe(windows[0])
    expect(placed[1]?.sites).toEqual([{ sum: 'version 7', rows: [[0, 1, 2]] }])
    expect(placed[2]).not.toHaveProperty('sites')
    for (const { series } of placed) expect(series[0]).not.toHaveProperty('sites')
  })
})
