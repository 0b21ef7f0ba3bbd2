// SPDX-License-Identifier: MIT
// Live updates from GET /events, kept apart from React.
//
// Events say what changed, so what reaches the caller is a set of kinds, gathered for a
// moment, to be fetched again; of nodes also which, and how they stand. A stream that fails is taken up again by the browser or by us; until
// it is back the caller is told to poll. A hidden tab tells its caller nothing until it is looked at,
// and gives its stream back after a minute.

import type { EventKind, NodeFacts } from '../api-types.ts'
import { listenTogether } from './shared.ts'
import type { Listen, Said } from './stream.ts'

/** In the order of a menu; none that the API knows is left out. */
const allKinds = {
  node: true,
  config: true,
  release: true,
  rollout: true,
  group: true,
  certificate: true,
  'certificate-authority': true,
  'dns-webhook': true,
  user: true,
  session: true,
  token: true,
  webhook: true,
  alert: true,
  'alert-rule': true,
  'alert-silence': true,
  backup: true,
  system: true,
  metrics: true,
} satisfies Record<EventKind, true>
export const eventKinds = Object.keys(allKinds) as EventKind[]

/** polling: the stream is away, everything is asked for again every few seconds. */
export type LiveState = 'connecting' | 'live' | 'polling'

/** `number`: as answers are numbered (`revision`). `node` is left out when many change at once. */
export type NodeEvent = { number: number; id: string; action: string; node?: NodeFacts }
export type Change = {
  kinds: ReadonlySet<EventKind>
  /** In their order; null: any node may have changed in any way. */
  nodes: readonly NodeEvent[] | null
}

export type LiveOptions = {
  url: string
  onChange: (change: Change) => void
  onState: (state: LiveState) => void
  listen?: Listen
}

const GATHER_MS = 250
// New windows arrive every few seconds per node; charts need no more than this.
const GATHER_METRICS_MS = 2000
const POLL_MS = 5000
const RETRY_MS = 5000
const HIDDEN_MS = 60_000
/** More are not kept one by one: all that is shown is read again. */
const NODES_KEPT = 1000

const isEventKind = (value: unknown): value is EventKind =>
  eventKinds.some((kind) => kind === value)

export function connectLive(options: LiveOptions): () => void {
  const listen = options.listen ?? listenTogether
  const pending = new Set<EventKind>()
  let nodes: NodeEvent[] | null = []
  let closeStream: (() => void) | null = null
  let gatherTimer: ReturnType<typeof setTimeout> | undefined
  let gatherDueAt = Number.POSITIVE_INFINITY
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined
  let pollTimer: ReturnType<typeof setInterval> | undefined

  const flush = () => {
    clearTimeout(gatherTimer)
    gatherDueAt = Number.POSITIVE_INFINITY
    if (pending.size === 0 || document.hidden) return
    const change = { kinds: new Set(pending), nodes }
    pending.clear()
    nodes = []
    options.onChange(change)
  }
  const gather = (kind: EventKind) => {
    pending.add(kind)
    const delay = kind === 'metrics' ? GATHER_METRICS_MS : GATHER_MS
    const dueAt = Date.now() + delay
    if (dueAt >= gatherDueAt) return
    clearTimeout(gatherTimer)
    gatherDueAt = dueAt
    gatherTimer = setTimeout(flush, delay)
  }
  const refreshAll = () => {
    for (const kind of eventKinds) pending.add(kind)
    nodes = null
    flush()
  }
  const receive = (said: Extract<Said, { is: 'event' }>) => {
    let data: unknown
    try {
      data = JSON.parse(said.data)
    } catch {
      return
    }
    const kind = typeof data === 'object' && data !== null && 'kind' in data ? data.kind : undefined
    if (!isEventKind(kind)) return
    if (kind === 'node') {
      const { id, action, node } = data as NodeEvent
      nodes?.push({ number: Number(said.id), id, action, ...(node && { node }) })
      if (nodes && nodes.length > NODES_KEPT) nodes = null
    }
    gather(kind)
  }

  const startPolling = () => {
    if (pollTimer !== undefined) return
    options.onState('polling')
    pollTimer = setInterval(refreshAll, POLL_MS)
  }
  const stopPolling = () => {
    clearInterval(pollTimer)
    pollTimer = undefined
  }
  const close = () => {
    closeStream?.()
    closeStream = null
    clearTimeout(retryTimer)
  }
  const open = () => {
    close()
    let wasOpen = false
    const hear = (said: Said) => {
      if (said.is === 'event') return receive(said)
      if (said.is === 'resync') return refreshAll()
      if (said.is === 'lost') {
        startPolling()
        if (said.isOver) retryTimer = setTimeout(open, RETRY_MS)
        return
      }
      // What happened while no stream was open is in no event we are sure to get.
      if (wasOpen || pollTimer !== undefined) refreshAll()
      wasOpen = true
      stopPolling()
      options.onState('live')
    }
    closeStream = listen(options.url, hear)
  }

  const onVisibility = () => {
    clearTimeout(hiddenTimer)
    if (document.hidden) {
      hiddenTimer = setTimeout(() => {
        close()
        stopPolling()
        options.onState('connecting')
      }, HIDDEN_MS)
    } else if (closeStream === null) {
      open()
      refreshAll()
    } else flush()
  }

  document.addEventListener('visibilitychange', onVisibility)
  options.onState('connecting')
  open()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    clearTimeout(hiddenTimer)
    clearTimeout(gatherTimer)
    close()
    stopPolling()
  }
}
