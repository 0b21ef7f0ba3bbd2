// SPDX-License-Identifier: MIT
// How a node stands: what lists of nodes show of it, and what an event about it brings along.
import { type Static, Type } from 'typebox'
import { DigestSchema, NameSchema, Nullable, TimeSchema } from './common.ts'

/**
 * in-sync: effective digest, read back from the running server in this boot, equals desired.
 * applying: an offer is under way. out-of-sync: the node refused or went back. drift: it runs something nobody assigned.
 * unknown: not heard from for longer than `staleAfterSeconds`. waiting: enrolled, nothing assigned yet.
 */
export const SyncStateSchema = Type.Enum([
  'in-sync',
  'applying',
  'out-of-sync',
  'drift',
  'unknown',
  'waiting',
])
export type SyncState = Static<typeof SyncStateSchema>

export const ConfigIdentitySchema = Type.Object({
  generation: Type.Integer(),
  digest: DigestSchema,
  /** Which saved version renders to this digest for this node; null when none does. */
  version: Nullable(Type.Object({ config: NameSchema, number: Type.Integer() })),
})

export const ConnectedSchema = Type.Boolean({ description: 'Its agent is talking to us now' })

export const NodeFactsSchema = Type.Object({
  connected: ConnectedSchema,
  lastSeenAt: Nullable(TimeSchema),
  sync: Type.Object({
    state: SyncStateSchema,
    desired: Nullable(ConfigIdentitySchema),
    acknowledged: Nullable(ConfigIdentitySchema),
    effective: Nullable(ConfigIdentitySchema),
  }),
})
export type NodeFacts = Static<typeof NodeFactsSchema>

/** Of lists that are patched by events. */
export const RevisionSchema = Type.Integer({
  minimum: 0,
  description:
    'All that the events (`GET /events`) told up to this `id` is in the answer: one with a higher `id` is newer than it',
})
