// SPDX-License-Identifier: MIT
import { findAuthority } from '../../acme/authority-store.ts'
import { findDnsWebhook } from '../../acme/dns-webhook-store.ts'
import type { Reader } from '../../db/database.ts'
import { ManagedInvalid } from './errors.ts'
import { faultsOf } from './rules.ts'
import type { Wishes } from './schema.ts'

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
  const [first] = faults
  if (!first) return
  const words = `${first.pointer}: ${first.message}; ${first.hint}`
  throw new ManagedInvalid(faults.length, words).withErrors(faults)
}
