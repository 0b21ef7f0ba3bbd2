// SPDX-License-Identifier: MIT
// Who is here now: in memory, because after a restart nobody is until they speak. Holds the long polls
// and wakes them.
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Gauges } from '../agent-protocol/messages.gen.ts'
import { ReleasesAhead } from './ahead.ts'
import { Connections } from './connections.ts'
import { type HostSample, withOffset } from './host.ts'
import { KeptReleases } from './kept-releases.ts'
import { ReleasePreviews } from './release-previews.ts'

/** Three missed reports, at the usual time between two; the console's "unknown" begins here. */
export const STALE_AFTER_MS = 15_000
const MISSED_REPORTS = 3
/** A node that hung up its long poll and says nothing else: its process has ended. */
const HUNG_UP_AFTER_MS = 4000
const SWEEP_MS = 1000
/** Each woken one is looked up anew, and most are answered: more in one turn of the loop would hold up everybody else. */
const WOKEN_AT_ONCE = 25
/** For the refusal to reach who waits, before the connection is cut. */
const CUT_AFTER_MS = 250

export type Woken = 'woken' | 'timeout' | 'gone' | 'closing'
export type Wait = { result: Promise<Woken>; end(why: Woken): void }
export type Presence = {
  connected: boolean
  /** Wall clock, for people. */
  lastSeenAtMs: number | null
  gauges: Gauges
  /** The newest two. */
  host: KnownHost | null
  /** Why it was not let in when it last tried; null: it was. */
  refused: Refused | null
}
export type Refused = { code: string; atMs: number }

/** clockOffsetsMs: of the newest reports, the node's clock before ours. */
export type KnownHost = {
  newest: HostSample
  before: HostSample | null
  clockOffsetsMs: readonly number[]
}

type Entry = {
  connected: boolean
  lastSeenAtMs: number | null
  /** Monotonic: a jump of the wall clock must not make the farm vanish. */
  seenAt: number
  hungUpAt: number | null
  /** As it was told last; between two it may be silent all the while. */
  reportEveryMs: number
  gauges: Gauges
  host: Presence['host']
  refused: Refused | null
  poll: Wait | null
  sockets: Set<Socket>
}

type Options = {
  now: () => number
  monotonicMs?: () => number
  onPresence: (nodeId: string, change: 'connected' | 'disconnected') => void
}

const NEVER_SEEN: Presence = {
  connected: false,
  lastSeenAtMs: null,
  gauges: {},
  host: null,
  refused: null,
}

export class Fleet {
  readonly connections = new Connections()
  readonly previews = new ReleasePreviews({
    now: () => this.#options.now(),
    wake: (nodeId) => this.wake(nodeId),
  })
  readonly ahead = new ReleasesAhead({
    wake: (nodeId) => this.wake(nodeId),
    previewed: (nodeId) => this.previews.versionsFor(nodeId),
  })
  readonly keptReleases = new KeptReleases()
  readonly #entries = new Map<string, Entry>()
  readonly #options: Required<Options>
  readonly #timer: NodeJS.Timeout
  /** Polls that are to be woken, as there is a turn for them. */
  readonly #woken = new Set<Wait>()
  #closing = false

  constructor(options: Options) {
    this.#options = { monotonicMs: () => performance.now(), ...options }
    this.#timer = setInterval(() => this.sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  /** The node said something. */
  seen(nodeId: string): void {
    const { now, monotonicMs } = this.#options
    const entry = this.#entry(nodeId)
    entry.refused = null
    entry.lastSeenAtMs = now()
    entry.seenAt = monotonicMs()
    entry.hungUpAt = null
    if (!entry.connected && !this.#closing) this.#turn(nodeId, entry, 'connected')
  }

  /** It speaks over this connection. */
  track(nodeId: string, socket: Socket): void {
    const { sockets } = this.#entry(nodeId)
    if (sockets.has(socket)) return
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }

  /** It was told to report as often as that. */
  toReport(nodeId: string, everyMs: number): void {
    const entry = this.#entries.get(nodeId)
    if (entry) entry.reportEveryMs = everyMs
  }

  /** It tried, and was turned away. Says nothing about what it runs. */
  refused(nodeId: string, code: string): void {
    const entry = this.#entries.get(nodeId) ?? this.#entry(nodeId, null)
    entry.refused = { code, atMs: this.#options.now() }
  }

  presence(nodeId: string): Presence {
    return this.#entries.get(nodeId) ?? NEVER_SEEN
  }

  connectedIds(): string[] {
    return [...this.#entries].filter(([, { connected }]) => connected).map(([nodeId]) => nodeId)
  }

  setGauges(nodeId: string, gauges: Gauges): void {
    this.#entry(nodeId).gauges = gauges
  }

  setHost(nodeId: string, newest: HostSample): void {
    const entry = this.#entry(nodeId)
    const { newest: before = null, clockOffsetsMs = [] } = entry.host ?? {}
    entry.host = { newest, before, clockOffsetsMs: withOffset(clockOffsetsMs, newest) }
  }

  /**
   * Begins a long poll. Call it before looking for news, so that none slips in between. A node has one:
   * a newer one ends the older.
   */
  wait(nodeId: string, waitMs: number): Wait {
    const entry = this.#entry(nodeId)
    entry.poll?.end('timeout')
    const { promise, resolve } = Promise.withResolvers<Woken>()
    const timer = setTimeout(() => wait.end('timeout'), waitMs)
    const wait: Wait = {
      result: promise,
      end: (why) => {
        clearTimeout(timer)
        if (entry.poll === wait) entry.poll = null
        this.#woken.delete(wait)
        resolve(why)
      },
    }
    entry.poll = wait
    if (this.#closing) wait.end('closing')
    return wait
  }

  /** The node hung up its long poll. */
  hungUp(nodeId: string): void {
    this.#entry(nodeId).hungUpAt = this.#options.monotonicMs()
  }

  wake(nodeId: string): void {
    const poll = this.#entries.get(nodeId)?.poll
    if (poll) this.#wakeSoon([poll])
  }

  wakeAll(): void {
    this.#wakeSoon([...this.#entries.values()].flatMap(({ poll }) => poll ?? []))
  }

  #wakeSoon(polls: readonly Wait[]): void {
    if (polls.length > 0 && this.#woken.size === 0) setImmediate(() => this.#wakeSome())
    for (const poll of polls) this.#woken.add(poll)
  }

  #wakeSome(): void {
    let left = WOKEN_AT_ONCE
    // Each takes itself out of the set.
    for (const poll of this.#woken) {
      if (left-- === 0) break
      poll.end('woken')
    }
    if (this.#woken.size > 0) setImmediate(() => this.#wakeSome())
  }

  /** Its identity is worth nothing now: what waits is answered, and its connections end. */
  cutOff(nodeId: string): void {
    const entry = this.#entries.get(nodeId)
    if (!entry) return
    entry.poll?.end('gone')
    for (const socket of entry.sockets) {
      setTimeout(() => socket.destroy(), CUT_AFTER_MS).unref()
    }
    if (entry.connected) this.#turn(nodeId, entry, 'disconnected')
  }

  /** Ends its long poll, so that it hears at once what became of it. */
  endPoll(nodeId: string): void {
    this.#entries.get(nodeId)?.poll?.end('gone')
  }

  /** Decommissioned: cut off, and not spoken of again. */
  forget(nodeId: string): void {
    this.cutOff(nodeId)
    this.ahead.forget(nodeId)
    this.previews.forget(nodeId)
    this.keptReleases.forget(nodeId)
    this.#entries.delete(nodeId)
  }

  /** Finds who went silent. Runs every second; tests call it. */
  sweep(): void {
    const at = this.#options.monotonicMs()
    for (const [nodeId, entry] of this.#entries) {
      const silent =
        at - entry.seenAt > Math.max(STALE_AFTER_MS, MISSED_REPORTS * entry.reportEveryMs)
      const hungUp = entry.hungUpAt !== null && at - entry.hungUpAt > HUNG_UP_AFTER_MS
      if (!entry.connected || (!silent && !hungUp)) continue
      this.#turn(nodeId, entry, 'disconnected')
    }
  }

  close(): void {
    this.#closing = true
    clearInterval(this.#timer)
    for (const { poll } of this.#entries.values()) poll?.end('closing')
  }

  #turn(nodeId: string, entry: Entry, change: 'connected' | 'disconnected'): void {
    entry.connected = change === 'connected'
    if (entry.connected) this.connections.add(nodeId)
    else this.connections.delete(nodeId)
    this.#options.onPresence(nodeId, change)
  }

  #entry(nodeId: string, lastSeenAtMs: number | null = this.#options.now()): Entry {
    const known = this.#entries.get(nodeId)
    if (known) return known
    const entry: Entry = {
      connected: false,
      lastSeenAtMs,
      seenAt: this.#options.monotonicMs(),
      hungUpAt: null,
      reportEveryMs: 0,
      gauges: {},
      host: null,
      refused: null,
      poll: null,
      sockets: new Set(),
    }
    this.#entries.set(nodeId, entry)
    return entry
  }
}
