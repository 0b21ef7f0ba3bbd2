// SPDX-License-Identifier: MIT
// A stream whose events take a look at the database before they are sent: whether its reader may hear of them, what they
// bring along. They wait in line: order and ids stay as they were.
import type { Event } from '../../audit/event.ts'
import type { SseStream } from '../../plugins/sse.ts'

export type EventStream = Omit<SseStream, 'send'> & {
  sendEvent(event: Event | Promise<Event>, id?: number): void
  sendNamed(name: string): void
}

export function orderedStream(
  stream: SseStream,
  isVisible: (event: Event) => Promise<boolean> | boolean,
): EventStream {
  let line: Promise<unknown> = Promise.resolve()
  const later = (work: () => Promise<void> | void) => {
    line = line.then(work).catch(() => stream.close())
  }
  return {
    sendEvent: (event, id) =>
      later(async () => {
        // What it brings was read before it is looked whether they may hear it, not after.
        const data = await event
        if (await isVisible(data)) stream.send({ ...(id !== undefined && { id }), data })
      }),
    sendNamed: (name) =>
      later(() => {
        stream.send({ event: name, data: {} })
      }),
    setId: (id) => later(() => stream.setId(id)),
    close: () => later(() => stream.close()),
    onClose: (listener) => stream.onClose(listener),
    get closed() {
      return stream.closed
    },
  }
}
