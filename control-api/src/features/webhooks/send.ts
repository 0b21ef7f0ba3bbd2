// SPDX-License-Identifier: MIT
// One attempt. Redirects are not followed: where they lead nobody has checked.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { retryAfterMs, type Verdict, verdictOf } from './rules.ts'
import type { Guard } from './targets.ts'

export type Outcome = {
  verdict: Verdict
  /** Of HTTP or, to mailto:, of SMTP; null: no answer came. */
  status: number | null
  error: string | null
  response: string
  durationMs: number
  /** When they want to be asked again; null: they do not say. */
  retryAfterMs: number | null
}
type Sending = {
  url: string
  headers: Record<string, string>
  body: string
  guard: Guard
  /** The service stops. */
  signal: AbortSignal
  timeoutMs?: number
}

export const TIMEOUT_MS = 10_000
/** Kept of an answer. */
export const RESPONSE_BYTES = 4096

export async function send({ timeoutMs = TIMEOUT_MS, ...sending }: Sending): Promise<Outcome> {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  const outcome = await exchange(sending, AbortSignal.any([sending.signal, timeout])).catch(
    (error: unknown) => ({
      verdict: 'again' as const,
      status: null,
      error: timeout.aborted ? `No answer within ${timeoutMs / 1000} s` : reasonOf(error),
      response: '',
      retryAfterMs: null,
    }),
  )
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
}

async function exchange(
  { url, headers, body, guard }: Omit<Sending, 'timeoutMs'>,
  signal: AbortSignal,
): Promise<Omit<Outcome, 'durationMs'>> {
  const target = new URL(url)
  // The lookup is not asked about what is an address already.
  guard.checkLiteral(target)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const bytes = Buffer.from(body, 'utf8')
  const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
    method: 'POST',
    headers: { ...headers, 'content-length': bytes.length },
    agent: false,
    lookup: guard.lookup,
    signal,
  })
  request.once('response', resolve).on('error', reject).end(bytes)
  const answer = await promise
  const status = answer.statusCode ?? 0
  const response = await beginningOf(answer)
  request.destroy()
  const verdict = verdictOf(status)
  const again = retryAfterMs(answer.headers['retry-after'], Date.now())
  const error = verdict === 'delivered' ? null : refusalOf(status)
  return { verdict, status, error, response, retryAfterMs: again }
}

/** The status counts, and that is here: a body that breaks off or goes on for ever changes nothing. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= RESPONSE_BYTES) break
    }
  } catch {
    // Said above.
  }
  return Buffer.concat(chunks)
    .subarray(0, RESPONSE_BYTES)
    .toString('utf8')
    .replaceAll('\0', '\ufffd')
}

/** What people read of an event that is left behind. */
export const NOT_AGAIN = 'not sent again, later events go on'

function refusalOf(status: number): string {
  if (status >= 300 && status < 400) {
    return `Answered ${status}: redirects are not followed, use the address it leads to; ${NOT_AGAIN}`
  }
  const isPassed = verdictOf(status) === 'passed'
  return `Answered ${status}${isPassed ? `: ${NOT_AGAIN}` : ''}`
}

export const REASON_MAX = 300

function reasonOf(error: unknown): string {
  // Of several addresses each has its own reason; the first will do.
  const first = error instanceof AggregateError ? error.errors[0] : error
  return (first instanceof Error ? first.message : String(first)).slice(0, REASON_MAX)
}
