// SPDX-License-Identifier: MIT
// The one place that knows HTTP. All of farmctl goes through the public API and its generated types.
import { randomUUID, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { paths } from '@farmstead/api-types'
import createClient, { type Client } from 'openapi-fetch'
import { EXIT } from './exit-codes.ts'
import { ApiError, Failure } from './failures.ts'
import { interrupted } from './terminal.ts'

export type Api = Client<paths> & { send(request: Request): Promise<Response>; url: string }
type Options = {
  url: string
  version: string
  stop: AbortSignal
  /** What says who calls; none: nobody is signed in yet. */
  headers?: Record<string, string>
  caFile?: string | null
  /** The environment has a proxy for some addresses. */
  hasProxy?: boolean
}

const RETRY_AFTER_MS = 500
/** Nothing was done by them, or a second time does nothing: with its key a POST is done once. */
const REPEATABLE = new Set(['GET', 'POST'])

export function connect({
  url,
  version,
  stop,
  headers = {},
  caFile,
  hasProxy = false,
}: Options): Api {
  if (caFile) trust(caFile)
  const send = async (request: Request) => {
    if (request.method === 'POST') request.headers.set('idempotency-key', randomUUID())
    const spare = REPEATABLE.has(request.method) ? request.clone() : null
    return refusedAsError(await answerOf(request, spare, { url, stop, hasProxy }))
  }
  const caller = { 'farmstead-client': `farmctl/${version}`, ...headers }
  const client = createClient<paths>({
    baseUrl: url,
    headers: { accept: 'application/json', ...caller },
    fetch: send,
  })
  // Answers that are no JSON are fetched by hand, as the same caller.
  const asCaller = (request: Request) => {
    for (const [name, value] of Object.entries(caller)) request.headers.set(name, value)
    return send(request)
  }
  return Object.assign(client, { send: asCaller, url })
}

async function answerOf(
  request: Request,
  spare: Request | null,
  where: { url: string; stop: AbortSignal; hasProxy: boolean },
): Promise<Response> {
  try {
    // Not in the Request: collected as garbage, it would take its signal along (nodejs/node#55428).
    return await fetch(request, { signal: where.stop })
  } catch (error) {
    if (where.stop.aborted) throw interrupted()
    if (spare === null || !isBroken(error)) throw explainNetwork(error, where)
    await sleep(RETRY_AFTER_MS, undefined, { signal: where.stop }).catch(() => {})
    return answerOf(spare, null, where)
  }
}

async function refusedAsError(response: Response): Promise<Response> {
  if (!response.ok) throw await ApiError.of(response)
  return response
}

/** Beside the system's own. */
function trust(caFile: string): void {
  const certificates = readFileSync(caFile, 'utf8').match(CERTIFICATE) ?? []
  try {
    // Those that are none are passed over in silence by what takes them.
    for (const one of certificates) new X509Certificate(one)
    if (certificates.length === 0) throw new Error('there is none')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Failure(
      `${caFile} holds no certificates in PEM (-----BEGIN CERTIFICATE-----): ${why}`,
    )
  }
  setDefaultCACertificates([...getCACertificates(), ...certificates])
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
const isBroken = (error: unknown) => BROKEN.has(codeOf(error))

/** What fetch threw for: it hides it one level down, or two when it tried several addresses. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause
  const code: unknown = inner instanceof Error && 'code' in inner ? inner.code : undefined
  return typeof code === 'string' ? code : ''
}

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there. Check the address, and that the control plane runs.',
  ENOTFOUND: 'there is no such host. Check the spelling and your DNS.',
  EAI_AGAIN: 'the name could not be looked up. Check your network and DNS.',
  ECONNRESET: 'the connection broke. Try again; a proxy in between may have ended it.',
  UND_ERR_SOCKET: 'the connection broke. Try again; a proxy in between may have ended it.',
  ETIMEDOUT: 'it does not answer. Check your network and any firewall.',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer. Check your network and any firewall.',
  EHOSTUNREACH: 'this machine has no way to it. Check your network.',
  ENETUNREACH: 'this machine has no way to it. Check your network.',
  CERT_HAS_EXPIRED: 'its certificate has expired. Renew it on the proxy in front of it.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name. Use the name it was made for.',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'it speaks no TLS there. If it is meant to be plain, write http://.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'it speaks no TLS there. If it is meant to be plain, write http://.',
}
/** fetch refuses some ports by itself, and says which only one level down. */
const causeOf = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
const UNTRUSTED =
  /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|DEPTH_ZERO|CERT_UNTRUSTED|SIGNATURE_FAILURE/

function explainNetwork(
  error: unknown,
  { url, hasProxy }: { url: string; hasProxy: boolean },
): Failure {
  const code = codeOf(error)
  const cause = UNTRUSTED.test(code)
    ? 'its certificate is of a CA that this machine does not know. Name that CA: farmctl login --ca-file FILE'
    : (SENTENCES[code] ?? `the request failed (${code || causeOf(error)}).`)
  // Not which one: its address may hold a password.
  const proxy = hasProxy ? ' Or it is the proxy that HTTPS_PROXY or HTTP_PROXY names.' : ''
  return new Failure(`${url}: ${cause}${proxy} The nodes go on serving without it.`, EXIT.failed)
}

/** The body of an answer that has one. */
export async function bodyOf<Body>(
  call: Promise<{ data?: Body | undefined; response: Response }>,
): Promise<Body> {
  const { data, response } = await call
  if (data !== undefined) return data
  throw new Failure(`${response.url} answered without a body. Is it a Farmstead control plane?`)
}

/** The body together with the ETag that a change of it must carry. */
export async function taggedBodyOf<Body>(
  call: Promise<{ data?: Body | undefined; response: Response }>,
): Promise<{ body: Body; etag: string }> {
  const answer = await call
  const body = await bodyOf(Promise.resolve(answer))
  return { body, etag: answer.response.headers.get('etag') ?? '' }
}

type Page<T> = { items: T[]; nextCursor: string | null }

/** Page after page, as far as they are wanted. */
export async function* pages<T>(
  fetchPage: (query: { cursor?: string; limit: number }) => Promise<Page<T>>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<T> {
  let cursor: string | null = null
  let left = limit
  do {
    const query = { limit: Math.min(left, PAGE_ITEMS), ...(cursor !== null && { cursor }) }
    const page: Page<T> = await fetchPage(query)
    yield* page.items.slice(0, left)
    left -= page.items.length
    cursor = page.nextCursor
  } while (cursor !== null && left > 0)
}

const PAGE_ITEMS = 200

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
