// SPDX-License-Identifier: MIT
import type { Verdict } from '../../components/status-badge.tsx'
import type { Backup, BackupSettings } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'

export const backupVerdict = {
  running: { label: 'Running', tone: 'info', shape: 'half' },
  done: { label: 'Done', tone: 'good', shape: 'disc' },
  failed: { label: 'Failed', tone: 'bad', shape: 'square' },
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
  const kept = `the newest ${plural(keep, 'good one')} ${keep === 1 ? 'is' : 'are'} kept`
  if (everyHours === 0) return `Only by hand; ${kept}`
  return `Every ${plural(everyHours, 'hour')}; ${kept}`
}
