// SPDX-License-Identifier: MIT
// What the provider's words are worth here: pure decisions.
import type { Role } from '../../access/roles.ts'

/** Why nobody was signed in. The console's sign-in page explains each. */
export const OIDC_PROBLEMS = [
  /** The flow was not begun in this browser, took too long, or too many were begun after it. */
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

export type Claims = Readonly<Record<string, unknown>>

/**
 * What a claim holds. Keycloak has roles in objects: realm_access.roles is the member roles of the claim
 * realm_access. Others have lists of objects: groups.name is the member name of each. A dot may stand in a name as well (https://example.org/groups), so the longest name
 * that is there counts.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined
    const found = within(inner, path.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}

function within(inner: unknown, path: string): unknown {
  if (Array.isArray(inner)) {
    const found = inner.map((one) => within(one, path)).filter((one) => one !== undefined)
    return found.length > 0 ? found.flat() : undefined
  }
  return typeof inner === 'object' && inner !== null ? claimAt({ ...inner }, path) : undefined
}

/** Not all providers have preferred_username, and which others there are depends on the scopes. */
export const namesIn = (claims: Claims): unknown[] =>
  [claims.preferred_username, claims.email, claims.nickname, claims.name].filter(
    (name) => typeof name === 'string' && name !== '',
  )

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

/** Letters that Unicode does not take apart, and German's, which are written so. */
const SPELLED: Record<string, string> = {
  ...{ ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss' },
  ...{ æ: 'ae', Æ: 'Ae', ø: 'oe', Ø: 'Oe', å: 'aa', Å: 'Aa', œ: 'oe', Œ: 'Oe' },
  ...{ ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'Th', ı: 'i' },
}

/** In the letters that names have here. */
function plainName(name: unknown): string {
  if (typeof name !== 'string') return ''
  return name
    .normalize('NFC')
    .replaceAll(/\P{ASCII}/gu, (letter) => SPELLED[letter] ?? letter)
    .normalize('NFKD')
    .trim()
    .replaceAll(/\s+/g, '.')
    .replaceAll(/[^A-Za-z0-9._@-]/g, '')
    .replace(/^[._@-]+/, '')
}

/** What to call somebody new, best first. A name that is taken is somebody else: never the same person. */
export function* usernames(names: readonly unknown[]): Generator<string> {
  const plain = names.map(plainName).find((name) => name !== '') ?? 'user'
  const base = plain.slice(0, MAX_LENGTH - 7)
  if (!RESERVED.has(base.toLowerCase())) yield base
  for (let number = 2; ; number += 1) yield `${base}-${number}`
}
