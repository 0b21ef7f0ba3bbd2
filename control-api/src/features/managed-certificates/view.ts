// SPDX-License-Identifier: MIT
import type { Scope } from '../../access/scope.ts'
import {
  type ChosenAuthority,
  type ManagedRow,
  managedState,
  NEVER_MS,
  type RenewalWindow,
} from '../../acme/managed-store.ts'
import { openOrdersOf, type ShownOrder, type WaitingFor } from '../../acme/order-store.ts'
import { outlook } from '../../acme/outlook.ts'
import { stateOf } from '../../certificates/expiry.ts'
import { type Latest, latestOf } from '../../certificates/store.ts'
import type { Reader } from '../../db/database.ts'
import { nodeNames } from '../../node-identity/store/nodes.ts'
import type { CertificateOrder, ManagedCertificate } from './schema.ts'

type Viewer = { db: Reader; nowMs: number; scope: Scope }

const timeOf = (ms: number | null): string | null =>
  ms === null || ms >= NEVER_MS ? null : new Date(ms).toISOString()
const iso = (ms: number) => new Date(ms).toISOString()

/** Whatever their number: one question each for what is shown beside them. */
export async function viewManaged(
  { db, nowMs, scope }: Viewer,
  rows: readonly ManagedRow[],
): Promise<ManagedCertificate[]> {
  const names = rows.map(({ name }) => name)
  const [orders, latest] = [await openOrdersOf(db, names), await latestOf(db, names)]
  const nodeNames = await namesIn(db, [...orders.values()], scope)
  return rows.map((row) => {
    const order = orders.get(row.name) ?? null
    return {
      ...plain(row),
      state: managedState(row, order !== null, nowMs),
      ...times(row, order, nowMs),
      order: order && viewOrder(order, row.next_action_at_ms, nodeNames),
      certificate: viewLatest(latest.get(row.name), nowMs),
    }
  })
}

/** What people said of it. */
export const plain = (row: ManagedRow) => ({
  name: row.name,
  names: JSON.parse(row.names) as string[],
  keyType: row.key_type,
  authorities: JSON.parse(row.authorities) as ChosenAuthority[],
  challenge: challengeOf(row),
  preferredChain: row.preferred_chain,
  rollOut: row.roll_out === 1,
  paused: row.paused === 1,
  createdAt: iso(row.created_at_ms),
  createdBy: row.created_by,
})

const challengeOf = ({
  challenge,
  dns_webhook,
}: Pick<ManagedRow, 'challenge' | 'dns_webhook'>): ManagedCertificate['challenge'] =>
  challenge === 'dns-01' ? { type: 'dns-01', webhook: dns_webhook ?? '' } : { type: 'http-01' }

function times(row: ManagedRow, order: ShownOrder | null, nowMs: number) {
  const { action, atMs, because } = outlook(row, order, nowMs)
  const window: RenewalWindow | null = row.renewal_window && JSON.parse(row.renewal_window)
  const { last_error: message, last_error_at_ms: atErrorMs } = row
  return {
    next: { action, at: timeOf(atMs), because },
    renewAt: timeOf(row.renew_at_ms),
    renewalWindow: window && {
      start: iso(window.startMs),
      end: iso(window.endMs),
      explanationUrl: window.explanationUrl,
    },
    lastError: message === null ? null : { message, at: iso(atErrorMs ?? row.created_at_ms) },
  }
}

function viewLatest(latest: Latest | undefined, nowMs: number): ManagedCertificate['certificate'] {
  if (!latest) return null
  const { number: version, notBeforeMs: fromMs, notAfterMs: toMs } = latest
  return { version, notAfter: iso(toMs), state: stateOf({ fromMs, toMs }, nowMs) }
}

export async function viewOrders(
  { db, scope }: Viewer,
  rows: readonly ShownOrder[],
  nextAtMs: number,
): Promise<CertificateOrder[]> {
  const nodeNames = await namesIn(db, rows, scope)
  return rows.map((row) => viewOrder(row, nextAtMs, nodeNames))
}

function viewOrder(
  row: ShownOrder,
  nextAtMs: number,
  nodeNames: ReadonlyMap<string, string>,
): CertificateOrder {
  return {
    id: row.id,
    certificate: row.certificate,
    authority: row.authority,
    profile: row.profile,
    names: JSON.parse(row.names),
    state: row.state,
    startedAt: iso(row.started_at_ms),
    startedBy: row.started_by,
    endedAt: timeOf(row.ended_at_ms),
    nextAt: row.ended_at_ms === null ? timeOf(nextAtMs) : null,
    expiresAt: timeOf(row.expires_at_ms),
    failures: row.failures,
    waitingFor: viewWaiting(waitingOf(row), nodeNames),
    lastError: row.last_error,
    version: row.version,
  }
}

const waitingOf = ({ waiting_for }: ShownOrder): WaitingFor | null =>
  waiting_for && JSON.parse(waiting_for)

/** Nodes outside the viewer's scope, and those that are gone, are counted only. */
function viewWaiting(
  waiting: WaitingFor | null,
  nodeNames: ReadonlyMap<string, string>,
): CertificateOrder['waitingFor'] {
  if (!waiting) return null
  const nodes = waiting.nodeIds.flatMap((id) => {
    const name = nodeNames.get(id)
    return name === undefined ? [] : [{ id, name }]
  })
  const more = waiting.more + waiting.nodeIds.length - nodes.length
  return { reason: waiting.reason, nodes, more }
}

const namesIn = (db: Reader, orders: readonly ShownOrder[], scope: Scope) =>
  nodeNames(
    db,
    orders.flatMap((order) => waitingOf(order)?.nodeIds ?? []),
    scope,
  )
