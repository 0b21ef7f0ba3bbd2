// SPDX-License-Identifier: MIT

import { type Lifetime, stateOf } from '../../certificates/expiry.ts'
import type { Checked } from '../../certificates/keep.ts'
import type { CertificateWithLatest, VersionRow } from '../../certificates/store.ts'
import type { Certificate, CertificateCheck, CertificateVersion } from './schema.ts'

const DAY_MS = 24 * 3600_000
const iso = (ms: number) => new Date(ms).toISOString()

export const viewVersion = (row: VersionRow): CertificateVersion => ({
  certificate: row.certificate,
  number: row.number,
  fingerprint: row.fingerprint,
  names: JSON.parse(row.names),
  subject: row.subject,
  issuer: row.issuer,
  serial: row.serial,
  keyKind: row.key_kind,
  chainLength: row.chain_length,
  notBefore: iso(row.not_before_ms),
  notAfter: iso(row.not_after_ms),
  warnings: JSON.parse(row.warnings),
  source: row.source,
  orderId: row.order_id,
  createdAt: iso(row.created_at_ms),
  createdBy: row.created_by,
})

export const lifetimeOf = (row: VersionRow): Lifetime => ({
  fromMs: row.not_before_ms,
  toMs: row.not_after_ms,
})

export const viewCertificate = (row: CertificateWithLatest, nowMs: number): Certificate => ({
  name: row.name,
  state: stateOf(lifetimeOf(row.version), nowMs),
  daysLeft: Math.floor((row.not_after_ms - nowMs) / DAY_MS),
  latestVersion: viewVersion(row.version),
  releasedVersion: row.released,
  createdAt: iso(row.created_at_ms),
  createdBy: row.created_by,
})

export const viewCheck = ({ material, warnings }: Checked): CertificateCheck => ({
  dryRun: true,
  fingerprint: material.fingerprint,
  names: material.names,
  subject: material.subject,
  issuer: material.issuer,
  serial: material.serial,
  keyKind: material.keyKind,
  chainLength: material.chainLength,
  notBefore: iso(material.notBeforeMs),
  notAfter: iso(material.notAfterMs),
  warnings,
})
