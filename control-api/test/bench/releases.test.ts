// SPDX-License-Identifier: MIT
// The bench itself, on a small scale: that it measures and leaves nothing, not how fast this machine is. Needs a release build.
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { measure, table } from './releases.ts'

test('brings versions to a node and takes it back under visits', { timeout: 240_000 }, async () => {
  const within = tempDir()
  const size = { nodes: 1, files: 40, bytes: 2 ** 20, seconds: 1, manifestFiles: 1000 }
  const measured = await measure({ ...size, within, say: () => {} })
  const { rows, steps } = measured
  const troubles = rows.flatMap(({ ended, seen }) => [
    ended ?? 'succeeded',
    ...(seen?.failed ?? []),
  ])
  expect(new Set(troubles)).toEqual(new Set(['succeeded']))
  const [pushed, fetched, , , changed, back] = rows.map(({ sentBytes }) => sentBytes)
  expect(Number(pushed)).toBeGreaterThan(0.9 * size.bytes)
  expect(Number(fetched)).toBeGreaterThan(Number(pushed))
  expect(Number(changed)).toBeGreaterThan(0)
  expect(back).toBe(0)
  for (const { seconds, serviceBytes } of [...rows, ...steps]) {
    expect(Math.min(seconds, serviceBytes)).toBeGreaterThan(0)
  }
  for (const { seen } of rows.slice(3)) expect(seen?.ms.length).toBeGreaterThan(0)
  expect(table(measured).filter((line) => line.startsWith('|'))).toHaveLength(
    rows.length + steps.length + 4,
  )
  expect(readdirSync(within)).toEqual([])
})
