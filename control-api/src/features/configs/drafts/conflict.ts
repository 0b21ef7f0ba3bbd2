// SPDX-License-Identifier: MIT
// Somebody was faster with the draft: what changed meanwhile, by whom, and what both texts come to.
import { isDeepStrictEqual } from 'node:util'
import { namedBy } from '../../../http/etags.ts'
import { etagOf } from '../../../http/preconditions.ts'
import type { JsonValue } from '../../../json/values.ts'
import { type Change, diffValues } from '../diff/diff.ts'
import type { SchemaNode } from '../text/schema-walk.ts'
import { keysOf, parseConfigText } from '../text/text.ts'
import { type Merged, mergeTexts } from './merge.ts'
import type { DraftRevision } from './store.ts'

export type ChangeMeanwhile = Change & { by: string | null; at: string }
export type DraftConflict = {
  /** What the request's ETag named; null: too old to be known, and then nothing below is. */
  base: { text: string; etag: string } | null
  /** null: one of the two texts is not JSON, as texts are while one types. */
  changes: ChangeMeanwhile[] | null
  moreChanges: number
  merged: Merged | null
}

/** Who changed what is read from the texts in between; beyond this the last author answers for all. */
const MAX_ATTRIBUTED_LENGTH = 512 * 1024

const UNKNOWN: DraftConflict = { base: null, changes: null, moreChanges: 0, merged: null }

/** The revision a request began on, of the ETags that its If-Match names. */
export function revisionIn(ifMatch: string): number {
  const named = namedBy(ifMatch) ?? []
  if (named === 'any') return 0
  return Number(named.find((one) => /^\d{1,15}$/.test(one)) ?? 0)
}

/** `revisions` from the one the request began on to the newest. `mine` null: it was not about a text. */
export function explainConflict(
  revisions: readonly DraftRevision[],
  mine: string | null,
  schema: SchemaNode,
): DraftConflict {
  const [base, current] = [revisions[0], revisions.at(-1)]
  if (!base || !current) return UNKNOWN
  const [before, after] = [readJson(base.text), readJson(current.text)]
  const known = before !== undefined && after !== undefined
  const { changes, moreChanges } = known
    ? diffValues(before, after, schema)
    : { changes: null, moreChanges: 0 }
  return {
    base: { text: base.text, etag: etagOf(base.revision) },
    changes: changes && attributed(changes, revisions),
    moreChanges,
    merged:
      mine === null
        ? null
        : mergeTexts(base.text, mine, current.text, {
            mine: 'your text',
            current: nameOf(current),
          }),
  }
}

const nameOf = ({ author }: DraftRevision) => (author === null ? 'their text' : `${author}’s text`)

function readJson(text: string): JsonValue | undefined {
  const parsed = parseConfigText(text)
  return parsed.ok ? parsed.value : undefined
}

type State = { revision: DraftRevision; value: JsonValue }

/** The last who left a place otherwise than they had found it changed it. */
function attributed(
  changes: readonly Change[],
  revisions: readonly DraftRevision[],
): ChangeMeanwhile[] {
  const states = statesByAuthor(revisions)
  return changes.map((change) => {
    const keys = keysOf(change.pointer)
    const last = states.findLastIndex(
      (state, i) =>
        i > 0 && !isDeepStrictEqual(at(state.value, keys), at(states[i - 1]?.value, keys)),
    )
    const revision = (states[last] ?? states.at(-1))?.revision
    return {
      ...change,
      by: revision?.author ?? null,
      at: new Date(revision?.at_ms ?? 0).toISOString(),
    }
  })
}

/** The base, and how each author in turn left the draft; what is not JSON is told with the next that is. */
function statesByAuthor(revisions: readonly DraftRevision[]): State[] {
  const left = revisions.filter(
    ({ author }, i) => i === 0 || author !== revisions[i + 1]?.author || i === revisions.length - 1,
  )
  const [base, ...later] = left
  let length = 0
  const recent = later.toReversed().filter(({ text }, i) => {
    length += text.length
    return i === 0 || length <= MAX_ATTRIBUTED_LENGTH
  })
  return [base, ...recent.reverse()].flatMap((revision) => {
    const value = revision && readJson(revision.text)
    return revision && value !== undefined ? [{ revision, value }] : []
  })
}

const at = (value: JsonValue | undefined, keys: readonly string[]): JsonValue | undefined =>
  keys.reduce<JsonValue | undefined>((here, key) => {
    if (typeof here !== 'object' || here === null) return undefined
    if (Array.isArray(here)) return here[Number(key)]
    return Object.hasOwn(here, key) ? here[key] : undefined
  }, value)
