// SPDX-License-Identifier: MIT

type StartTime = { ok: true; at: string | null } | { ok: false; message: string }

/** Of a field of the kind datetime-local, which has no time zone: the browser's. null: at once. */
export function startTimeOf(text: string): StartTime {
  if (text === '') return { ok: true, at: null }
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) {
    return { ok: false, message: 'Enter a date and a time, or leave it empty.' }
  }
  return { ok: true, at: at.toISOString() }
}
