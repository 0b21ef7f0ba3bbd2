// SPDX-License-Identifier: MIT
// Certificates for a listener of this very process: always the newest version.
import type { SecretBox } from '../base/secret-box.ts'
import type { Reader } from '../db/database.ts'
import { openVersion, type WithKey } from './keep.ts'
import { findCertificate } from './store.ts'

export type ServerCertificate = WithKey & {
  names: string[]
  notAfterMs: number
  warnings: string[]
}
export type ServerCertificates = {
  /** null: there is none of this name. Throws SecretNotReadable. */
  serverCertificate(name: string): Promise<ServerCertificate | null>
  latestNumber(name: string): Promise<number | null>
}

export const createServerCertificates = (db: Reader, box: SecretBox): ServerCertificates => ({
  async serverCertificate(name) {
    const found = await findCertificate(db, name)
    const opened = found && (await openVersion(db, box, { name, number: found.latest }))
    if (!opened) return null
    const warnings: { message: string }[] = JSON.parse(found.version.warnings)
    return {
      ...{ chain: opened.chain, key: opened.key, fingerprint: opened.fingerprint },
      names: JSON.parse(found.version.names),
      notAfterMs: found.version.not_after_ms,
      warnings: warnings.map(({ message }) => message),
    }
  },
  latestNumber: async (name) => (await findCertificate(db, name))?.latest ?? null,
})
