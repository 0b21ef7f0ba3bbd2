// SPDX-License-Identifier: MIT
import type { BackupState, BackupTrigger } from '../../api-shapes/states.ts'

export type BackupsTable = {
  id: string
  state: BackupState
  trigger: BackupTrigger
  /** In FARMSTEAD_BACKUP_DIR. */
  file_name: string
  /** null: the schedule. */
  created_by: string | null
  created_at_ms: number
  ended_at_ms: number | null
  size_bytes: number | null
  sha256: string | null
  epoch: number | null
  /** The newest migration in it. */
  schema: string | null
  /** Why it failed. */
  reason: string
}
export type BackupTables = { backups: BackupsTable }
