// SPDX-License-Identifier: MIT
// What happens next to a managed certificate, in words for people. Pure.
import { holdsOf, isDue, type ManagedRow, type RenewalWindow } from './managed-store.ts'
import type { ShownOrder, WaitingFor } from './order-store.ts'

export type Outlook = {
  action: 'order' | 'renew' | 'continue' | 'none'
  /** null: at no time that is known. */
  atMs: number | null
  because: string
}

const STEPS = {
  new: 'the CA is asked for the order',
  publishing: 'what proves the names is published',
  validating: 'the CA looks at what proves the names',
  finalizing: 'the CA makes the certificate',
  downloading: 'the certificate is fetched and checked',
} as const

export function outlook(row: ManagedRow, order: ShownOrder | null, nowMs: number): Outlook {
  if (order) {
    const waiting: WaitingFor | null = order.waiting_for && JSON.parse(order.waiting_for)
    const step = STEPS[order.state as keyof typeof STEPS]
    const because = order.last_error ?? waiting?.reason ?? `An order is open: ${step}`
    return { action: 'continue', atMs: row.next_action_at_ms, because }
  }
  if (row.paused === 1) {
    return { action: 'none', atMs: null, because: 'It is paused: nothing is ordered' }
  }
  const action = row.version === null ? 'order' : 'renew'
  if (isDue(row, nowMs)) return { action, atMs: row.next_action_at_ms, because: whyDue(row, nowMs) }
  const window: RenewalWindow | null = row.renewal_window && JSON.parse(row.renewal_window)
  const because = window
    ? 'The CA suggests when to renew it, and it is renewed at two thirds of its life at the latest'
    : 'It is renewed when three fifths to two thirds of its life are over'
  return { action, atMs: row.renew_at_ms, because }
}

function whyDue(row: ManagedRow, nowMs: number): string {
  const { last_error, asked_by, version } = row
  if (last_error !== null) return `It is due, and tried again then. ${last_error}`
  if (asked_by !== null) return `${asked_by} asked for it`
  const held = Object.values(holdsOf(row)).some(({ untilMs }) => untilMs > nowMs)
  if (held)
    return 'It is due, and its last order was cancelled: unless somebody asks, it waits a day'
  return version === null ? 'There is no certificate yet' : 'Its time has come'
}
