// SPDX-License-Identifier: MIT
// What is asked of a certificate authority (RFC 8555, ARI: RFC 9773). Each call is one step that may be repeated
// after a crash: nothing here waits for the CA to make up its mind, nothing sleeps, nothing is kept.

export type Problem = { type: string; detail: string }

/**
 * away: no answer that can be used; it may pass. rate-limited: asked too often.
 * no-account: it does not know the account. replaced: what should be replaced was replaced before.
 * lost: it does not know what it was asked for, or a part of it does not know yet.
 * refused: it has looked and says no.
 */
export type FailureKind = 'away' | 'rate-limited' | 'no-account' | 'replaced' | 'lost' | 'refused'

export class AuthorityFailure extends Error {
  readonly kind: FailureKind
  /** When it wants to be asked again; null: it does not say. */
  readonly retryAfterMs: number | null

  constructor(kind: FailureKind, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

export type ChallengeType = 'http-01' | 'dns-01'
export type Challenge = {
  type: string
  url: string
  token: string
  status: string
  error: Problem | null
}
export type Authorization = {
  host: string
  wildcard: boolean
  status: string
  challenges: Challenge[]
}
export type Order = {
  url: string
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'
  authorizations: string[]
  finalize: string
  certificate: string | null
  expiresAtMs: number | null
  error: Problem | null
  retryAfterMs: number | null
}
export type NewOrder = {
  names: readonly string[]
  /** null: the CA's own choice. */
  profile: string | null
  /** What it renews, as RFC 9773 names it; null: a first one, or of another CA. Said to CAs that know of that. */
  replaces: string | null
}
export type RenewalInfo = {
  startMs: number
  endMs: number
  explanationUrl: string | null
  retryAfterMs: number | null
}

/** What its directory says of it. */
export type About = {
  profiles: { name: string; description: string }[]
  termsOfService: string | null
  website: string | null
  externalAccountRequired: boolean
}

export type CertificateAuthority = {
  about(): Promise<About>
  /** Makes the account of this key, or finds it. The account's URL. */
  register(): Promise<string>
  newOrder(account: string, order: NewOrder): Promise<Order>
  order(account: string, url: string): Promise<Order>
  authorization(account: string, url: string): Promise<Authorization>
  /** What is to be published for a token: for DNS as the record's value. */
  keyAuthorization(type: ChallengeType, token: string): Promise<string>
  challengeReady(account: string, url: string): Promise<void>
  finalize(account: string, order: Order, csr: Uint8Array): Promise<Order>
  /** The chain as PEM; of several the one whose topmost issuer has `preferred` as its common name. */
  download(account: string, url: string, preferred: string | null): Promise<string>
  /** null: this CA does not say when to renew. */
  renewalInfo(certificateId: string): Promise<RenewalInfo | null>
  revoke(account: string, certificatePem: string): Promise<void>
}
