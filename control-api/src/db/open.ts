// SPDX-License-Identifier: MIT
import { openSqliteStore } from './sqlite/open.ts'
import type { Store, StorePlace } from './store.ts'

export async function openStore({ dataDir, databaseUrl }: StorePlace): Promise<Store> {
  if (databaseUrl === null) return openSqliteStore(dataDir)
  // Who has SQLite does not load it.
  const { openPostgresStore } = await import('./postgres/open.ts')
  return await openPostgresStore(databaseUrl)
}
