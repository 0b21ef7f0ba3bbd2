// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const BackupNotFound = defineError(
  404,
  'backup_not_found',
  'No such backup',
  (id: string) =>
    `There is no backup ${id}. GET /api/v1/backups lists them; older ones are deleted by themselves.`,
)
export const BackupsNotConfigured = defineError(
  409,
  'backups_not_configured',
  'Backups are not set up',
  () =>
    'Nobody said to whom backups are encrypted. Set FARMSTEAD_BACKUP_RECIPIENTS to an age public key and restart the service (docs/backup-and-restore.md).',
)
export const BackupRunning = defineError(
  409,
  'backup_running',
  'A backup is being made',
  (id: string) => `Backup ${id} is under way. Wait until it has ended.`,
)
export const BackupNotDone = defineError(
  409,
  'backup_not_done',
  'The backup has no content',
  (id: string, state: string) => `Backup ${id} is ${state}; only one that is done has a content.`,
)
export const BackupFileGone = defineError(
  410,
  'backup_file_gone',
  'The backup’s file is gone',
  (id: string, file: string) =>
    `The file of backup ${id} is not at ${file} any more. Delete the backup, or put the file back.`,
)
