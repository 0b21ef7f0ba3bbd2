// SPDX-License-Identifier: MIT
// `admin verify-audit`: the chain in the database, or in a file that was exported from it.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { ExportLine } from '../features/audit/export.ts'
import { follow, type Verdict, verifyChain } from '../features/audit/verify.ts'
import type { Services } from '../process/services.ts'

export type Verified = {
  ok: boolean
  rows: number
  headId: number
  head: string
  brokenAt: number | null
  reason: string | null
  /** The row that has the head that was noted; null: none has. Left out: none was given. */
  notedRow?: number | null
}

/** `noted`: a head from elsewhere, which must be in the chain. */
export async function verifyDatabase(
  { db, controlPlaneId }: Services,
  noted: string | undefined,
): Promise<Verified> {
  const find = finder(noted)
  const verdict = await verifyChain(db, { controlPlaneId, onHash: find.look })
  return outcome(verdict, find.found())
}

export async function verifyFile(path: string, noted: string | undefined): Promise<Verified> {
  const find = finder(noted)
  const lines = createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  let verdict: Verdict | null = null
  let number = 0
  for await (const line of lines) {
    number += 1
    const { hash, ...record } = parseLine(line, number)
    // An export may begin anywhere: its first line says what it follows.
    verdict ??= { rows: 0, headId: record.id - 1, head: record.previousHash, broken: null }
    verdict = follow(verdict, { record, hash })
    if (verdict.broken) break
    find.look(record.id, hash)
  }
  lines.close()
  return outcome(verdict ?? { rows: 0, headId: 0, head: '', broken: null }, find.found())
}

function parseLine(line: string, number: number): ExportLine {
  try {
    const parsed: unknown = JSON.parse(line)
    if (typeof parsed === 'object' && parsed !== null && 'id' in parsed && 'hash' in parsed) {
      return parsed as ExportLine
    }
  } catch {
    // Said below, as for JSON that is no entry.
  }
  throw new Error(
    `Line ${number} is no entry of an audit. Export it as NDJSON: GET /api/v1/audit/export?format=ndjson.`,
  )
}

function finder(noted: string | undefined) {
  let row: number | null = null
  return {
    look: (id: number, hash: string) => {
      if (hash === noted) row = id
    },
    found: () => (noted === undefined ? {} : { notedRow: row }),
  }
}

function outcome(verdict: Verdict, noted: { notedRow?: number | null }): Verified {
  const { rows, headId, head, broken } = verdict
  return {
    ok: broken === null && noted.notedRow !== null,
    rows,
    headId,
    head,
    brokenAt: broken?.at ?? null,
    reason: broken?.reason ?? null,
    ...noted,
  }
}

export function describeVerified({ rows, headId, head, ...found }: Verified): string[] {
  const lines =
    found.brokenAt === null
      ? [`Whole: ${rows} rows, each as its hash says.`, `Head: row ${headId}, ${head}`]
      : [`Broken at row ${found.brokenAt}: ${found.reason}. ${rows} rows before it are whole.`]
  if (found.notedRow === undefined) {
    return [...lines, 'A tail that was cut off shows only against a head noted elsewhere: --head.']
  }
  const noted =
    found.notedRow === null
      ? 'The noted head is not in it: rows were cut off its end, or all of it was made anew.'
      : `The noted head is row ${found.notedRow}.`
  return [...lines, noted]
}
