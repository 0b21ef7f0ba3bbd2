// SPDX-License-Identifier: MIT
// Live events for the console and for scripts.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { NotSignedIn, TooManyOwnStreams, TooManyStreams } from '../../api-shapes/errors.ts'
import type { NodeFacts } from '../../api-shapes/node-facts.ts'
import { type Event, EventSchema } from '../../audit/event.ts'
import type { EventLog, StoredEvent } from '../../audit/log.ts'
import { hearsAll, type Viewer } from '../../audit/visibility.ts'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import type { SseHub } from '../../plugins/sse.ts'
import { type EventStream, orderedStream } from './ordered-stream.ts'

type Deps = {
  events: EventLog
  hub: SseHub
  now: () => number
  /** Told at most once a second which nodes sent measurements. Returns how to stop. */
  onNewWindows: (listener: (nodeIds: string[]) => void) => () => void
  /** How a node stands now; null: it is not told. */
  factsOf: (nodeId: string) => Promise<NodeFacts | null>
  mayHear: (viewer: Viewer, event: Event) => Promise<boolean>
  /** A stream outlives the request that was checked; it must not outlive the session or the token. */
  mayStillListen: (request: FastifyRequest) => Promise<boolean>
}

type Asked = { headers: { 'last-event-id'?: string }; query: { sinceSeconds?: number } }

const SINCE_MAX_SECONDS = 3600
/** More than this was missed: fetching everything again is less work than replaying. */
const REPLAY_MAX = 1000
/** From here on one event for all is less work for everybody. */
const MANY_NODES = 50
const CALLER_CHECK_MS = 30_000
/** Signing out, a new password, a token revoked, a user disabled: this stream's caller may be meant. */
const ENDS_STREAMS = new Set<Event['kind']>(['session', 'token', 'user'])

export const eventRoutes = (deps: Deps) => async (app: App) => {
  const { events, hub, mayStillListen } = deps
  /** The event it goes on after; null: only what comes. */
  const seenBy = async ({ headers, query }: Asked): Promise<number | null> => {
    const id = headers['last-event-id']
    if (id !== undefined) return Number(id)
    if (query.sinceSeconds === undefined) return null
    return await events.lastBefore(deps.now() - query.sinceSeconds * 1000, REPLAY_MAX + 1)
  }
  const withFacts = async (event: Event): Promise<Event> => {
    // Who hears it without them reads the node again.
    const node = await deps.factsOf(event.id).catch(() => null)
    return node ? { ...event, node } : event
  }
  app.get(
    '/events',
    {
      // A HEAD of it would open a stream nobody reads.
      exposeHeadRoute: false,
      config: {
        permission: 'events:read',
        scope: 'nodes',
        // Each begins with a look at what was missed.
        rateLimit: limits.expensive,
        errors: [TooManyStreams, TooManyOwnStreams],
      },
      schema: {
        operationId: 'streamEvents',
        tags: ['events'],
        summary: 'What changes, as server-sent events; reconnect with Last-Event-ID',
        description:
          'Each message is an Event, of what your lists would show you. One about a node brings along how the node stands (`node`), unless it was missed or more than 100 nodes changed in a second; its `id` is above the `revision` of each answer that is older. The named messages `heartbeat` (every 15 s) and `resync` (fetch everything again) carry no id.',
        headers: Type.Object({
          'last-event-id': Type.Optional(Type.String({ pattern: '^\\d{1,15}$' })),
        }),
        querystring: Type.Object({
          sinceSeconds: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: SINCE_MAX_SECONDS,
              description:
                'Begin with what happened this long ago: for who has fetched already what the events are about. Last-Event-ID, which is exact, goes before it',
            }),
          ),
        }),
        response: {
          200: {
            description: 'The stream; each message carries an Event',
            content: { 'text/event-stream': { schema: EventSchema } },
          },
        },
      },
    },
    async (request, reply) => {
      const seen = await seenBy(request)
      const viewer = request.user
      if (!viewer) throw new NotSignedIn()
      const opened = hub.open(reply, viewer.id)
      const stream = orderedStream(
        opened,
        hearsAll(viewer) ? () => true : (event) => deps.mayHear(viewer, event),
      )
      const stopMetrics = deps.onNewWindows((nodeIds) => {
        for (const event of metricsEvents(nodeIds, deps.now())) stream.sendEvent(event)
      })
      const check = async () => {
        if (!(await mayStillListen(request))) stream.close()
      }
      const timer = setInterval(() => check().catch(() => stream.close()), CALLER_CHECK_MS)
      const following = follow(events, stream, seen, {
        withFacts,
        onEvent: (stored) => {
          if (ENDS_STREAMS.has(stored.event.kind)) check().catch(() => stream.close())
        },
      })
      stream.onClose(() => {
        clearInterval(timer)
        stopMetrics()
        following.stop()
      })
      try {
        await following.caughtUp
      } catch (error) {
        request.log.error({ err: error }, 'missed events could not be read; the client asks again')
        stream.close()
      }
    },
  )
}

/** Not stored: who missed one fetches with the next. */
function metricsEvents(nodeIds: string[], nowMs: number): Event[] {
  const at = new Date(nowMs).toISOString()
  const ids = nodeIds.length > MANY_NODES ? ['*'] : nodeIds
  return ids.map((id) => ({ kind: 'metrics', id, action: 'recorded', at }))
}

type Telling = {
  withFacts: (event: Event) => Promise<Event>
  onEvent: (stored: StoredEvent) => void
}
type Following = { caughtUp: Promise<void>; stop: () => void }

/** First what was missed, then what comes, each once and in order. */
function follow(
  events: EventLog,
  stream: EventStream,
  seen: number | null,
  { withFacts, onEvent }: Telling,
): Following {
  let last = seen ?? events.lastId()
  // What is published while the past is read is a later part of it: kept back, then sent if still new.
  let held: StoredEvent[] | null = []
  /** What was missed comes as it is: a thousand with what nodes are like would be more than a slow reader takes. */
  const send = (stored: StoredEvent, isNew: boolean) => {
    if (stored.id <= last) return
    last = stored.id
    const { id, event } = stored
    stream.sendEvent(isNew && event.kind === 'node' ? withFacts(event) : event, id)
    onEvent(stored)
  }
  const stop = events.subscribe((stored) => (held ? held.push(stored) : send(stored, true)))
  const catchUp = async () => {
    const missed = seen === null ? [] : await events.after(seen, REPLAY_MAX + 1)
    if (missed.length > REPLAY_MAX || last > events.lastId()) {
      last = events.lastId()
      stream.sendNamed('resync')
    } else {
      for (const stored of missed) send(stored, false)
    }
    stream.setId(last)
    const waiting = held ?? []
    held = null
    for (const stored of waiting) send(stored, true)
  }
  return { caughtUp: catchUp(), stop }
}
