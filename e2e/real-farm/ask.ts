// SPDX-License-Identifier: MIT
// One request to a node, on a connection of its own, and the whole of its answer.
import { get, type IncomingHttpHeaders } from 'node:http'
import type { RealNode } from './node.ts'

const SILENT_MS = 5_000

/** `label`: the version's, in a header of every answer. `length`: as the header says it. */
export type Whole = {
  status: number
  label: string | null
  length: number | null
  body: Buffer
  headers: IncomingHttpHeaders
}
/** It did not come, or not to its end. */
export type Broken = { trouble: string; label: string | null }
type How = { silentMs?: number; headers?: Record<string, string> }

export function ask(
  { host: address, port }: Pick<RealNode, 'host' | 'port'>,
  path: string,
  host = address,
  { silentMs: timeout = SILENT_MS, headers: more = {} }: How = {},
): Promise<Whole | Broken> {
  const { promise, resolve } = Promise.withResolvers<Whole | Broken>()
  const headers = { host, ...more }
  const options = { host: address, port, path, headers, agent: false, timeout }
  const asked = get(options, (response) => {
    const { 'x-version': version, 'content-length': length } = response.headers
    const label = typeof version === 'string' ? version : null
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', ({ message }) => resolve({ trouble: message, label }))
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        length: length === undefined ? null : Number(length),
        body: Buffer.concat(chunks),
        label,
        headers: response.headers,
      }),
    )
  })
  asked.on('timeout', () => asked.destroy(new Error('no answer')))
  asked.on('error', ({ message }) => resolve({ trouble: message, label: null }))
  return promise
}
