// SPDX-License-Identifier: MIT
// Whole answers of the requests that two servers answer differently, as a report keeps them: what differs is seldom all that
// explains it. The console reads them (web-ui/src/features/configs/import/comparison/report-file.ts).
import { createHash } from 'node:crypto'
import type { Answer } from './ask.ts'
import type { Asked } from './compare.ts'

/** Fields in the order in which they are read; a body by its bytes as they were sent. */
export type ToldAnswer =
  | { status: number; headers: [name: string, value: string][]; bytes: number; sha256: string }
  | { unanswered: string }
/** `gzip`: of who takes it. */
export type ToldPair = { path: string; gzip: boolean; old: ToldAnswer; new: ToldAnswer }

/** So many requests have theirs; a report of more could not be opened. */
export const MOST_TOLD = 10_000
const MOST_HEADERS = 60
const LONGEST_VALUE = 1000

export function toldPair(path: string, gzip: boolean, before: Asked, after: Asked): ToldPair {
  return { path, gzip, old: toldAnswer(before), new: toldAnswer(after) }
}

function toldAnswer(asked: Asked): ToldAnswer {
  if (!('answer' in asked)) return { unanswered: asked.unanswered }
  const { status, headers, body } = asked.answer
  const sha256 = createHash('sha256').update(body).digest('hex')
  return { status, headers: toldHeaders(headers), bytes: body.length, sha256 }
}

function toldHeaders(headers: Answer['headers']): [string, string][] {
  return Object.entries(headers)
    .flatMap(([name, value]) => [value].flat().map((one = '') => ({ name, value: one })))
    .slice(0, MOST_HEADERS)
    .map(({ name, value }) => [name, cut(name === 'set-cookie' ? withoutSecret(value) : value)])
}

const cut = (text: string) =>
  text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text

/** A report goes to colleagues, and a cookie may be a session. */
const withoutSecret = (cookie: string) => cookie.replace(/^([^=;]*=)[^;]*/, '$1…')
