// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import {
  isDue,
  judgeBackups,
  type Known,
  superfluous,
} from '../../../src/features/backups/rules.ts'

const HOUR_MS = 3600_000

describe('the rules of backups', () => {
  const known = (
    state: Known['state'],
    hoursAgo: number,
    trigger: Known['trigger'] = 'schedule',
  ) => ({
    id: `${state}${hoursAgo}`,
    state,
    trigger,
    createdAtMs: -hoursAgo * HOUR_MS,
  })

  test.each<[string, Known[], number, boolean]>([
    ['never by itself', [], 0, false],
    ['the first at once', [], 24, true],
    ['not before its time', [known('done', 23)], 24, false],
    ['at its time', [known('done', 24)], 24, true],
    ['one made by hand counts', [known('done', 2, 'manual'), known('done', 30)], 24, false],
    ['none beside one that runs', [known('running', 1), known('done', 30)], 24, false],
    ['a failed one soon again', [known('failed', 0.2), known('done', 30)], 24, true],
    ['but not at once', [known('failed', 0.1), known('done', 30)], 24, false],
    ['a failure by hand does not delay', [known('failed', 0.1, 'manual')], 24, true],
  ])('a backup is due: %s', (_, backups, everyHours, due) => {
    expect(isDue(backups, everyHours, 0)).toBe(due)
  })

  test('keep the newest good ones, and failures for a while', () => {
    const backups = [known('failed', 1), known('done', 2), known('done', 3), known('done', 4)]
    expect(superfluous(backups, 2).map(({ id }) => id)).toEqual(['done4'])
    expect(superfluous(backups, 3)).toEqual([])
    const failures = Array.from({ length: 25 }, (_, i) => known('failed', i))
    expect(superfluous([...failures, known('done', 99)], 1)).toEqual(failures.slice(20))
  })

  test.each<[Known[], boolean, RegExp]>([
    [[], true, /none yet/],
    [[known('done', 20)], true, /20 h old/],
    [[known('running', 0), known('done', 20)], true, /20 h old/],
    [[known('done', 40)], false, /40 h old/],
    [[known('failed', 1), known('done', 20)], false, /20 h old, and the last attempt failed/],
  ])('say whether all is well: %j', (backups, ok, message) => {
    const verdict = judgeBackups(backups, { everyHours: 24, sinceMs: -HOUR_MS, nowMs: 0 })
    expect(verdict).toEqual({ ok, message: expect.stringMatching(message) })
  })

  test('miss the first one when the service has run for long without', () => {
    const at = { everyHours: 24, sinceMs: -40 * HOUR_MS, nowMs: 0 }
    expect(judgeBackups([], at).ok).toBe(false)
  })
})
