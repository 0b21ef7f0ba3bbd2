// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { rollout } from '../test/samples.ts'
import { versionBefore } from './way-back.ts'

test.each([
  [{ state: 'succeeded', version: 3, previousVersion: 2 }, 2],
  [{ state: 'frozen', version: 3, previousVersion: 2 }, 2],
  // A way back was gone already: forward again is a way, too.
  [{ state: 'succeeded', version: 2, previousVersion: 3 }, 3],
  [{ state: 'running', version: 3, previousVersion: 2 }, null],
  [{ state: 'reverted', version: 3, previousVersion: 2 }, null],
  [{ state: 'succeeded', version: 3, previousVersion: null }, null],
  [{ state: 'succeeded', version: 3, previousVersion: 3 }, null],
  [{ state: 'succeeded', version: 3, previousVersion: 2, namesNodes: true }, null],
] as const)('of %o it leads to %o', (change, version) => {
  expect(versionBefore(rollout(change))).toBe(version)
})
