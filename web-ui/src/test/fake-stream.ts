// SPDX-License-Identifier: MIT
import type { EventKind } from '../lib/api-types.ts'
import type { NodeEvent } from '../lib/live.ts'

/** A stream that opens and then says what a test has it say. */
export class FakeStream {
  static readonly CLOSED = 2
  static newest: FakeStream | null = null
  readyState = 1
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  onmessage: ((event: MessageEvent) => void) | null = null
  constructor() {
    FakeStream.newest = this
    queueMicrotask(() => this.onopen?.())
  }
  addEventListener() {}
  close() {}
}

/** As when the control plane says that something of this kind changed. */
export function say(kind: EventKind): void {
  const data = JSON.stringify({ kind })
  FakeStream.newest?.onmessage?.(new MessageEvent('message', { data }))
}

/** As when it says what happened to a node, and how the node stands now. */
export function sayOfNode({ number, ...event }: NodeEvent): void {
  const data = JSON.stringify({ kind: 'node', ...event })
  const lastEventId = String(number)
  FakeStream.newest?.onmessage?.(new MessageEvent('message', { data, lastEventId }))
}
