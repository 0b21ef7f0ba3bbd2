// SPDX-License-Identifier: MIT
// One request and its whole answer, with the bytes as they are sent: fetch() would take a coding off them.
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { Failure } from '../failures.ts'

export const BODY_MAX = 64 * 1024 * 1024
const ANSWER_WITHIN_MS = 10_000

export type AskOptions = {
  /** Where the host of every URL is: looked up once, by whoever saw that it may be asked. */
  address: string
  stop: AbortSignal
  headers: Record<string, string>
  /** Of whom a certificate is wanted, when it is not the URL's host. */
  servername?: string | null
  /** PEM. */
  ca?: string | undefined
  insecure: boolean
}
export type Answer = { status: number; headers: http.IncomingHttpHeaders; body: Buffer }

export async function ask(
  url: URL,
  { address, stop, headers, servername, ca, insecure }: AskOptions,
): Promise<Answer> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN_MS)])
  const get = url.protocol === 'https:' ? https.get : http.get
  const wanted = { ...(ca ? { ca } : {}), ...(servername ? { servername } : {}) }
  const believed = { ...wanted, rejectUnauthorized: !insecure }
  try {
    // An agent of its own: the common one may go through a proxy, and so to another server.
    const there = { agent: false, lookup: alwaysAt(address) }
    const request = get(url, { signal, headers, ...there, ...believed })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > BODY_MAX) throw new Failure(`${url.href} is larger than 64 MiB.`)
      chunks.push(chunk)
    }
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(chunks),
    }
  } catch (error) {
    if (stop.aborted || error instanceof Failure) throw error
    throw new Failure(`${url.href}: ${error instanceof Error ? error.message : error}`)
  }
}

const alwaysAt =
  (address: string): LookupFunction =>
  (_host, { all }, done) => {
    const family = isIPv6(address) ? 6 : 4
    if (all) done(null, [{ address, family }])
    else done(null, address, family)
  }
