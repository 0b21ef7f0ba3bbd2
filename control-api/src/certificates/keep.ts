// SPDX-License-Identifier: MIT
// The one door by which a certificate comes in, whether somebody uploads it or an order brings it: read and held against all
// that is asked of it, its key sealed, and told of without it.
import type { ConfigError } from '../api-shapes/common.ts'
import type { Unit, Write } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import type { Reader } from '../db/database.ts'
import {
  CertificateExists,
  CertificateInvalid,
  CertificateNotFound,
  TooManyCertificates,
} from './errors.ts'
import { type Material, readMaterial } from './read.ts'
import {
  type CertificateWithLatest,
  countCertificates,
  findCertificate,
  insertCertificate,
  insertVersion,
  versionWithKey,
} from './store.ts'

/** Who brought a version. */
export type CertificateSource = { kind: 'upload' } | { kind: 'acme'; orderId: string }
export type NewVersion = {
  name: string
  /** PEM: leaf first, then its intermediates. */
  chain: string
  /** PEM, not encrypted. */
  key: string
  source: CertificateSource
  actor: string
}
/** `created` false: it was the newest version's very chain and key already. */
export type Added = { number: number; created: boolean; warnings: ConfigError[] }

export const MAX_CERTIFICATES = 10_000

export type CertificateKeeper = {
  /** A new certificate with its first version. Refuses a name that is taken. */
  create(version: NewVersion): Promise<Added>
  /**
   * The next version of a certificate there is. `requireCurrent` throws when the caller saw another one than this.
   * What is said again adds nothing: an order that is finished twice does no harm.
   */
  addVersion(
    version: NewVersion,
    requireCurrent?: (current: CertificateWithLatest) => void,
  ): Promise<Added>
  /** What either would refuse, and what it would warn of; keeps nothing. */
  check(version: Pick<NewVersion, 'name' | 'chain' | 'key'>): Promise<Checked>
}
export type Checked = { material: Material; warnings: ConfigError[] }

type Deps = { db: Reader; write: Write; now: () => number; box: SecretBox }

/** Whose key it is: a row put in another's place does not open. */
const purposeOf = (name: string, number: number) => `certificate ${name} ${number}`

export function createKeeper({ db, write, now, box }: Deps): CertificateKeeper {
  const read = ({ chain, key }: Pick<NewVersion, 'chain' | 'key'>): Material => {
    const found = readMaterial({ chain, key }, now())
    if (found.ok) return found.material
    throw new CertificateInvalid(found.errors.length).withErrors(found.errors)
  }

  const rowOf = (material: Material, { name, source, actor }: NewVersion, number: number) => ({
    certificate: name,
    number,
    fingerprint: material.fingerprint,
    chain: material.chainPem,
    key: box.seal(material.keyPem, purposeOf(name, number)),
    names: JSON.stringify(material.names),
    subject: material.subject,
    issuer: material.issuer,
    serial: material.serial,
    key_kind: material.keyKind,
    chain_length: material.chainLength,
    warnings: JSON.stringify(material.warnings),
    not_before_ms: material.notBeforeMs,
    not_after_ms: material.notAfterMs,
    source: source.kind,
    order_id: source.kind === 'acme' ? source.orderId : null,
    created_at_ms: now(),
    created_by: actor,
  })

  return {
    async create(version) {
      const material = read(version)
      const { name } = version
      return await write(async (unit) => {
        if (await findCertificate(unit.trx, name)) throw new CertificateExists(name)
        if ((await countCertificates(unit.trx)) >= MAX_CERTIFICATES) {
          throw new TooManyCertificates(MAX_CERTIFICATES)
        }
        await insertCertificate(unit, rowOf(material, version, 1))
        await tell(unit, version, { action: 'created', number: 1, material })
        return { number: 1, created: true, warnings: material.warnings }
      })
    },

    async addVersion(version, requireCurrent) {
      const material = read(version)
      const { name } = version
      return await write(async (unit) => {
        const current = await findCertificate(unit.trx, name)
        if (!current) throw new CertificateNotFound(name)
        requireCurrent?.(current)
        const { latest } = current
        if (await isSame(unit, current, material)) {
          return { number: latest, created: false, warnings: material.warnings }
        }
        const number = latest + 1
        const warnings = [...material.warnings, ...namesLost(current, material)]
        await insertVersion(unit, rowOf({ ...material, warnings }, version, number))
        await tell(unit, version, { action: 'version-added', number, material })
        return { number, created: true, warnings }
      })
    },

    async check({ name, chain, key }) {
      const material = read({ chain, key })
      const current = await findCertificate(db, name)
      const lost = current ? namesLost(current, material) : []
      return { material, warnings: [...material.warnings, ...lost] }
    },
  }

  async function isSame({ trx }: Unit, { name, latest }: CertificateWithLatest, one: Material) {
    const known = await versionWithKey(trx, name, latest)
    return (
      known?.chain === one.chainPem && box.open(known.key, purposeOf(name, latest)) === one.keyPem
    )
  }
}

type Told = { action: 'created' | 'version-added'; number: number; material: Material }

async function tell(unit: Unit, { name, source, actor }: NewVersion, told: Told): Promise<void> {
  const { fingerprint, names, issuer, notAfterMs, warnings } = told.material
  const data = {
    version: told.number,
    ...{ fingerprint, names, issuer, source },
    notAfter: new Date(notAfterMs).toISOString(),
    warnings: warnings.map(({ code }) => code),
  }
  await unit.emit({ kind: 'certificate', id: name, action: told.action, actor, data })
}

/** A renewal that forgets a host breaks that host. */
function namesLost({ latest, version }: CertificateWithLatest, next: Material): ConfigError[] {
  const before: string[] = JSON.parse(version.names)
  const lost = before.filter((name) => !next.names.includes(name))
  if (lost.length === 0) return []
  const shown = lost.slice(0, 5).join(', ')
  const more = lost.length > 5 ? ` and ${lost.length - 5} more` : ''
  return [
    {
      ...{ pointer: '/chain', line: 1, column: 1, endLine: 1, endColumn: 1 },
      code: 'names_lost',
      message: `version ${latest} was good for ${shown}${more}, and this one is not`,
      hint: 'a config whose sites answer to them cannot be rolled out with it; have one made for all names',
    },
  ]
}

export type WithKey = { chain: string; key: string; fingerprint: string }

/** For a node that is to serve it, and for nobody else. */
export async function openVersion(
  db: Reader,
  box: SecretBox,
  { name, number }: { name: string; number: number },
): Promise<WithKey | null> {
  const row = await versionWithKey(db, name, number)
  return row ? { ...row, key: box.open(row.key, purposeOf(name, number)) } : null
}
