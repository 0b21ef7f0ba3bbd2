// SPDX-License-Identifier: MIT
// One request to a CA, with bounds on everything: time, size, no redirects (where they lead nobody has checked), https only.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import { AuthorityFailure } from './authority.ts'

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }
export type ExchangeOptions = {
  /** PEM; besides the roots that everybody trusts. null: those alone. */
  trustedRoots: string | null
  /** Which addresses may be reached. */
  guard: { checkLiteral(url: URL): void; lookup: LookupFunction }
  userAgent: string
  signal: AbortSignal
  timeoutMs?: number
}
export type Exchange = ReturnType<typeof createExchange>

/** A chain has a few KiB, an order of a hundred names some 30. */
const BODY_BYTES = 512 * 1024
const TIMEOUT_MS = 30_000

export function createExchange(options: ExchangeOptions) {
  const { guard, userAgent, trustedRoots } = options
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const ca = trustedRoots === null ? undefined : [...rootCertificates, trustedRoots]
  return async (method: string, target: string, body?: string): Promise<Answer> => {
    const url = URL.parse(target)
    if (url?.protocol !== 'https:') {
      throw new AuthorityFailure('away', `The CA names an address that is not https: ${target}`)
    }
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      guard.checkLiteral(url)
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const asked = request(url, {
        method,
        ca,
        agent: false,
        lookup: guard.lookup,
        signal: AbortSignal.any([options.signal, timeout]),
        headers: {
          'user-agent': userAgent,
          ...(body !== undefined && {
            'content-type': 'application/jose+json',
            'content-length': Buffer.byteLength(body),
          }),
        },
      })
      asked.once('response', resolve).on('error', reject).end(body)
      const answer = await promise
      const read = await wholeBody(answer, url)
      const status = answer.statusCode ?? 0
      if (status >= 300 && status < 400) {
        throw new AuthorityFailure(
          'away',
          `${url.host} answered ${status}: redirects are not followed, give the address it leads to`,
        )
      }
      return { status, headers: answer.headers, body: read }
    } catch (error) {
      if (error instanceof AuthorityFailure) throw error
      const why = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error)
      throw new AuthorityFailure('away', `${url.host} could not be asked: ${why}`)
    }
  }
}

async function wholeBody(answer: IncomingMessage, url: URL): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    size += chunk.length
    if (size > BODY_BYTES) {
      throw new AuthorityFailure('away', `${url.host} answered with more than 512 KiB`)
    }
  }
  return Buffer.concat(chunks)
}

function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return (first instanceof Error ? first.message : String(first)).slice(0, 300)
}
