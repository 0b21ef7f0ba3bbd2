// SPDX-License-Identifier: MIT
// What is known of backups. Their files are the keeper's.
import type { Kysely, Selectable } from 'kysely'
import type { Unit } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { BackupsTable } from '../../db/tables/backups.ts'
import type { Known } from './rules.ts'
import type { Backup } from './schema.ts'

export type BackupRow = Selectable<BackupsTable>
type Page = { before: string | undefined; limit: number }

/** Newest first. */
export async function listBackups(
  db: Kysely<Database>,
  { before, limit }: Page,
): Promise<BackupRow[]> {
  return await db
    .selectFrom('backups')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function findBackup(db: Kysely<Database>, id: string): Promise<BackupRow | undefined> {
  return await db.selectFrom('backups').selectAll().where('id', '=', id).executeTakeFirst()
}

/** All of them, newest first: retention keeps them few. */
export async function knownBackups(
  db: Kysely<Database>,
): Promise<(Known & { fileName: string })[]> {
  const rows = await db
    .selectFrom('backups')
    .select(['id', 'state', 'trigger', 'created_at_ms', 'file_name'])
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ created_at_ms, file_name, ...row }) => ({
    ...row,
    createdAtMs: created_at_ms,
    fileName: file_name,
  }))
}

export type NewBackup = Pick<
  BackupsTable,
  'id' | 'trigger' | 'file_name' | 'created_by' | 'created_at_ms'
>

export async function insertBackup(unit: Unit, backup: NewBackup): Promise<void> {
  await unit.trx
    .insertInto('backups')
    .values({ ...backup, state: 'running', reason: '' })
    .execute()
  await tell(unit, backup.id, 'started', backup.created_by)
}

type Ending = Pick<BackupsTable, 'ended_at_ms'> &
  (
    | ({ state: 'done' } & Pick<BackupsTable, 'size_bytes' | 'sha256' | 'epoch' | 'schema'>)
    | ({ state: 'failed' } & Pick<BackupsTable, 'reason'>)
  )

export async function endBackup(unit: Unit, id: string, ending: Ending): Promise<void> {
  await unit.trx.updateTable('backups').set(ending).where('id', '=', id).execute()
  const data = ending.state === 'failed' ? { reason: ending.reason } : { sha256: ending.sha256 }
  await unit.emit({ kind: 'backup', id, action: ending.state, data })
}

/** False: there was none. */
export async function deleteBackup(unit: Unit, id: string, actor: string | null): Promise<boolean> {
  const { numDeletedRows } = await unit.trx
    .deleteFrom('backups')
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await tell(unit, id, 'deleted', actor)
  return true
}

/** A file that lies there and is not known: a restored database is older than the newest backups. */
export async function adoptBackup(unit: Unit, row: BackupRow): Promise<void> {
  await unit.trx.insertInto('backups').values(row).execute()
  await tell(unit, row.id, 'found', null)
}

const tell = (unit: Unit, id: string, action: string, actor: string | null) =>
  unit.emit({ kind: 'backup', id, action, ...(actor && { actor }) })

const iso = (ms: number) => new Date(ms).toISOString()

export function viewBackup(row: BackupRow): Backup {
  return {
    id: row.id,
    state: row.state,
    trigger: row.trigger,
    fileName: row.file_name,
    createdBy: row.created_by,
    createdAt: iso(row.created_at_ms),
    endedAt: row.ended_at_ms === null ? null : iso(row.ended_at_ms),
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    epoch: row.epoch,
    schema: row.schema,
    reason: row.reason,
  }
}
