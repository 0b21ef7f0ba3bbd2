// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/066-alerts.ts).
import type { Generated } from 'kysely'

type AlertRulesTable = {
  id: string
  name: string
  description: string
  enabled: number
  severity: 'critical' | 'warning'
  /** Whose: words as in features/metrics/asked-sets.ts. */
  applies_to: string
  /** JSON: Condition in features/alerts/schema.ts. */
  condition: string
  for_seconds: number
  keep_firing_seconds: number
  /** Counts changes by people: the ETag. */
  revision: number
  created_at_ms: number
  created_by: string
  /** Why it could not be looked at last; null: it was. */
  failing: string | null
}

/** From pending to resolved, one time. What never fired is deleted. */
type AlertsTable = {
  id: string
  rule_id: string
  /** As they were when it began: it outlives its rule. */
  rule_name: string
  severity: 'critical' | 'warning'
  subject_kind: 'node' | 'rollout' | 'certificate' | 'set'
  subject_id: string
  subject_name: string
  /** Whose labels say who sees it; null: who sees the whole farm. */
  node_id: string | null
  state: 'pending' | 'firing' | 'resolved'
  value: number | null
  message: string
  pending_at_ms: number
  firing_at_ms: number | null
  /** Since when it would be over, did it not keep firing for a while. */
  clear_since_ms: number | null
  resolved_at_ms: number | null
  resolved_because: string | null
  /** Firing, and nothing says whether it still is. */
  is_without_data: Generated<number>
  firing_told_at_ms: number | null
  resolved_told_at_ms: number | null
  /** 1: there is something to tell. Written with what it is about. */
  is_untold: Generated<number>
  acknowledged_at_ms: number | null
  acknowledged_by: string | null
  comment: Generated<string>
}

type AlertSilencesTable = {
  id: string
  /** null: every rule's. */
  rule_id: string | null
  /** Of nodes, in the notation of labels/selector.ts; null: alerts of every subject. */
  selector: string | null
  reason: string
  until_ms: number
  created_at_ms: number
  created_by: string
}

/** One row: when rules were looked at last. */
type AlertWatchTable = { id: number; looked_at_ms: number }

export type AlertTables = {
  alert_rules: AlertRulesTable
  alerts: AlertsTable
  alert_silences: AlertSilencesTable
  alert_watch: AlertWatchTable
}
