// SPDX-License-Identifier: MIT
// The audit as a file, read slice by slice as fast as the reader takes it.
import type { Kysely } from 'kysely'
import { type AuditRecord, genesisHash, recordOf } from '../../audit/chain.ts'
import { newestEventId } from '../../audit/event-store.ts'
import { nextTurn } from '../../base/slices.ts'
import type { Database } from '../../db/database.ts'
import type { AuditFilter } from './schema.ts'
import { chainSlice } from './store.ts'

export type Format = 'ndjson' | 'csv'
export type ExportLine = AuditRecord & { hash: string }
type Exporting = { format: Format; filter: AuditFilter; controlPlaneId: string }

const SLICE_ROWS = 200

export const contentTypes: Record<Format, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** In the order of the chain, up to the newest row there is when it begins. */
export async function* exportAudit(
  db: Kysely<Database>,
  { format, filter, controlPlaneId }: Exporting,
): AsyncGenerator<string> {
  const newest = await newestEventId(db)
  if (format === 'csv') yield csvLine(COLUMNS)
  for (let after = 0; after < newest; after += SLICE_ROWS) {
    const ids = Math.min(SLICE_ROWS, newest - after)
    const lines = (await chainSlice(db, { after, ids }, filter)).map((row) => {
      const record = recordOf(row, row.previous_hash ?? genesisHash(controlPlaneId))
      return lineOf[format]({ ...record, hash: row.hash })
    })
    if (lines.length > 0) yield lines.join('')
    // Others have theirs also while the reader takes all at once, or nothing is found.
    await nextTurn()
  }
}

const COLUMNS = [
  'id',
  'at',
  'kind',
  'object',
  'action',
  'actor',
  'via',
  'tokenId',
  'requestId',
  'address',
  'data',
  'previousHash',
  'hash',
] as const

const lineOf: Record<Format, (line: ExportLine) => string> = {
  ndjson: (line) => `${JSON.stringify(line)}\n`,
  csv: (line) => {
    const cells = { ...line, data: JSON.stringify(line.data) }
    return csvLine(COLUMNS.map((name) => String(cells[name] ?? '')))
  },
}

const csvLine = (cells: readonly string[]) => `${cells.map(csvCell).join(',')}\r\n`

/** A spreadsheet takes a cell that begins so for a formula, whoever chose the name in it. */
const FORMULA = /^[=+\-@\t\r]/

function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}
