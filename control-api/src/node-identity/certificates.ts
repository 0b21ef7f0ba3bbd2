// SPDX-License-Identifier: MIT
// What a node's certificates are, and when it is to ask for the next one. At rest: store/certificates.ts.
import type { Selectable } from 'kysely'
import { NODE_LIFE_MS } from '../ca/x509.ts'
import type { NodeCertificatesTable } from '../db/database.ts'

export type CertificateRow = Selectable<NodeCertificatesTable>

export const isGood = ({ state }: Pick<CertificateRow, 'state'>) =>
  state === 'issued' || state === 'active'

const RENEW_AT = 2 / 3
const JITTER = 0.1

/** Until when a node should have asked for the next one. `random` is in [0, 1). */
export function renewAfterMs(issuedAtMs: number, nowMs: number, random: number): number {
  const dueAfterMs = NODE_LIFE_MS * RENEW_AT * (1 + JITTER * (2 * random - 1))
  return Math.max(0, Math.round(issuedAtMs + dueAfterMs - nowMs))
}
