// SPDX-License-Identifier: MIT

/** `note`: what one might have meant otherwise. */
import { t } from '../../languages/t.ts'

type StartTime =
  | { ok: true; at: string | null; note: string | null }
  | { ok: false; message: string }

/** Of a field of the kind datetime-local, which has no time zone: the browser's. null: at once. */
export function startTimeOf(text: string): StartTime {
  if (text === '') return { ok: true, at: null, note: null }
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) {
    return { ok: false, message: t('Enter a date and a time, or leave it empty.') }
  }
  const wanted = Date.parse(`${text}Z`)
  // The browser's clock is put forward there; Date makes another time of it without a word.
  if (wallClock(at) !== wanted) {
    return {
      ok: false,
      message: t('Clocks skip {words} on that day: choose an earlier or a later time.', {
        words: text.slice(11),
      }),
    }
  }
  return { ok: true, at: at.toISOString(), note: comesAgain(at, wanted) ? firstOf(at) : null }
}

/** What a clock on the wall shows, as if it were UTC. */
const wallClock = (at: Date) => at.getTime() - offsetMs(at)
const offsetMs = (at: Date) => at.getTimezoneOffset() * 60_000

const DAY_MS = 86_400_000

/** Where clocks are put back the same hour comes twice; Date takes the first. */
function comesAgain(at: Date, wanted: number): boolean {
  const later = new Date(wanted + offsetMs(new Date(at.getTime() + DAY_MS)))
  return later > at && wallClock(later) === wanted
}

const firstOf = (at: Date) =>
  t('Clocks are put back then, and this time comes twice: the first one is meant, {at} UTC.', {
    at: at.toISOString().slice(11, 16),
  })
