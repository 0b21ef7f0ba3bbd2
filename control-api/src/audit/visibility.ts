// SPDX-License-Identifier: MIT
// What a caller may hear of: the one rule, asked wherever something leaves (event streams, webhooks). A list
// that refuses somebody must not be told to them by another way.
//
//   about    | who with the permission hears of it
//   a node   | whose scope has the node
//   a rollout| whose scope has one of its nodes
//   an alert | whose scope has its node, if it has one
//   the farm | whose roles count for the whole farm
//   nobody   | everybody
//
// One's own account is everybody's own business, permission or not.

import type { Permission } from '../access/permissions.ts'
import type { Scope } from '../access/scope.ts'
import type { SignedInUser } from '../http/app-types.ts'
import type { Event } from './event.ts'

type About = 'node' | 'rollout' | 'alert' | 'farm' | 'nobody'
export type Kind = Event['kind']
/** The permission that the kind's list asks for. */
export const KINDS: Readonly<Record<Kind, { permission: Permission; about: About }>> = {
  node: { permission: 'nodes:read', about: 'node' },
  metrics: { permission: 'metrics:read', about: 'node' },
  rollout: { permission: 'rollouts:read', about: 'rollout' },
  config: { permission: 'configs:read', about: 'nobody' },
  release: { permission: 'releases:read', about: 'nobody' },
  group: { permission: 'groups:read', about: 'nobody' },
  system: { permission: 'system:read', about: 'nobody' },
  user: { permission: 'users:read', about: 'farm' },
  // Who signed in and who failed to: nothing but the audit lists it.
  session: { permission: 'audit:read', about: 'farm' },
  token: { permission: 'tokens:read', about: 'farm' },
  webhook: { permission: 'webhooks:read', about: 'farm' },
  alert: { permission: 'alerts:read', about: 'alert' },
  'alert-rule': { permission: 'alerts:read', about: 'nobody' },
  'alert-silence': { permission: 'alerts:read', about: 'nobody' },
  certificate: { permission: 'certificates:read', about: 'nobody' },
  'certificate-authority': { permission: 'certificates:read', about: 'nobody' },
  'dns-webhook': { permission: 'certificates:read', about: 'nobody' },
  backup: { permission: 'backups:read', about: 'farm' },
}
/** Of these one may hear what is about oneself. */
const PERSONAL: ReadonlySet<Kind> = new Set<Kind>(['user', 'session', 'token'])

export type Viewer = Pick<SignedInUser, 'id' | 'permissions' | 'scope'>
export type Thing = Pick<Event, 'kind' | 'id'>
/** What only the database knows. */
export type Facts = {
  nodeIsWithin: (id: string, scope: Scope) => Promise<boolean>
  rolloutTouches: (id: string, scope: Scope) => Promise<boolean>
  alertIsWithin: (id: string, scope: Scope) => Promise<boolean>
  /** null: there is no such token any more. */
  ownerOfToken: (id: string) => Promise<string | null>
}

export async function mayHear(viewer: Viewer, thing: Thing, facts: Facts): Promise<boolean> {
  if (await isOwn(viewer, thing, facts)) return true
  const { permission, about } = KINDS[thing.kind]
  if (!viewer.permissions.includes(permission)) return false
  if (viewer.scope === null || about === 'nobody') return true
  if (about === 'node') return await facts.nodeIsWithin(thing.id, viewer.scope)
  if (about === 'alert') return await facts.alertIsWithin(thing.id, viewer.scope)
  return about === 'rollout' && (await facts.rolloutTouches(thing.id, viewer.scope))
}

async function isOwn({ id: own }: Viewer, { kind, id }: Thing, facts: Facts): Promise<boolean> {
  if (!PERSONAL.has(kind)) return false
  return kind === 'token' ? (await facts.ownerOfToken(id)) === own : id === own
}

/** Nothing is kept from them: no question needs to be asked for each event. */
export const hearsAll = ({ permissions, scope }: Viewer): boolean =>
  scope === null && Object.values(KINDS).every(({ permission }) => permissions.includes(permission))

/** What of these kinds somebody may not hear; for who lets others be told. */
export const deafTo = (
  { permissions }: Pick<Viewer, 'permissions'>,
  kinds: readonly Kind[],
): Permission[] => [
  ...new Set(
    kinds.map((kind) => KINDS[kind].permission).filter((one) => !permissions.includes(one)),
  ),
]
