// SPDX-License-Identifier: MIT
// What changes, as it changes: server-sent events. A stream that breaks is taken up where it was.
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import type { Api } from './api.ts'
import { Failure } from './failures.ts'

export type Change = { kind: string; id: string; action: string }
type Message = { event: string; id: string; data: string }

const RECONNECT_MS = 1000

/**
 * The first value comes as soon as the stream is open: what is fetched after it misses no change.
 * null: anything may have changed, fetch all again.
 */
export async function* changes(api: Api, stop: AbortSignal): AsyncGenerator<Change | null> {
  let lastId: string | null = null
  while (!stop.aborted) {
    try {
      for await (const { event, id, data } of stream(api, lastId)) {
        if (id) lastId = id
        if (event === 'open' || event === 'resync') yield null
        else if (event === 'message' && data) yield JSON.parse(data)
      }
    } catch (error) {
      if (!stop.aborted && !isDropped(error)) throw error
    }
    await sleep(RECONNECT_MS, undefined, { signal: stop }).catch(() => {})
  }
}

/** Who stops reading ends the stream: else it would keep the process. */
async function* stream(api: Api, lastId: string | null): AsyncGenerator<Message> {
  const response = await open(api, lastId)
  try {
    yield { event: 'open', id: '', data: '' }
    yield* messagesOf(response)
  } finally {
    await response.body?.cancel().catch(() => {})
  }
}

function open(api: Api, lastId: string | null): Promise<Response> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastId !== null && { 'last-event-id': lastId }),
  }
  return api.send(new Request(`${api.url}/api/v1/events`, { headers }))
}

/** The stream's own end, as fetch tells it: a TypeError "terminated". */
const isDropped = (error: unknown) => error instanceof TypeError

/** Far more than an event of ours may have: what never ends must not fill the memory. */
const MAX_EVENT_CHARACTERS = 1024 * 1024

/** An id that comes without data is a message as well: it says from where to go on. */
export async function* messagesOf({ body, url }: Response): AsyncGenerator<Message> {
  const found: Message[] = []
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onId: (id) => found.push({ event: 'message', id, data: '' }),
    onEvent: ({ event = 'message', id = '', data }) => found.push({ event, id, data }),
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return
      throw new Failure(`${url} sends an event without end. Is it a Farmstead control plane?`)
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* found.splice(0)
  }
}
