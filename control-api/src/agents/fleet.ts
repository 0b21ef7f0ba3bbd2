// SPDX-License-Identifier: MIT
// Who is here now: in memory, because after a restart nobody is until they speak. Holds the long polls
// and wakes them.
import { performance } from 'node:perf_hooks'
import type { Gauges } from './messages.gen.ts'

/** Three missed reports. The console's "unknown" begins here. */
export const STALE_AFTER_MS = 15_000
/** A node that hung up its long poll and says nothing else: its process has ended. */
const HUNG_UP_AFTER_MS = 4000
const SWEEP_MS = 1000

export type Woken = 'woken' | 'timeout' | 'gone' | 'closing'
export type Wait = { result: Promise<Woken>; end(why: Woken): void }
export type Presence = {
  connected: boolean
  /** Wall clock, for people. */
  lastSeenAtMs: number | null
  gauges: Gauges
}

type Entry = {
  connected: boolean
  lastSeenAtMs: number
  /** Monotonic: a jump of the wall clock must not make the farm vanish. */
  seenAt: number
  hungUpAt: number | null
  gauges: Gauges
  poll: Wait | null
}

type Options = {
  now: () => number
  monotonicMs?: () => number
  onPresence: (nodeId: string, change: 'connected' | 'disconnected') => void
}

const NEVER_SEEN: Presence = { connected: false, lastSeenAtMs: null, gauges: {} }

export class Fleet {
  readonly #entries = new Map<string, Entry>()
  readonly #options: Required<Options>
  readonly #timer: NodeJS.Timeout
  #closing = false

  constructor(options: Options) {
    this.#options = { monotonicMs: () => performance.now(), ...options }
    this.#timer = setInterval(() => this.sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  /** The node said something. */
  seen(nodeId: string): void {
    const { now, monotonicMs, onPresence } = this.#options
    const entry = this.#entry(nodeId)
    entry.lastSeenAtMs = now()
    entry.seenAt = monotonicMs()
    entry.hungUpAt = null
    if (entry.connected || this.#closing) return
    entry.connected = true
    onPresence(nodeId, 'connected')
  }

  presence(nodeId: string): Presence {
    return this.#entries.get(nodeId) ?? NEVER_SEEN
  }

  setGauges(nodeId: string, gauges: Gauges): void {
    this.#entry(nodeId).gauges = gauges
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
    this.#entries.get(nodeId)?.poll?.end('woken')
  }

  wakeAll(): void {
    for (const { poll } of this.#entries.values()) poll?.end('woken')
  }

  /** Decommissioned: its poll ends, and it is not spoken of again. */
  forget(nodeId: string): void {
    this.#entries.get(nodeId)?.poll?.end('gone')
    this.#entries.delete(nodeId)
  }

  /** Finds who went silent. Runs every second; tests call it. */
  sweep(): void {
    const at = this.#options.monotonicMs()
    for (const [nodeId, entry] of this.#entries) {
      const silent = at - entry.seenAt > STALE_AFTER_MS
      const hungUp = entry.hungUpAt !== null && at - entry.hungUpAt > HUNG_UP_AFTER_MS
      if (!entry.connected || (!silent && !hungUp)) continue
      entry.connected = false
      this.#options.onPresence(nodeId, 'disconnected')
    }
  }

  close(): void {
    this.#closing = true
    clearInterval(this.#timer)
    for (const { poll } of this.#entries.values()) poll?.end('closing')
  }

  #entry(nodeId: string): Entry {
    const known = this.#entries.get(nodeId)
    if (known) return known
    const entry: Entry = {
      connected: false,
      lastSeenAtMs: this.#options.now(),
      seenAt: this.#options.monotonicMs(),
      hungUpAt: null,
      gauges: {},
      poll: null,
    }
    this.#entries.set(nodeId, entry)
    return entry
  }
}
