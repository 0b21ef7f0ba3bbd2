// SPDX-License-Identifier: MIT
// One file as somebody serves it: its bytes are hashed as they come, and kept nowhere.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { Place } from './urls.ts'

export type Served = {
  status: number
  sha256: string
  size: number
  headers: http.IncomingHttpHeaders
}
export type Asker = {
  ask(place: Place, path: string): Promise<Served | { fault: string }>
  close(): void
}

/** Between two pieces of an answer: a large file takes as long as it takes. */
const SILENT_MS = 10_000

/** Connections stay open for the next file. They go nowhere but where the place says, through no proxy. */
export function createAsker(options: {
  connections: number
  ca: string | undefined
  insecure: boolean
  stop: AbortSignal
}): Asker {
  const { connections: maxSockets, ca, insecure, stop: signal } = options
  const believed = { ...(ca !== undefined && { ca }), rejectUnauthorized: !insecure }
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets }),
    'https:': new https.Agent({ keepAlive: true, maxSockets, ...believed }),
  }

  function open({ url, at }: Place, path: string): http.ClientRequest {
    const target = new URL(path, url)
    const isTls = target.protocol === 'https:'
    const common = {
      ...{ path: target.pathname, signal, timeout: SILENT_MS },
      host: at?.host ?? target.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: at?.port ?? (target.port || undefined),
      headers: {
        ...{ host: target.host, 'accept-encoding': 'identity' },
        // Nobody says a digest unasked (RFC 9530).
        'want-repr-digest': 'sha-256=1',
      },
    }
    if (!isTls) return http.get({ ...common, agent: agents['http:'] })
    // Asked for by its name wherever it is: that is what its certificate is of.
    return https.get({ ...common, agent: agents['https:'], servername: target.hostname })
  }

  return {
    async ask(place, path) {
      try {
        const request = open(place, path)
        request.on('timeout', () => request.destroy(new Error(`silent for ${SILENT_MS / 1000} s`)))
        const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
        const hash = createHash('sha256')
        let size = 0
        for await (const chunk of answer) {
          hash.update(chunk)
          size += chunk.length
        }
        const { statusCode: status = 0, headers } = answer
        return { status, sha256: hash.digest('hex'), size, headers }
      } catch (error) {
        signal.throwIfAborted()
        return { fault: error instanceof Error ? error.message || String(error) : String(error) }
      }
    },
    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}
