// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { BackupIdSchema, Nullable, PageQuerySchema, TimeSchema } from '../../api-shapes/common.ts'
import { BackupStateSchema, BackupTriggerSchema } from '../../api-shapes/states.ts'

/** POST /backups createBackup; GET listBackups; GET /{id} getBackup; GET /{id}/content; DELETE /{id} */
export const BackupSchema = Type.Object({
  id: BackupIdSchema,
  state: BackupStateSchema,
  trigger: BackupTriggerSchema,
  fileName: Type.String({
    description: 'In FARMSTEAD_BACKUP_DIR',
    examples: ['farmstead-20261121T090000Z-01jd4q6v2m8w3x5y7z9abcdefg.tar.gz.age'],
  }),
  createdBy: Nullable(Type.String({ description: 'null: the schedule' })),
  createdAt: TimeSchema,
  endedAt: Nullable(TimeSchema),
  sizeBytes: Nullable(Type.Integer()),
  sha256: Nullable(Type.String({ description: 'Of the encrypted file, in hexadecimal' })),
  epoch: Nullable(Type.Integer({ description: 'Of the control plane that made it' })),
  schema: Nullable(Type.String({ description: 'The newest migration in it' })),
  reason: Type.String({ description: 'Why it failed; empty when it did not' }),
})
export const BackupsQuerySchema = Type.Object({ ...PageQuerySchema.properties })
export type Backup = Static<typeof BackupSchema>

/** GET /backups/settings getBackupSettings; from the environment, so that nobody signs in and turns them off. */
export const BackupSettingsSchema = Type.Object({
  configured: Type.Boolean(),
  recipients: Type.Array(Type.String({ description: 'Public keys (age)' })),
  everyHours: Type.Number({ description: '0: never by itself' }),
  keep: Type.Integer(),
  directory: Type.String({ examples: ['/var/backups/farmstead'] }),
})

/** GET /recovery getRecovery; POST /recovery/confirm confirmRecovery */
export const RecoverySchema = Type.Object({
  restoredAt: TimeSchema,
  backupCreatedAt: TimeSchema,
  epoch: Type.Integer({ description: 'Of this control plane now' }),
  highestEpoch: Type.Integer({ description: 'The highest one that a node it heard obeyed' }),
  nodes: Type.Integer(),
  unheard: Type.Array(Type.String(), {
    description: 'Names of nodes that said nothing since the restore',
  }),
})
export const RecoveryStateSchema = Type.Object({
  recovery: Nullable(RecoverySchema),
})
export const RecoveryConfirmationSchema = Type.Object(
  {
    withoutUnheard: Type.Optional(
      Type.Boolean({ default: false, description: 'Do not wait for nodes that said nothing' }),
    ),
  },
  { additionalProperties: false },
)
