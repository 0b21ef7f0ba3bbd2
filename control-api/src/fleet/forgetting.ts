// SPDX-License-Identifier: MIT
// For how long a node may be away before it is decommissioned by itself: its token says it, or its group, or
// both. Pure; features/nodes/forgetting.ts looks and acts.

const HOUR_MS = 3600_000
/** Nobody says less (ForgetAfterHoursSchema). */
export const SHORTEST_MS = HOUR_MS

export type ForgetRule = { afterHours: number; by: 'token' | 'group' }
type Said = { token: number | null; group: number | null }

/** The shorter one, when both say something. */
export function forgetRule({ token, group }: Said): ForgetRule | null {
  if (token !== null && (group === null || token <= group))
    return { afterHours: token, by: 'token' }
  return group === null ? null : { afterHours: group, by: 'group' }
}

type Heard = { last_seen_at_ms: number | null; enrolled_at_ms: number }
/** listeningSinceMs: what was not heard before says nothing. */
export type Absence = { presence: Presence; listeningSinceMs: number }
type Presence = { connected: boolean; lastSeenAtMs: number | null }

/** Of a node, asked by its id. */
export type AbsenceOf = (nodeId: string) => Absence

/** null: it is here, or nothing says that it is ever forgotten. */
export function forgetAtMs(
  rule: ForgetRule | null,
  row: Heard,
  { presence, listeningSinceMs }: Absence,
): number | null {
  if (rule === null || presence.connected) return null
  const heardAtMs = Math.max(
    row.last_seen_at_ms ?? row.enrolled_at_ms,
    presence.lastSeenAtMs ?? 0,
    listeningSinceMs,
  )
  return heardAtMs + rule.afterHours * HOUR_MS
}

/** What the next look forgets it for; null: it is not away, or not for so long. */
export function overdueRule(said: Said, row: Heard, absence: Absence & { nowMs: number }) {
  const rule = forgetRule(said)
  const atMs = forgetAtMs(rule, row, absence)
  return atMs !== null && atMs <= absence.nowMs ? rule : null
}
