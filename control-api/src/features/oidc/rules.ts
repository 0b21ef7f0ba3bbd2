// SPDX-License-Identifier: MIT
// What the provider's words are worth here: pure decisions.
import type { Role } from '../../people/roles.ts'

/** Why nobody was signed in. The console's sign-in page explains each. */
export const OIDC_PROBLEMS = [
  /** The flow was not begun in this browser, was begun anew meanwhile, or took too long. */
  'oidc_flow_lost',
  /** The provider, or the person there, said no. */
  'oidc_denied',
  /** What the provider sent does not hold: signature, audience, nonce, expiry, a code used twice. */
  'oidc_refused',
  'oidc_away',
  'oidc_no_role',
  'oidc_account_disabled',
  /** Linking: the identity is somebody else's, or the account has another one. */
  'oidc_identity_taken',
] as const
export type OidcProblem = (typeof OIDC_PROBLEMS)[number]

/** Where to go after signing in: only pages of this console, whatever a link says. */
export function localPath(next: string | undefined, publicUrl: string): string {
  const url = next?.startsWith('/') ? URL.parse(next, publicUrl) : null
  if (!url || url.origin !== publicUrl || url.pathname.startsWith('/api/')) return '/'
  return url.pathname + url.search + url.hash
}

/** A claim with groups is a list of names, of some providers one name. */
export function groupsIn(claim: unknown): string[] {
  const list = Array.isArray(claim) ? claim : [claim]
  return list.filter((one) => typeof one === 'string')
}

export function rolesOf(
  groups: readonly string[],
  rolesOfGroup: ReadonlyMap<string, readonly Role[]>,
): Role[] {
  return [...new Set(groups.flatMap((group) => rolesOfGroup.get(group) ?? []))].sort()
}

const MAX_LENGTH = 64
/** Stands in histories for whoever works on the control plane's machine. */
const RESERVED = new Set(['operator'])

/** What to call somebody new, best first. A name that is taken is somebody else: never the same person. */
export function* usernames(preferred: unknown): Generator<string> {
  const asked = typeof preferred === 'string' ? preferred : ''
  const plain = asked.replaceAll(/[^A-Za-z0-9._@-]/g, '').replace(/^[._@-]+/, '')
  const base = plain.slice(0, MAX_LENGTH - 7) || 'user'
  if (!RESERVED.has(base.toLowerCase())) yield base
  for (let number = 2; ; number += 1) yield `${base}-${number}`
}
