// SPDX-License-Identifier: MIT
// One attempt to tell an event by mail, for a webhook whose address is mailto:. It is in the same line as all that is told,
// with the same tries; what a mail server says decides as RFC 5321 (4.2.1) has it: 4yz is for now, 5yz is for good.
import type { SentMessageInfo } from 'nodemailer'
import type { SmtpConfig } from '../../environment/smtp.ts'
import { mailOf } from './mail.ts'
import type { Message } from './rules.ts'
import { NOT_AGAIN, type Outcome, REASON_MAX, RESPONSE_BYTES, TIMEOUT_MS } from './send.ts'

/** Each part of the talk has its own time; all together as long as three of them. */
const PARTS = 3

type Mailing = {
  smtp: SmtpConfig | null
  to: string
  message: Message
  /** Where it comes from: of several farms one wants to know which. */
  farm: string
  signal: AbortSignal
  timeoutMs?: number
}

export async function sendMail(mailing: Mailing): Promise<Outcome> {
  const startedAt = performance.now()
  const outcome = await attempt(mailing)
  return { ...outcome, retryAfterMs: null, durationMs: Math.round(performance.now() - startedAt) }
}

type Attempt = Omit<Outcome, 'durationMs' | 'retryAfterMs'>

const NOT_SET_UP: Attempt = {
  verdict: 'again',
  status: null,
  error: 'No mail server is set up: FARMSTEAD_SMTP_URL',
  response: '',
}

async function attempt({
  smtp,
  to,
  message,
  farm,
  signal,
  timeoutMs = TIMEOUT_MS,
}: Mailing): Promise<Attempt> {
  if (smtp === null) return NOT_SET_UP
  const { host, port, isTls, from, signIn } = smtp
  // Most farms send none: the service's start does not read it.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    ...{ host, port, secure: isTls },
    // A password is told to nobody who does not show a certificate.
    ...(signIn && { auth: { user: signIn.user, pass: signIn.password }, requireTLS: true }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // What is written in an event is text: no file is read and no address fetched for it.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  try {
    signal.throwIfAborted()
    const info: SentMessageInfo = await within(
      { ms: timeoutMs, signal },
      transport.sendMail({ ...mailOf(message, { farm, from }), from, to }),
    )
    const response = String(info.response ?? '').slice(0, RESPONSE_BYTES)
    return { verdict: 'delivered', status: codeIn(response), error: null, response }
  } catch (error) {
    return refusal(error)
  } finally {
    transport.close()
  }
}

type Bounds = { ms: number; signal: AbortSignal }

/** Also ends when the service stops: the library's own talk cannot be cut off, and has its times. */
async function within<T>({ ms, signal }: Bounds, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const stop = () => late.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(
    () => late.reject(new Error(`Not taken within ${(PARTS * ms) / 1000} s`)),
    PARTS * ms,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    work.catch(() => {})
  }
}

function refusal(error: unknown): Attempt {
  const { responseCode, response, message } = error as {
    responseCode?: number
    response?: string
    message?: string
  }
  const status = responseCode ?? null
  const said = String(message ?? error)
  // Signing in, and TLS, are the server's business or ours, whatever the event: it may be mended.
  const isOfTheMail = status !== null && status >= 550 && status < 560
  const reason = isOfTheMail ? `${said}: ${NOT_AGAIN}` : said
  return {
    verdict: isOfTheMail ? 'passed' : 'again',
    status,
    error: reason.slice(0, REASON_MAX),
    response: String(response ?? '').slice(0, RESPONSE_BYTES),
  }
}

const codeIn = (response: string): number | null => Number(/^\d{3}/.exec(response)?.[0]) || null
