// SPDX-License-Identifier: MIT
import { describe, expect, it, test } from 'vitest'
import type { Day } from '../../../src/features/rollout-rules/schema.ts'
import { isTimeZone, whyClosed } from '../../../src/features/rollout-rules/windows.ts'

const ALL: Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
type Window = [days: Day[], from: string, to: string]
const rules = (timeZone: string, ...windows: Window[]) => ({
  timeZone,
  windows: windows.map(([days, from, to]) => ({ days, from, to })),
})
const isOpen = (of: ReturnType<typeof rules>, at: string) => whyClosed(of, Date.parse(at)) === null

test('without windows it is always open', () => {
  expect(whyClosed(rules('UTC'), 0)).toBeNull()
})

test.each<[string, boolean]>([
  // 2026-11-23 is a Monday; Berlin is an hour ahead of UTC.
  ['2026-11-23T20:59:59Z', false],
  ['2026-11-23T21:00:00Z', true],
  ['2026-11-24T02:59:59Z', true],
  ['2026-11-24T03:00:00Z', false],
  ['2026-11-24T21:00:00Z', false],
])('a window over midnight belongs to the day it begins on: at %s %s', (at, expected) => {
  expect(isOpen(rules('Europe/Berlin', [['mon'], '22:00', '04:00']), at)).toBe(expected)
})

test('a window from a time to the same time is a day long', () => {
  const day = rules('UTC', [['mon'], '12:00', '12:00'])
  expect(isOpen(day, '2026-11-24T11:59:00Z')).toBe(true)
  expect(isOpen(day, '2026-11-24T12:00:00Z')).toBe(false)
})

describe('where clocks are put forward', () => {
  // Berlin, 2027-03-28: 02:00 is 03:00 at 01:00 UTC.
  it('a window within the hour that is skipped does not come', () => {
    const skipped = rules('Europe/Berlin', [ALL, '02:15', '02:45'])
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      const atMs = Date.parse('2027-03-28T00:00:00+01:00') + minute * 60_000
      if (atMs >= Date.parse('2027-03-29T00:00:00+02:00')) break
      expect(whyClosed(skipped, atMs)).not.toBeNull()
    }
    expect(whyClosed(skipped, Date.parse('2027-03-28T00:30:00Z'))).toContain(
      'Mon 2027-03-29 02:15 (Europe/Berlin)',
    )
  })

  it('a window around it is an hour shorter', () => {
    const around = rules('Europe/Berlin', [ALL, '01:00', '04:00'])
    expect(isOpen(around, '2027-03-28T00:00:00Z')).toBe(true)
    expect(isOpen(around, '2027-03-28T01:59:00Z')).toBe(true)
    expect(isOpen(around, '2027-03-28T02:00:00Z')).toBe(false)
  })
})

test('where clocks are put back, a window within the hour that comes twice is open twice', () => {
  // Berlin, 2026-10-25: 03:00 is 02:00 at 01:00 UTC.
  const twice = rules('Europe/Berlin', [ALL, '02:15', '02:45'])
  expect(isOpen(twice, '2026-10-25T00:30:00Z')).toBe(true)
  expect(isOpen(twice, '2026-10-25T00:50:00Z')).toBe(false)
  expect(isOpen(twice, '2026-10-25T01:30:00Z')).toBe(true)
})

test.each([
  ['later that day', '2026-11-23T10:00:00Z', 'Mon 2026-11-23 22:00'],
  ['on another day', '2026-11-24T10:00:00Z', 'Thu 2026-11-26 06:30'],
  ['next week', '2026-11-26T10:00:00Z', 'Mon 2026-11-30 22:00'],
])('when it is closed, the next opening is told: %s', (_, at, opening) => {
  const two = rules('Europe/Berlin', [['mon'], '22:00', '23:00'], [['thu'], '06:30', '07:00'])
  expect(whyClosed(two, Date.parse(at))).toBe(
    `No change window is open: the next opens ${opening} (Europe/Berlin).`,
  )
})

test.each([
  // Berlin is put forward on 2027-03-28, a Sunday: after 01:59 comes 03:00.
  ['Europe/Berlin', ['sun', '02:00', '06:00'], '2027-03-27T12:00:00Z', 'Sun 2027-03-28 03:00'],
  ['Europe/Berlin', ['sun', '02:15', '02:45'], '2027-03-27T12:00:00Z', 'Sun 2027-04-04 02:15'],
  ['Europe/Berlin', ['sun', '02:30', '02:30'], '2027-03-28T00:30:00Z', 'Sun 2027-03-28 03:00'],
  // Beirut skips the first hour of 2026-03-29, a Sunday.
  ['Asia/Beirut', ['sun', '00:00', '04:00'], '2026-03-28T12:00:00Z', 'Sun 2026-03-29 01:00'],
  // Berlin is put back on 2026-10-25, a Sunday: after 02:59 comes 02:00, at 01:00 UTC.
  ['Europe/Berlin', ['sun', '02:15', '02:45'], '2026-10-25T00:50:00Z', 'Sun 2026-10-25 02:15'],
  ['Europe/Berlin', ['sun', '01:00', '02:30'], '2026-10-25T00:50:00Z', 'Sun 2026-10-25 02:00'],
  ['Europe/Berlin', ['sun', '02:15', '02:45'], '2026-10-25T01:50:00Z', 'Sun 2026-11-01 02:15'],
] as [string, [Day, string, string], string, string][])(
  'in %s, where clocks are put, a window %s closed at %s opens next %s',
  (timeZone, [day, from, to], at, opening) => {
    const closed = whyClosed(rules(timeZone, [[day], from, to]), Date.parse(at))
    expect(closed).toBe(`No change window is open: the next opens ${opening} (${timeZone}).`)
  },
)

test('the opening that is told is the first minute that is open, in every zone and season', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'UTC']
  const windows = rules('', [['sun'], '02:30', '03:10'], [['wed'], '23:30', '00:30']).windows
  const aroundChanges = ['2027-03-10', '2027-03-27', '2027-04-01', '2027-10-27', '2027-11-05'].map(
    (day) => Date.parse(`${day}T11:17:00Z`),
  )
  for (const timeZone of zones) {
    for (const now of aroundChanges) {
      const said = whyClosed({ timeZone, windows }, now)
      if (said === null) continue
      let at = now
      while (whyClosed({ timeZone, windows }, at) !== null) at += 600_000
      const shown = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(at)
      expect(said, `${timeZone} ${new Date(now).toISOString()}`).toContain(shown)
    }
  }
})

test.each([
  ['Asia/Kathmandu', '2026-11-23T16:15:00Z', true],
  ['Asia/Kathmandu', '2026-11-23T16:14:00Z', false],
  ['America/Los_Angeles', '2026-11-24T06:00:00Z', true],
])('the clocks are those of %s: at %s %s', (timeZone, at, expected) => {
  expect(isOpen(rules(timeZone, [['mon'], '22:00', '23:00']), at)).toBe(expected)
})

test('names of time zones are known, or are not', () => {
  expect(['UTC', 'Europe/Berlin', 'Mars/Olympus'].map(isTimeZone)).toEqual([true, true, false])
})
