// SPDX-License-Identifier: MIT
// Rules, alerts and silences as the API shows them, and which silence an alert has.
import { matches, parseSelector } from '../../labels/selector.ts'
import type { Alert, AlertRule, Silence } from './schema.ts'
import type { AlertRow, AlertRuleRow, SilenceRow } from './store.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

export const viewRule = (row: AlertRuleRow): AlertRule => ({
  id: row.id,
  ...settingsOf(row),
  failing: row.failing,
  createdAt: iso(row.created_at_ms),
  createdBy: row.created_by,
})

export const settingsOf = (row: AlertRuleRow) => ({
  name: row.name,
  description: row.description,
  enabled: row.enabled === 1,
  severity: row.severity,
  appliesTo: row.applies_to,
  condition: JSON.parse(row.condition) as AlertRule['condition'],
  forSeconds: row.for_seconds,
  keepFiringSeconds: row.keep_firing_seconds,
})

type Labels = Readonly<Record<string, string>>
/** Until when nobody is told of it; null: people are. */
export type SilencedUntil = (alert: Pick<AlertRow, 'rule_id' | 'node_id'>) => number | null

/** `labelsOf`: of a node; null: there is no such node any more. */
export function silencing(
  silences: readonly SilenceRow[],
  labelsOf: (nodeId: string) => Labels | null,
  nowMs: number,
): SilencedUntil {
  const active = silences
    .filter(({ until_ms }) => until_ms > nowMs)
    .map(({ rule_id, selector, until_ms }) => ({
      ...{ rule_id, until_ms },
      selector: selector === null ? null : parseSelector(selector),
    }))
  return ({ rule_id, node_id }) => {
    const untils = active
      .filter((one) => {
        if (one.rule_id !== null && one.rule_id !== rule_id) return false
        if (one.selector === null) return true
        const labels = node_id === null ? null : labelsOf(node_id)
        return labels !== null && one.selector.ok && matches(one.selector.selector, labels)
      })
      .map(({ until_ms }) => until_ms)
    return untils.length === 0 ? null : Math.max(...untils)
  }
}

export const viewAlert = (row: AlertRow, silencedUntil: SilencedUntil): Alert => ({
  id: row.id,
  ruleId: row.rule_id,
  ruleName: row.rule_name,
  severity: row.severity,
  subject: subjectOf(row),
  state: row.state,
  isWithoutData: row.is_without_data === 1,
  value: row.value,
  message: row.message,
  pendingSince: iso(row.pending_at_ms),
  firingSince: isoOrNull(row.firing_at_ms),
  resolvedAt: isoOrNull(row.resolved_at_ms),
  resolvedBecause: row.resolved_because,
  toldAt: isoOrNull(row.firing_told_at_ms),
  silencedUntil: row.state === 'resolved' ? null : isoOrNull(silencedUntil(row)),
  acknowledgedAt: isoOrNull(row.acknowledged_at_ms),
  acknowledgedBy: row.acknowledged_by,
  comment: row.comment,
})

export const subjectOf = (row: AlertRow) => ({
  kind: row.subject_kind,
  id: row.subject_id,
  name: row.subject_name,
})

export const viewSilence = (row: SilenceRow): Silence => ({
  id: row.id,
  ruleId: row.rule_id,
  selector: row.selector,
  reason: row.reason,
  until: iso(row.until_ms),
  createdAt: iso(row.created_at_ms),
  createdBy: row.created_by,
})
