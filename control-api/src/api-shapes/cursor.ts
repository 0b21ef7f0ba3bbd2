// SPDX-License-Identifier: MIT
// Where a page of a list ends. A cursor is opaque to who gets it: the list's name and the sort key of
// the last row. So a page costs the same wherever it begins, and rows that come or go in between
// neither shift nor repeat the others. What a client sends back is data like any other, and checked.
import { defineError } from './errors.ts'

type Parts = { text: string; integer: number }
type Kind = keyof Parts
type KeyOf<Kinds extends readonly Kind[]> = { -readonly [I in keyof Kinds]: Parts[Kinds[I]] }

export type Page<Row> = { rows: Row[]; nextCursor: string | null }
export type Cursor<Key> = {
  /** The key after which the page begins; undefined: at the start. Throws InvalidCursor. */
  read(cursor: string | undefined): Key | undefined
  /** For a page that ends elsewhere than after its last row. */
  write(key: Key): string
  /** Of `limit + 1` rows: a row too many is how one knows that there is more. */
  page<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Key): Page<Row>
}

export const InvalidCursor = defineError(
  400,
  'invalid_cursor',
  'The cursor is not of this list',
  () =>
    'Pass the "nextCursor" of the page before as "cursor", unchanged, to the same list; leave it out to begin at the start.',
)

/** `kinds`: what the list is sorted by, such as a name, or a time and an id. */
export function defineCursor<const Kinds extends readonly Kind[]>(
  list: string,
  ...kinds: Kinds
): Cursor<KeyOf<Kinds>> {
  const write = (key: readonly (string | number)[]) =>
    Buffer.from(JSON.stringify([list, ...key]), 'utf8').toString('base64url')
  return {
    write,
    read(cursor) {
      if (cursor === undefined) return undefined
      const [name, ...key] = partsOf(cursor)
      const fits =
        name === list && key.length === kinds.length && kinds.every((kind, i) => is(kind, key[i]))
      if (!fits) throw new InvalidCursor()
      return key as KeyOf<Kinds>
    },
    page(rows, limit, keyOf) {
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return { rows: shown, nextCursor: last === undefined ? null : write(keyOf(last)) }
    },
  }
}

const is = (kind: Kind, part: unknown) =>
  kind === 'text' ? typeof part === 'string' : Number.isSafeInteger(part)

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
