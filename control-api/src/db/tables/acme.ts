// SPDX-License-Identifier: MIT
// The rows that acme/ keeps in control.db (migrations/062-acme.ts).
import type { Generated } from 'kysely'

type CertificateAuthoritiesTable = {
  name: string
  /** Counts changes by people: the ETag. */
  revision: number
  directory_url: string
  /** JSON: addresses for mail. */
  contact: string
  /** PEM; null: the roots that everybody trusts. */
  trusted_roots: string | null
  /** PKCS#8 in PEM, sealed: base/secret-box.ts. Made with the row. */
  account_key: string
  /** null: no account was made yet, or the CA does not know it any more. */
  account_url: Generated<string | null>
  /** External account binding (RFC 8555, 7.3.4); the key sealed. */
  eab_key_id: string | null
  eab_hmac_key: string | null
  /** Nothing is asked before, as the CA was silent or said so. */
  held_until_ms: Generated<number>
  /** In a row. */
  failures: Generated<number>
  last_error: Generated<string | null>
  created_at_ms: number
  created_by: string
}

/** Programs of operators that keep DNS: acme/dns-webhook.ts. */
type DnsWebhooksTable = {
  name: string
  revision: number
  url: string
  /** As Standard Webhooks has it, sealed. */
  secret: string
  /** Since it last did what it was told. */
  last_error: Generated<string | null>
  created_at_ms: number
  created_by: string
}

type ManagedCertificatesTable = {
  /** Of the certificate it orders. */
  name: string
  revision: number
  /** JSON: hosts. */
  names: string
  key_type: 'ecdsa-p256' | 'rsa-2048'
  /** JSON: `{ name, profile }`, those that are asked first first. */
  authorities: string
  challenge: 'http-01' | 'dns-01'
  /** Of dns-01 alone. */
  dns_webhook: string | null
  /** The common name of the root whose chain is taken if the CA has several. */
  preferred_chain: string | null
  /** 1: what was renewed is rolled out by itself. */
  roll_out: 0 | 1
  /** 1: nothing is begun; an order that is open goes on. */
  paused: Generated<0 | 1>
  /** Who wants an order now, whatever the time; null: nobody. */
  asked_by: Generated<string | null>
  /** JSON: by authority, `OwnHold` of acme/managed-store.ts. */
  holds: Generated<string>
  /** Of the certificate, that the times below are of, whoever brought it; null: it has none yet. */
  version: Generated<number | null>
  /** The authority that signed it, and how RFC 9773 names it; null: somebody uploaded it. */
  issued_by: Generated<string | null>
  renewal_id: Generated<string | null>
  /** Between 0 and 1, drawn for each version: where in its time it is renewed. */
  random: number
  renew_at_ms: Generated<number | null>
  /** JSON, `{ startMs, endMs, explanationUrl }`: what the CA suggests (RFC 9773). */
  renewal_window: Generated<string | null>
  window_look_at_ms: Generated<number | null>
  /** JSON, `{ atMs, configs }`: what is still to be rolled out; null: nothing. */
  roll_out_left: Generated<string | null>
  next_action_at_ms: number
  /** Since an order last succeeded. */
  last_error: Generated<string | null>
  last_error_at_ms: Generated<number | null>
  created_at_ms: number
  created_by: string
}

type CertificateOrdersTable = {
  id: string
  certificate: string
  authority: string
  profile: string | null
  /** JSON: hosts. */
  names: string
  challenge: 'http-01' | 'dns-01'
  dns_webhook: string | null
  preferred_chain: string | null
  /** acme/decisions.ts; new: nothing was asked yet, or its answer did not come. */
  state:
    | 'new'
    | 'publishing'
    | 'validating'
    | 'finalizing'
    | 'downloading'
    | 'issued'
    | 'failed'
    | 'cancelled'
  /** PKCS#8 in PEM, sealed, written before the CA is asked; empty once the order has ended. */
  key: string
  /** DER in base64url. */
  csr: string
  /** The renewal id of what it replaces. */
  replaces: string | null
  /** null: the CA has none, or its answer did not come. */
  order_url: Generated<string | null>
  expires_at_ms: Generated<number | null>
  /** JSON: what is published (acme/challenges.ts), written before it is. */
  challenges: Generated<string>
  failures: Generated<number>
  /** JSON, `{ reason, nodeIds, more }`: whom it waits for, or went on without. */
  waiting_for: Generated<string | null>
  last_error: Generated<string | null>
  /** Of the certificate, that it brought. */
  version: Generated<number | null>
  started_at_ms: number
  /** Who asked for it; "renewal": its time had come. */
  started_by: string
  ended_at_ms: Generated<number | null>
  /** 1: nothing that was published is left. */
  cleaned_up: Generated<0 | 1>
}

export type AcmeTables = {
  certificate_authorities: CertificateAuthoritiesTable
  dns_webhooks: DnsWebhooksTable
  managed_certificates: ManagedCertificatesTable
  certificate_orders: CertificateOrdersTable
}
