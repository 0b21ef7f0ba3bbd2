// SPDX-License-Identifier: MIT
import type { EventKind } from '../lib/api-types.ts'
import type { NodeEvent } from '../lib/live/live.ts'

const BEAT_MS = 15_000

/** A stream that opens and then says what a test has it say, and that it is there. */
export class FakeStream extends EventTarget {
  static readonly CLOSED = 2
  static newest: FakeStream | null = null
  readyState = 1
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  readonly #beating = setInterval(() => this.dispatchEvent(new Event('heartbeat')), BEAT_MS)
  constructor() {
    super()
    FakeStream.newest = this
    queueMicrotask(() => this.onopen?.())
  }
  close() {
    clearInterval(this.#beating)
  }
}

const tell = (data: object, lastEventId = '') =>
  FakeStream.newest?.dispatchEvent(
    new MessageEvent('message', { data: JSON.stringify(data), lastEventId }),
  )

/** As when the control plane says that something of this kind changed. */
export function say(kind: EventKind): void {
  tell({ kind })
}

/** As when it says what happened to a node, and how the node stands now. */
export function sayOfNode({ number, ...event }: NodeEvent): void {
  tell({ kind: 'node', ...event }, String(number))
}
