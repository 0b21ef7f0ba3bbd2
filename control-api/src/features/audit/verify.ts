// SPDX-License-Identifier: MIT
// Walks the chain from its first row and stops where a row is not as its hash says.
import { setImmediate as breathe } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type AuditRecord, genesisHash, hashOf, recordOf } from '../../audit/chain.ts'
import { newestEventId } from '../../audit/event-store.ts'
import type { Database } from '../../db/database.ts'
import { chainSlice } from './store.ts'

export type Verdict = {
  rows: number
  headId: number
  head: string
  /** null: whole, as far as the chain itself can tell. */
  broken: { at: number; reason: string } | null
}
type Link = { record: AuditRecord; hash: string }

/** Short enough that others are served between two slices. */
const SLICE_ROWS = 200

export function beginChain(controlPlaneId: string): Verdict {
  return { rows: 0, headId: 0, head: genesisHash(controlPlaneId), broken: null }
}

/** The verdict with one more link; what is broken stays so. */
export function follow(verdict: Verdict, { record, hash }: Link): Verdict {
  if (verdict.broken) return verdict
  const reason = faultOf(verdict, record, hash)
  if (reason) return { ...verdict, broken: { at: record.id, reason } }
  return { rows: verdict.rows + 1, headId: record.id, head: hash, broken: null }
}

function faultOf({ headId, head }: Verdict, record: AuditRecord, hash: string): string | null {
  const missing = record.id - headId - 1
  if (missing === 1) return `row ${record.id - 1} is missing`
  if (missing > 1) return `rows ${headId + 1} to ${record.id - 1} are missing`
  if (missing < 0) return 'it stands after a row with a higher id'
  if (hashOf({ ...record, previousHash: head }) === hash) return null
  return 'it is not as its hash says: it was changed, or stands where another row was'
}

type Options = {
  controlPlaneId: string
  /** Sees the verdict after each slice. */
  onProgress?: (verdict: Verdict) => void
  isStopped?: () => boolean
  /** Sees every hash: is one that was noted elsewhere among them? */
  onHash?: (id: number, hash: string) => void
}

/** As the table is when it begins; what is added meanwhile is for the next time. */
export async function verifyChain(db: Kysely<Database>, options: Options): Promise<Verdict> {
  const { controlPlaneId, onProgress, isStopped, onHash } = options
  const newest = await newestEventId(db)
  let verdict = beginChain(controlPlaneId)
  for (let after = 0; after < newest; after += SLICE_ROWS) {
    if (isStopped?.()) break
    for (const row of await chainSlice(db, { after, ids: SLICE_ROWS })) {
      verdict = followRow(verdict, row)
      if (!verdict.broken) onHash?.(row.id, row.hash)
    }
    if (verdict.broken) break
    onProgress?.(verdict)
    await breathe()
  }
  return verdict
}

function followRow(verdict: Verdict, row: Parameters<typeof recordOf>[0] & { hash: string }) {
  try {
    return follow(verdict, { record: recordOf(row, verdict.head), hash: row.hash })
  } catch {
    // A time that is none, or details that are no JSON: we never wrote those.
    const broken = { at: row.id, reason: 'it is not readable: it was changed' }
    return verdict.broken ? verdict : { ...verdict, broken }
  }
}
