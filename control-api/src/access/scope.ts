// SPDX-License-Identifier: MIT
// For which nodes somebody's roles count. A user without a scope has the whole farm; one with a scope
// sees and changes the nodes whose labels match it, and nothing that concerns the others.
import { defineError } from '../api-shapes/errors.ts'
import { formatSelector, matches, parseSelector, type Selector } from '../labels/selector.ts'
import type { Access } from './permissions.ts'

/** null: the whole farm. */
export type Scope = Selector | null
export type Labels = Readonly<Record<string, string>>

/**
 * What a route is about. node: the one in its path, which is looked at before the route is reached.
 * nodes: it looks at the scope itself, and shows and changes no node outside it. farm: it concerns
 * every node or everybody, so a scope is not enough. none: no node and nobody else is concerned.
 */
export type Reach = 'node' | 'nodes' | 'farm' | 'none'

/** Reading these says nothing of any node. Whatever else does not declare its reach needs the whole farm. */
const ABOUT_NO_NODE: ReadonlySet<Access> = new Set<Access>([
  'public',
  'agent',
  'session:own',
  'tokens:own',
  'system:read',
  'configs:read',
  'groups:read',
  'certificates:read',
  'releases:read',
])

/** Of a route that declares nothing, too: default deny. */
export function reachOf(url: string, permission: Access, declared: Reach | undefined): Reach {
  if (/\/nodes\/:id(\/|$)/.test(url)) return 'node'
  return declared ?? (ABOUT_NO_NODE.has(permission) ? 'none' : 'farm')
}

export const isWithin = (scope: Scope, labels: Labels): boolean =>
  scope === null || matches(scope, labels)

/** Of a row of the nodes. */
export const nodeIsWithin = (scope: Scope, { labels }: { labels: string }): boolean =>
  scope === null || isWithin(scope, JSON.parse(labels))

export const isSameScope = (one: Scope, other: Scope): boolean =>
  describeScope(one) === describeScope(other)

export const describeScope = (scope: Scope): string =>
  scope === null ? 'the whole farm' : `nodes with ${formatSelector(scope)}`

/** As it is stored. */
export const scopeText = (scope: Scope): string | null =>
  scope === null ? null : formatSelector(scope)

/** Was checked when it was stored; should a later version read it otherwise, nothing is let through. */
export function storedScope(text: string | null): Scope {
  if (text === null) return null
  const parsed = parseSelector(text)
  if (parsed.ok) return parsed.selector
  throw new Error(`the stored scope "${text}" cannot be read: ${parsed.message}`)
}

/** Nobody has no scope: every route that asks is behind the access check. */
export function scopeOf(user: { scope: Scope } | null): Scope {
  if (user === null) throw new Error('a public route asked for the scope of its caller')
  return user.scope
}

export const WholeFarmRequired = defineError(
  403,
  'whole_farm_required',
  'This concerns the whole farm',
  (scope: Scope) =>
    `Your roles count for ${describeScope(scope)} only, and this concerns every node. Ask somebody whose roles have no scope.`,
)
export const OutsideScope = defineError(
  403,
  'outside_scope',
  'Outside your scope',
  (what: string, scope: Scope) =>
    `Your roles count for ${describeScope(scope)} only; ${what}. Ask somebody whose roles count there.`,
)

/** Throws OutsideScope. `what` says what would be outside. */
export function requireWithin(user: { scope: Scope } | null, labels: Labels, what: string): void {
  const scope = scopeOf(user)
  if (!isWithin(scope, labels)) throw new OutsideScope(what, scope)
}

/** Throws WholeFarmRequired: for the part of a route that concerns more than its nodes. */
export function requireWholeFarm(user: { scope: Scope } | null): void {
  const scope = scopeOf(user)
  if (scope !== null) throw new WholeFarmRequired(scope)
}
