// SPDX-License-Identifier: MIT
// ACME's messages (RFC 8555): signed by jose, sent by exchange.ts. Why no ACME library: docs/decisions/0104.
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, FlattenedSign } from 'jose'
import {
  AuthorityFailure,
  type CertificateAuthority,
  type Order,
  type Problem,
} from './authority.ts'
import type { Answer, Exchange } from './exchange.ts'
import { sha256Bytes } from './keys.ts'
import { retryAfterMs } from './rules.ts'

export type ClientOptions = {
  directoryUrl: string
  /** PKCS #8 PEM of an ECDSA P-256 key. */
  accountKey: string
  contact: readonly string[]
  /** Both from the CA; the key in base64url. */
  externalAccount: { keyId: string; hmacKey: string } | null
  exchange: Exchange
  now: () => number
}
type Json = Record<string, unknown>
type Directory = { urls: Json; meta: Json }

/** Half of them refused, as Pebble does it, one request in a million fails still. */
const NONCE_TRIES = 20
const NONCES_KEPT = 8
const DIRECTORY_MS = 3600_000
const ERROR = 'urn:ietf:params:acme:error:'
const ORDER_STATES = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const
const ALTERNATES_MAX = 4
const PROFILES_MAX = 50
const TEXT_MAX = 300

export function createAcmeClient(options: ClientOptions): CertificateAuthority {
  const { exchange, now } = options
  const key = createPrivateKey(options.accountKey)
  const nonces: string[] = []
  let known: { directory: Directory; untilMs: number } | null = null
  const publicJwk = () => exportJWK(createPublicKey(key))

  const directory = async (): Promise<Directory> => {
    if (known && known.untilMs > now()) return known.directory
    const answer = await exchange('GET', options.directoryUrl)
    const urls = jsonOf(throwUnlessOk(answer, now()), 'the directory')
    known = { directory: { urls, meta: objectOf(urls.meta) }, untilMs: now() + DIRECTORY_MS }
    return known.directory
  }
  const resource = async (name: string): Promise<string> => {
    const url = (await directory()).urls[name]
    if (typeof url === 'string') return url
    throw new AuthorityFailure('away', `The CA's directory has no ${name}: is its address right?`)
  }
  const keep = ({ headers }: Answer) => {
    const nonce = headers['replay-nonce']
    if (typeof nonce === 'string' && nonces.length < NONCES_KEPT) nonces.push(nonce)
  }
  const nextNonce = async (): Promise<string> => {
    if (nonces.length === 0) keep(await exchange('HEAD', await resource('newNonce')))
    const nonce = nonces.shift()
    if (nonce !== undefined) return nonce
    throw new AuthorityFailure('away', 'The CA gave no nonce')
  }

  /** account null: the key itself signs. payload null: POST-as-GET. */
  const post = async (account: string | null, url: string, payload: object | null) => {
    const text = payload === null ? '' : JSON.stringify(payload)
    const who = account === null ? { jwk: await publicJwk() } : { kid: account }
    for (let tries = 1; ; tries += 1) {
      const signed = await new FlattenedSign(Buffer.from(text))
        .setProtectedHeader({ alg: 'ES256', url, nonce: await nextNonce(), ...who })
        .sign(key)
      const { payload: body = '', protected: head, signature } = signed
      const answer = await exchange(
        'POST',
        url,
        JSON.stringify({ protected: head, payload: body, signature }),
      )
      keep(answer)
      const isStale = problemOf(answer)?.type === `${ERROR}badNonce`
      if (!isStale || tries >= NONCE_TRIES) return throwUnlessOk(answer, now())
      // What was kept has perhaps grown old with it: but the one that came with the refusal.
      nonces.splice(0, nonces.length - 1)
    }
  }
  const orderOf = (answer: Answer, url: string): Order => readOrder(answer, url, now())

  return {
    async about() {
      const { meta } = await directory()
      const profiles = Object.entries(objectOf(meta.profiles)).slice(0, PROFILES_MAX)
      return {
        profiles: profiles.map(([name, description]) => ({
          name: name.slice(0, TEXT_MAX),
          description: textOf(description).slice(0, TEXT_MAX),
        })),
        termsOfService: urlOf(meta.termsOfService),
        website: urlOf(meta.website),
        externalAccountRequired: meta.externalAccountRequired === true,
      }
    },
    async register() {
      const { meta } = await directory()
      if (meta.externalAccountRequired === true && options.externalAccount === null) {
        throw new AuthorityFailure(
          'refused',
          'This CA binds accounts to ones it knows: give the key id and HMAC key it issued',
        )
      }
      const url = await resource('newAccount')
      const payload = {
        termsOfServiceAgreed: true,
        ...(options.contact.length > 0 && {
          contact: options.contact.map((address) => `mailto:${address}`),
        }),
        ...(options.externalAccount && {
          externalAccountBinding: await bind(options.externalAccount, url, await publicJwk()),
        }),
      }
      return locationOf(await post(null, url, payload))
    },
    async newOrder(account, { names, profile, replaces }) {
      const { meta, urls } = await directory()
      const offered = Object.keys(objectOf(meta.profiles))
      if (profile !== null && !offered.includes(profile)) {
        throw new AuthorityFailure(
          'refused',
          `This CA has no profile "${profile}"; it has ${offered.join(', ') || 'none'}`,
        )
      }
      const answer = await post(account, await resource('newOrder'), {
        identifiers: names.map((value) => ({ type: 'dns', value })),
        ...(profile !== null && { profile }),
        // Not said to one that has no renewal information (RFC 9773, 5).
        ...(replaces !== null && typeof urls.renewalInfo === 'string' && { replaces }),
      })
      return orderOf(answer, locationOf(answer))
    },
    order: async (account, url) => orderOf(await post(account, url, null), url),
    async authorization(account, url) {
      const body = jsonOf(await post(account, url, null), 'an authorization')
      const challenges = Array.isArray(body.challenges) ? body.challenges.map(objectOf) : []
      return {
        host: textOf(objectOf(body.identifier).value),
        wildcard: body.wildcard === true,
        status: textOf(body.status),
        challenges: challenges.map((one) => ({
          type: textOf(one.type),
          url: textOf(one.url),
          token: textOf(one.token),
          status: textOf(one.status),
          error: readProblem(one.error),
        })),
      }
    },
    async keyAuthorization(type, token) {
      // It becomes a file's name and a line of text.
      if (!/^[\w-]{16,128}$/.test(token)) {
        throw new AuthorityFailure('away', 'The CA sent a token that is none (RFC 8555, 8.3)')
      }
      const text = `${token}.${await calculateJwkThumbprint(await publicJwk())}`
      return type === 'dns-01' ? sha256Bytes(text).toString('base64url') : text
    },
    async challengeReady(account, url) {
      await post(account, url, {})
    },
    async finalize(account, order, csr) {
      const payload = { csr: Buffer.from(csr).toString('base64url') }
      return orderOf(await post(account, order.finalize, payload), order.url)
    },
    async download(account, url, preferred) {
      const first = await post(account, url, null)
      const chain = chainOf(first)
      if (preferred === null || isIssuedBy(chain, preferred)) return chain
      for (const alternate of alternatesOf(first)) {
        const other = chainOf(await post(account, alternate, null))
        if (isIssuedBy(other, preferred)) return other
      }
      return chain
    },
    async renewalInfo(certificateId) {
      const base = (await directory()).urls.renewalInfo
      if (typeof base !== 'string') return null
      const url = `${base.replace(/\/$/, '')}/${certificateId}`
      const answer = throwUnlessOk(await exchange('GET', url), now())
      const body = jsonOf(answer, 'renewal information')
      const window = objectOf(body.suggestedWindow)
      const [startMs, endMs] = [timeOf(window.start), timeOf(window.end)]
      if (startMs === null || endMs === null || endMs <= startMs) {
        throw new AuthorityFailure('away', 'The CA suggests a time to renew that is none')
      }
      return {
        startMs,
        endMs,
        explanationUrl: urlOf(body.explanationURL),
        retryAfterMs: retryAfterMs(answer.headers['retry-after'], now()),
      }
    },
    async revoke(account, certificatePem) {
      const certificate = new X509Certificate(certificatePem).raw.toString('base64url')
      await post(account, await resource('revokeCert'), { certificate })
    },
  }
}

/** The CA's own account says that this key is its (RFC 8555, 7.3.4). */
async function bind(
  { keyId, hmacKey }: { keyId: string; hmacKey: string },
  url: string,
  jwk: object,
) {
  return await new FlattenedSign(Buffer.from(JSON.stringify(jwk)))
    .setProtectedHeader({ alg: 'HS256', kid: keyId, url })
    .sign(Buffer.from(hmacKey, 'base64url'))
}

function throwUnlessOk(answer: Answer, nowMs: number): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer
  const problem = problemOf(answer)
  const kind = kindOf(answer.status, problem?.type ?? '')
  const said = problem ? problem.detail || problem.type : 'without a reason'
  throw new AuthorityFailure(
    kind,
    `The CA answered ${answer.status}: ${said}`,
    retryAfterMs(answer.headers['retry-after'], nowMs),
  )
}

function kindOf(status: number, type: string): AuthorityFailure['kind'] {
  const name = type.startsWith(ERROR) ? type.slice(ERROR.length) : ''
  if (name === 'rateLimited' || status === 429) return 'rate-limited'
  if (name === 'accountDoesNotExist') return 'no-account'
  if (name === 'alreadyReplaced') return 'replaced'
  // It said that it is: what is behind it has not heard so yet.
  if (name === 'orderNotReady') return 'away'
  // A page of some proxy is no answer of the CA's.
  const isOurs = name !== '' && name !== 'badNonce' && name !== 'serverInternal'
  if (status === 404) return 'lost'
  return status >= 400 && status < 500 && isOurs ? 'refused' : 'away'
}

const mediaTypeOf = ({ headers }: Answer) => headers['content-type']?.split(';')[0]?.trim() ?? ''

function problemOf(answer: Answer): Problem | null {
  if (answer.status < 400 || mediaTypeOf(answer) !== 'application/problem+json') return null
  return readProblem(parse(answer.body))
}

function readProblem(value: unknown): Problem | null {
  const { type, detail, subproblems } = objectOf(value)
  if (typeof type !== 'string') return null
  const parts = Array.isArray(subproblems) ? subproblems.slice(0, 10).map(objectOf) : []
  const each = parts.map(
    (one) => `${textOf(objectOf(one.identifier).value)}: ${textOf(one.detail)}`,
  )
  return { type, detail: [textOf(detail), ...each].join('; ').slice(0, 1000) }
}

function jsonOf(answer: Answer, what: string): Json {
  const body = mediaTypeOf(answer) === 'application/json' ? parse(answer.body) : null
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return objectOf(body)
  throw new AuthorityFailure('away', `The CA sent ${what} that is not a JSON object`)
}

function readOrder(answer: Answer, url: string, nowMs: number): Order {
  const body = jsonOf(answer, 'an order')
  const status = ORDER_STATES.find((one) => one === body.status)
  const { authorizations } = body
  if (!status || typeof body.finalize !== 'string' || !Array.isArray(authorizations)) {
    throw new AuthorityFailure('away', 'The CA sent an order that is none')
  }
  return {
    url,
    status,
    authorizations: authorizations.map(textOf),
    finalize: body.finalize,
    certificate: typeof body.certificate === 'string' ? body.certificate : null,
    expiresAtMs: timeOf(body.expires),
    error: readProblem(body.error),
    retryAfterMs: retryAfterMs(answer.headers['retry-after'], nowMs),
  }
}

function locationOf({ headers }: Answer): string {
  if (headers.location !== undefined) return headers.location
  throw new AuthorityFailure('away', 'The CA did not say where what it made is')
}

function chainOf(answer: Answer): string {
  const type = mediaTypeOf(answer)
  if (type === 'application/pem-certificate-chain') return answer.body.toString('utf8')
  throw new AuthorityFailure('away', `The CA sent a certificate as ${type || 'nothing known'}`)
}

const alternatesOf = ({ headers }: Answer): string[] =>
  [headers.link ?? []]
    .flat()
    .flatMap((line) => [...line.matchAll(/<([^>]*)>\s*;\s*rel="?alternate"?/g)])
    .map(([, url = '']) => url)
    .slice(0, ALTERNATES_MAX)

function isIssuedBy(chain: string, commonName: string): boolean {
  const last = chain.lastIndexOf('-----BEGIN CERTIFICATE-----')
  try {
    return new X509Certificate(chain.slice(last)).issuer.split('\n').includes(`CN=${commonName}`)
  } catch {
    return false
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? { ...value } : {}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
/** For people to follow: nothing but the web. */
function urlOf(value: unknown): string | null {
  const url = URL.parse(textOf(value))
  return url && /^https?:$/.test(url.protocol) && url.href.length <= 2000 ? url.href : null
}
function timeOf(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
