// SPDX-License-Identifier: MIT
import { defineError } from '../api-shapes/errors.ts'

export const BackupUnreadable = defineError(
  422,
  'backup_unreadable',
  'The backup cannot be used',
  (file: string, why: string) => `${file} cannot be used: ${why}. Nothing was changed.`,
)
export const NoIdentity = defineError(
  422,
  'no_identity',
  'No key in the file',
  (file: string) =>
    `${file} holds no age identity. It is the file that "age-keygen" or "admin backup-key" made, with a line AGE-SECRET-KEY-1….`,
)
export const FolderNotEmpty = defineError(
  409,
  'folder_not_empty',
  'The data folder is not empty',
  (dataDir: string) =>
    `${dataDir} holds a control plane. Name an empty folder in FARMSTEAD_DATA_DIR, or say --replace: what is there is then put aside in it.`,
)
export const RestoreUnfinished = defineError(
  409,
  'restore_unfinished',
  'A restore was cut short',
  (dataDir: string) =>
    `A restore into ${dataDir} was cut short, so it holds parts of two control planes. Run "admin restore … --replace" again.`,
)
export const NoRecipients = defineError(
  422,
  'no_recipients',
  'Nobody could open the backup',
  () => 'Name who can open the backup: --recipient age1…, or FARMSTEAD_BACKUP_RECIPIENTS.',
)
