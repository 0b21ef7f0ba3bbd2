// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import type { AuditDetail, AuditEntry } from '../../lib/api-types.ts'
import { forPeople } from '../../lib/people-words.ts'
import { rolloutVerdict } from './rules.ts'

type Part =
  | { key: string; entry: AuditEntry; nodeSteps: 0 }
  | { key: string; entry: null; nodeSteps: number }

const OF_A_NODE = 'task-'

/** Steps of nodes between two others are one line. */
export function timelineParts(entries: readonly AuditEntry[]): Part[] {
  const parts: Part[] = []
  for (const entry of entries) {
    const last = parts.at(-1)
    if (!entry.action.startsWith(OF_A_NODE)) {
      parts.push({ key: String(entry.id), entry, nodeSteps: 0 })
    } else if (last?.entry === null) {
      last.nodeSteps += 1
    } else parts.push({ key: `${OF_A_NODE}${entry.id}`, entry: null, nodeSteps: 1 })
  }
  return parts
}

const OTHERS: Record<string, string> = {
  created: t('Ordered'),
  evidence: t('Evidence decided'),
  'skip-gate': t('Gone on without waiting'),
}

/** "running", "wave-1" and the like, as the engine names them. */
export function entryTitle(action: string): string {
  const [, wave] = /^wave-(\d+)$/.exec(action) ?? []
  if (wave !== undefined) return t('Wave {wave} begins', { wave: Number(wave) + 1 })
  const states: Partial<Record<string, { label: string }>> = rolloutVerdict
  return OTHERS[action] ?? states[action]?.label ?? action.replaceAll('-', ' ')
}

/** What it says of why: a person's words, else the engine's. */
export function entryCause(data: AuditDetail['data']): string {
  const words = [data.why, data.reason, data.message, data.cause]
  const said = words.find((word) => typeof word === 'string' && word !== '')
  return (typeof said === 'string' && forPeople(said)) || t('It says nothing more.')
}
