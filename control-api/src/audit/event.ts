// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { NodeFactsSchema } from '../api-shapes/node-facts.ts'

/**
 * GET /events streamEvents (SSE). The event's `id` is durable (rowid of the events table); reconnect with
 * Last-Event-ID to get what was missed. Events say what changed, not how: fetch the thing again. Only how a node
 * stands comes with them, while there are few; an answer's `revision` says whether it has that already.
 * They come as unnamed messages, so that `onmessage` gets them all. Two named ones have no id:
 * `heartbeat` every 15 s, and `resync` when so much was missed that all is to be fetched again.
 * `metrics` is not stored: it says, at most once a second, that new windows arrived for the node `id`
 * ("*": for many nodes).
 */
export const EventSchema = Type.Object({
  kind: Type.Enum([
    'node',
    'rollout',
    'config',
    'release',
    'metrics',
    'session',
    'user',
    'token',
    'group',
    'webhook',
    'alert',
    'alert-rule',
    'alert-silence',
    'certificate',
    'certificate-authority',
    'dns-webhook',
    'backup',
    'system',
  ]),
  id: Type.String({ description: 'Of the thing that changed' }),
  action: Type.String({
    description:
      'enrolled, connected, disconnected, acked, nacked, applied, confirmed, reverted, created, …',
  }),
  at: Type.String({ format: 'date-time' }),
  node: Type.Optional(NodeFactsSchema),
})
export type Event = Static<typeof EventSchema>

export type NewEvent = {
  kind: Exclude<Event['kind'], 'metrics'>
  id: string
  action: string
  /** User name, node id or "operator"; left out: the control plane itself. */
  actor?: string
  data?: Record<string, unknown>
}
