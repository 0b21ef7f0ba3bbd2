// SPDX-License-Identifier: MIT
// One client for each authority, kept while the authority stays as it is: it has the directory and spare nonces.
import type { SecretBox } from '../../base/secret-box.ts'
import type { CertificateAuthority } from '../authority.ts'
import { type AuthorityRow, openAccount } from '../authority-store.ts'
import { createAcmeClient } from '../client.ts'
import { createExchange, type ExchangeOptions } from '../exchange.ts'

type Deps = Pick<ExchangeOptions, 'guard' | 'userAgent' | 'signal'> & {
  box: SecretBox
  now: () => number
}
export type ClientFor = (row: AuthorityRow) => CertificateAuthority

export function createClients({ box, now, ...network }: Deps): ClientFor {
  const known = new Map<string, { of: string; client: CertificateAuthority }>()
  return (row) => {
    const of = `${row.revision} ${row.account_key}`
    const found = known.get(row.name)
    if (found?.of === of) return found.client
    const client = createAcmeClient({
      directoryUrl: row.directory_url,
      ...openAccount(box, row),
      contact: JSON.parse(row.contact),
      exchange: createExchange({ ...network, trustedRoots: row.trusted_roots }),
      now,
    })
    known.set(row.name, { of, client })
    return client
  }
}
