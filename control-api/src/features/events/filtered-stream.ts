// SPDX-License-Identifier: MIT
// A stream that says nothing its reader may not hear of. Looking takes a query, so what is sent waits in
// line: order and ids stay as they were.
import type { Event } from '../../audit/event.ts'
import type { SseStream } from '../../plugins/sse.ts'

export function filteredStream(
  stream: SseStream,
  isVisible: (event: Event) => Promise<boolean>,
): SseStream {
  let line: Promise<unknown> = Promise.resolve()
  const later = (work: () => Promise<void> | void) => {
    line = line.then(work).catch(() => stream.close())
  }
  return {
    send(message) {
      later(async () => {
        const isNamed = message.event !== undefined
        if (isNamed || (await isVisible(message.data as Event))) stream.send(message)
      })
      return !stream.closed
    },
    setId: (id) => later(() => stream.setId(id)),
    close: () => stream.close(),
    onClose: (listener) => stream.onClose(listener),
    get closed() {
      return stream.closed
    },
  }
}
