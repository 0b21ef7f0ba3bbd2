// SPDX-License-Identifier: MIT
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTimeOf } from './start-time.ts'

describe('a time to start in a zone with summer time', () => {
  beforeEach(() => {
    vi.stubEnv('TZ', 'Europe/Berlin')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test('that clocks skip is refused, not taken for another', () => {
    expect(startTimeOf('2027-03-28T02:30')).toEqual({
      ok: false,
      message: 'Clocks skip 02:30 on that day: choose an earlier or a later time.',
    })
    const before = { ok: true, at: '2027-03-28T00:59:00.000Z', note: null }
    expect(startTimeOf('2027-03-28T01:59')).toEqual(before)
    const after = { ok: true, at: '2027-03-28T01:00:00.000Z', note: null }
    expect(startTimeOf('2027-03-28T03:00')).toEqual(after)
  })

  test('that comes twice says which of the two is meant', () => {
    expect(startTimeOf('2027-10-31T02:30')).toEqual({
      ok: true,
      at: '2027-10-31T00:30:00.000Z',
      note: expect.stringMatching(/comes twice: the first one is meant, 00:30 UTC/),
    })
    expect(startTimeOf('2027-10-31T03:00')).toMatchObject({
      at: '2027-10-31T02:00:00.000Z',
      note: null,
    })
    expect(startTimeOf('2027-10-30T02:30')).toMatchObject({ note: null })
  })

  test('is none, or no time', () => {
    expect(startTimeOf('')).toEqual({ ok: true, at: null, note: null })
    expect(startTimeOf('soon')).toMatchObject({ ok: false })
  })
})
