// SPDX-License-Identifier: MIT
// FARMSTEAD_OIDC_…: signing in through an identity provider. All of it or nothing.
import { readFileSync } from 'node:fs'
import { type Role, RoleSchema } from '../access/roles.ts'

export type OidcConfig = {
  issuer: string
  clientId: string
  /** null: a public client, which PKCE alone protects. */
  clientSecret: string | null
  scopes: string
  /** The claim that holds the names of a person's groups. */
  groupsClaim: string
  /** What a group is worth here. */
  rolesOfGroup: ReadonlyMap<string, readonly Role[]>
  /** Stands on the button. */
  label: string
  /** The console's address, as browsers see it. */
  publicUrl: string
}

type Read = (name: string) => string | undefined
const VARIABLES = [
  'ISSUER',
  'CLIENT_ID',
  'CLIENT_SECRET_FILE',
  'SCOPES',
  'GROUPS_CLAIM',
  'ROLES',
  'LABEL',
] as const
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** null: not wanted, or wrong; `problems` says which. */
export function oidcConfig(read: Read, problems: string[]): OidcConfig | null {
  const given = (name: (typeof VARIABLES)[number]) => read(`FARMSTEAD_OIDC_${name}`)
  if (!VARIABLES.some((name) => given(name) !== undefined)) return null
  const [issuer, clientId, publicUrl] = [given('ISSUER'), given('CLIENT_ID'), publicUrlOf(read)]
  if (!isIssuer(issuer)) {
    problems.push(
      `FARMSTEAD_OIDC_ISSUER must be the provider's https:// address (http:// on this machine only), got "${issuer ?? ''}"`,
    )
  }
  if (!clientId) problems.push('FARMSTEAD_OIDC_CLIENT_ID must name the client the provider knows')
  if (!publicUrl) {
    problems.push(
      'FARMSTEAD_PUBLIC_URL must be the address of the console as browsers see it, such as https://farm.example.org: the provider sends people back there',
    )
  }
  return {
    issuer: issuer ?? '',
    clientId: clientId ?? '',
    clientSecret: secretFrom(given('CLIENT_SECRET_FILE'), problems),
    scopes: given('SCOPES') ?? 'openid profile',
    groupsClaim: given('GROUPS_CLAIM') ?? 'groups',
    rolesOfGroup: parseRoles(given('ROLES') ?? '', problems),
    label: given('LABEL') ?? 'Single sign-on',
    publicUrl: publicUrl ?? '',
  }
}

/** Without a path: the console is served at the root. */
export function publicUrlOf(read: Read): string | null {
  const url = URL.parse(read('FARMSTEAD_PUBLIC_URL') ?? '')
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === ''
  return url && isOrigin && /^https?:$/.test(url.protocol) ? url.origin : null
}

function isIssuer(text: string | undefined): boolean {
  const url = URL.parse(text ?? '')
  if (!url) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))
}

function secretFrom(path: string | undefined, problems: string[]): string | null {
  if (path === undefined) return null
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret) return secret
    problems.push(`FARMSTEAD_OIDC_CLIENT_SECRET_FILE names an empty file, ${path}`)
  } catch {
    problems.push(`FARMSTEAD_OIDC_CLIENT_SECRET_FILE names a file that cannot be read, ${path}`)
  }
  return null
}

/** farm-admins=admin;ops=operator,approver */
function parseRoles(text: string, problems: string[]): Map<string, Role[]> {
  const rolesOfGroup = new Map<string, Role[]>()
  for (const part of text.split(';').filter((one) => one.trim() !== '')) {
    // A group's name may hold "=" (LDAP), a role's does not.
    const at = part.lastIndexOf('=')
    const names = part
      .slice(at + 1)
      .split(',')
      .map((name) => name.trim())
    const unknown = names.filter((name) => !isRole(name))
    if (at < 1 || unknown.length > 0) {
      problems.push(
        `FARMSTEAD_OIDC_ROLES must read like "farm-admins=admin;ops=operator,approver" with the roles ${RoleSchema.enum.join(', ')}, got "${part}"`,
      )
    }
    rolesOfGroup.set(part.slice(0, at).trim(), names.filter(isRole))
  }
  if (rolesOfGroup.size === 0) {
    problems.push(
      'FARMSTEAD_OIDC_ROLES must give at least one group a role, such as "farm-admins=admin": nobody else is let in',
    )
  }
  return rolesOfGroup
}

const isRole = (name: string): name is Role => RoleSchema.enum.some((role) => role === name)
