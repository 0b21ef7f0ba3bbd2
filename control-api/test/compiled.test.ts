// SPDX-License-Identifier: MIT
// What nobody compiles any more does not stay for ever.
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeOldCompiled } from './compiled.ts'
import { tempDir } from './helper.ts'

const DAY_MS = 24 * 3600 * 1000

test('what was compiled more than three days ago is removed', () => {
  const folder = tempDir()
  const nowMs = Date.now()
  const ofNode = join(folder, 'v24')
  mkdirSync(ofNode)
  const make = (name: string, agoMs: number) => {
    writeFileSync(join(ofNode, name), 'x')
    utimesSync(join(ofNode, name), new Date(nowMs - agoMs), new Date(nowMs - agoMs))
  }
  make('old', 3 * DAY_MS + 60_000)
  make('young', 3 * DAY_MS - 60_000)
  removeOldCompiled(folder, nowMs)
  expect(readdirSync(ofNode)).toEqual(['young'])
})

test('where nothing was compiled yet, nothing is missed', () => {
  expect(() => removeOldCompiled(join(tempDir(), 'none'))).not.toThrow()
})
