// SPDX-License-Identifier: MIT
import { findAuthority } from '../../acme/authority-store.ts'
import { findDnsWebhook } from '../../acme/dns-webhook-store.ts'
import type { Reader } from '../../db/database.ts'
import { ManagedInvalid } from './errors.ts'
import { faultsOf } from './rules.ts'
import type { Wishes } from './schema.ts'

/** In one sentence; `errors` has them all. */
const TOLD = 5

/** Throws ManagedInvalid, with all that is wrong. */
export async function requireWishes(db: Reader, wishes: Required<Wishes>): Promise<void> {
  const { authorities, challenge } = wishes
  const known = { authorities: new Set<string>(), webhooks: new Set<string>() }
  for (const { name } of authorities) {
    if (await findAuthority(db, name)) known.authorities.add(name)
  }
  if (challenge.type === 'dns-01' && (await findDnsWebhook(db, challenge.webhook))) {
    known.webhooks.add(challenge.webhook)
  }
  const faults = faultsOf(wishes, known)
  if (faults.length === 0) return
  const words = faults.slice(0, TOLD).map((one) => `${one.pointer}: ${one.message}; ${one.hint}`)
  throw new ManagedInvalid(words, faults.length - words.length).withErrors(faults)
}
