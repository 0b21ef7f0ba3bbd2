// SPDX-License-Identifier: MIT
// The rows that certificates/ keeps in control.db (migrations/061-certificates.ts).
import type { Generated } from 'kysely'

type CertificatesTable = {
  name: string
  /** Counts changes by people: the ETag. */
  revision: number
  /** The number of its newest version. */
  latest: number
  /** The version that a rollout brought to all nodes last, which new ones get; null: none yet. */
  released: Generated<number | null>
  /** Of its newest version. */
  not_after_ms: number
  /** The fewest days left that were told, and of which end; null: none yet. */
  told_days: Generated<number | null>
  told_end_ms: Generated<number | null>
  created_at_ms: number
  created_by: string
}

/** They never change. */
type CertificateVersionsTable = {
  certificate: string
  number: number
  /** SHA-256 of the leaf's DER, hexadecimal. */
  fingerprint: string
  /** PEM, leaf first. */
  chain: string
  /** PKCS#8 in PEM, sealed: base/secret-box.ts. */
  key: string
  /** JSON: the hosts it is good for. */
  names: string
  subject: string
  issuer: string
  serial: string
  key_kind: string
  chain_length: number
  /** JSON, see ConfigError in api-shapes/common.ts. */
  warnings: string
  not_before_ms: number
  not_after_ms: number
  source: 'upload' | 'acme'
  /** Of the order that brought it; null: somebody uploaded it. */
  order_id: string | null
  created_at_ms: number
  created_by: string
}

/** What nodes say that they serve: under one name several, of different keys. */
type ServedCertificatesTable = {
  node_id: string
  host: string
  fingerprint: string
  not_after_ms: number
  since_ms: number
}

/** Of TLS session tickets: nodes of one group resume each other's sessions. */
type TicketKeysTable = {
  group_name: string
  number: number
  /** 80 bytes in base64, sealed: base/secret-box.ts. */
  key: string
  /** From when on it encrypts. */
  from_ms: number
}

export type CertificateTables = {
  certificates: CertificatesTable
  certificate_versions: CertificateVersionsTable
  served_certificates: ServedCertificatesTable
  ticket_keys: TicketKeysTable
}
