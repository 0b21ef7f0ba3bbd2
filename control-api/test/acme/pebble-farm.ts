// SPDX-License-Identifier: MIT
// The service with Pebble as its authority, and managed certificates as the API makes them.
import { insertAuthority, newAccount } from '../../src/acme/authority-store.ts'
import { insertManaged, type NewManagedRow } from '../../src/acme/managed-store.ts'
import { listOrders } from '../../src/acme/order-store.ts'
import { openSecretBox } from '../../src/base/secret-box.ts'
import { findCertificate } from '../../src/certificates/store.ts'
import type { Built } from '../helper.ts'
import type { startPebble } from './pebble.ts'

export const config = { webhookAllow: ['127.0.0.0/8'] }
export const LOOK = { timeout: 30_000, interval: 100 }
export type Pebble = Awaited<ReturnType<typeof startPebble>>

export async function knows(
  { services: { write }, config: { dataDir } }: Built,
  { directoryUrl, trustedRoots }: Pebble,
  external: { keyId: string; hmacKey: string } | null = null,
) {
  const box = openSecretBox(dataDir)
  await write((unit) =>
    insertAuthority(unit, {
      ...{ name: 'pebble', revision: 1, directory_url: directoryUrl, contact: '[]' },
      trusted_roots: trustedRoots,
      ...newAccount(box, 'pebble', external),
      ...{ created_at_ms: Date.now(), created_by: 'ana' },
    }),
  )
}
export async function manage(
  { services: { write }, acme }: Built,
  name: string,
  row: Partial<NewManagedRow>,
) {
  await write((unit) =>
    insertManaged(unit, {
      ...{ name, revision: 1, names: JSON.stringify([`${name}.example`]) },
      key_type: 'ecdsa-p256',
      authorities: '[{"name":"pebble","profile":null}]',
      challenge: 'http-01',
      ...{ roll_out: 1, asked_by: 'ana', random: 0.5, next_action_at_ms: Date.now() },
      ...{ created_at_ms: Date.now(), created_by: 'ana', ...row },
    }),
  )
  void acme.look()
}
export const orders = ({ services: { db } }: Built, name: string) =>
  listOrders(db, name, { before: null, limit: 100 })
export const state = async (service: Built, name: string) => (await orders(service, name))[0]?.state
export const latest = async ({ services: { db } }: Built, name: string) =>
  (await findCertificate(db, name))?.latest
