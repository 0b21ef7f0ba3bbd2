// SPDX-License-Identifier: MIT
// What changes, as it changes: server-sent events. A stream that breaks is taken up where it was.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './api.ts'

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

export async function* messagesOf({ body }: Response): AsyncGenerator<Message> {
  if (!body) return
  let message = { event: 'message', id: '', data: '' }
  for await (const line of linesOf(body)) {
    if (line === '') {
      yield message
      message = { event: 'message', id: '', data: '' }
      continue
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (field === 'data') message.data += message.data ? `\n${value}` : value
    else if (field === 'event' || field === 'id') message[field] = value
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}
