// SPDX-License-Identifier: MIT
// What a killed run left in memory goes with the next one, and nothing else does.
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from './helper.ts'
import { removeLeft } from './quick-folder.ts'

const DAY_MS = 24 * 3600 * 1000

test('folders of tests that nobody has touched for a day are removed', () => {
  const folder = tempDir()
  const nowMs = Date.now()
  const make = (name: string, agoMs: number) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'control.db'), 'x')
    utimesSync(join(folder, name), new Date(nowMs - agoMs), new Date(nowMs - agoMs))
  }
  make('farmstead-test-left', DAY_MS + 60_000)
  make('farmstead-test-used', DAY_MS - 60_000)
  make('of-somebody-else', 2 * DAY_MS)
  removeLeft(folder, nowMs)
  expect(readdirSync(folder).toSorted()).toEqual(['farmstead-test-used', 'of-somebody-else'])
})
