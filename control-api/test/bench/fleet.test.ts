// SPDX-License-Identifier: MIT
// The fleet itself, on a small scale: that it measures and leaves nothing, not how fast this machine is. Needs a release build.
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { measure, table } from './fleet.ts'

test('pushes to a fleet, restarts its control plane and loses nothing', {
  timeout: 240_000,
}, async () => {
  const within = tempDir()
  const size = { nodes: 12, rollouts: 2, seconds: 6, seed: 1, trouble: 50 }
  const measured = await measure({ ...size, within }, () => {})
  const of = (what: string) => Number(measured.get(what))
  expect(of('s until the last node acknowledged a push')).toBeGreaterThan(0)
  expect(measured.get('how it ended')).toMatch(/^succeeded/)
  expect(of('nodes back')).toBe(12)
  expect(of('messages turned away for load')).toBe(0)
  expect(of('windows lost before the restart') + of('windows lost since the restart')).toBe(0)
  // One refuses and one is two: the others have it.
  expect(of('of 10 willing, acknowledged beside trouble')).toBeGreaterThanOrEqual(10)
  expect(of('windows that nodes still keep')).toBeLessThanOrEqual(2)
  expect(of('messages refused because of clones')).toBeGreaterThan(0)
  for (const when of ['connected', 'after rollout 2', 'at the end']) {
    expect(of(`MiB of the control plane ${when}`)).toBeGreaterThan(0)
    expect(of(`MiB of the nodes ${when}`)).toBeGreaterThan(0)
  }
  expect(table([12], [measured]).at(-1)).toMatch(/^\| load of the machine \| [\d.]+ \|$/)
  expect(readdirSync(within)).toEqual([])
})
