// SPDX-License-Identifier: MIT

import type { Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Backup, BackupSettings } from '../../lib/api-types.ts'

export const backupVerdict = {
  running: { label: t('Running'), tone: 'info', shape: 'half' },
  done: { label: t('Done'), tone: 'good', shape: 'disc' },
  failed: { label: t('Failed'), tone: 'bad', shape: 'square' },
} satisfies Record<Backup['state'], Verdict>

type Standing = Pick<Backup, 'state'>

/** Newest first. */
export const newestGood = <T extends Standing>(backups: readonly T[]): T | undefined =>
  backups.find(({ state }) => state === 'done')

/** Failed after the last good one: somebody has to look. Newest first. */
export const lastFailure = <T extends Standing>(backups: readonly T[]): T | undefined => {
  const ended = backups.find(({ state }) => state !== 'running')
  return ended?.state === 'failed' ? ended : undefined
}

export function howOften({ everyHours, keep }: BackupSettings): string {
  const kept = t(
    '{keep, plural, one {the newest # good one is kept} other {the newest # good ones are kept}}',
    { keep },
  )
  if (everyHours === 0) return t('Only by hand; {kept}', { kept })
  return t('Every {everyHours, plural, one {# hour} other {# hours}}; {kept}', { everyHours, kept })
}
