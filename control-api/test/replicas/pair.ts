// SPDX-License-Identifier: MIT
// A primary of PostgreSQL and its standby, which has each commit before it is acknowledged.
import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { PostgresServer } from '../postgres-server.ts'

const SETTINGS = { wal_level: 'replica', listen_addresses: '127.0.0.1', hot_standby: 'on' }

export async function aPair() {
  const primary = new PostgresServer(await freePort(), tmpdir())
  const standby = new PostgresServer(await freePort(), tmpdir())
  onTestFinished(() => {
    primary.remove()
    standby.remove()
  })
  primary.init()
  primary.start({ ...SETTINGS, synchronous_standby_names: '*' })
  standby.copy(primary)
  standby.start(SETTINGS)
  return {
    url: `postgres://farmstead@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
    killPrimary: () => primary.stop(),
    promote: () => standby.promote(),
  }
}
