// SPDX-License-Identifier: MIT
// The farm, the disk and what runs out: gathered at most so often, however many ask.
import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { managedByState } from '../../acme/managed-store.ts'
import type { Authority } from '../../ca/authority.ts'
import type { Measured } from '../../certificates/expiry-watch.ts'
import type { Database } from '../../db/database.ts'
import { byLabel, type Family, gauge } from './exposition.ts'
import { lastBackupAtMs, rolloutsByState, webhooksByState } from './store.ts'

export type FarmDeps = {
  db: Kysely<Database>
  dataDir: string
  /** Of control.db where it is no file; null: it is one. */
  databaseBytes: () => Promise<number | null>
  now: () => number
  /** By state as the console shows it. */
  nodesByState: () => Promise<ReadonlyMap<string, number>>
  agentsConnected: () => number
  eventStreams: () => number
  isDiskFull: () => boolean
  isInRecovery: () => boolean
  authority: Pick<Authority, 'status'> | null
  certificateEnds: () => Promise<Measured>
  /** Of certificates, since the start, by how they ended. */
  ordersEnded: () => ReadonlyMap<string, number>
  /** null: the console speaks plain HTTP. */
  consoleNotAfterMs: () => number | null
}

const FILES = ['control.db', 'control.db-wal', 'metrics.db', 'metrics.db-wal']
/** Every node is looked at. */
const GATHER_AGAIN_MS = 10_000

export function createFarmFamilies(deps: FarmDeps) {
  let known: { families: Promise<Family[]>; atMs: number } | null = null
  return (): Promise<Family[]> => {
    const nowMs = deps.now()
    if (known === null || Math.abs(nowMs - known.atMs) > GATHER_AGAIN_MS) {
      known = { families: gather(deps), atMs: nowMs }
      known.families.catch(() => {
        known = null
      })
    }
    return known.families
  }
}

async function gather(deps: FarmDeps): Promise<Family[]> {
  const { db, dataDir, authority } = deps
  const [nodes, rollouts, webhooks, backupAtMs, managed, disk, elsewhere] = await Promise.all([
    deps.nodesByState(),
    rolloutsByState(db),
    webhooksByState(db),
    lastBackupAtMs(db),
    managedByState(db, deps.now()),
    statfs(dataDir),
    deps.databaseBytes(),
  ])
  const certificates = authority?.status()
  const sites = await deps.certificateEnds()
  const endsOf = (of: 'notAfterMs' | 'servedNotAfterMs') =>
    sites.ends.flatMap((one) => {
      const endMs = one[of]
      return endMs === null ? [] : [[one.name, endMs / 1000] as const]
    })
  const seconds = (ms: number | null | undefined) => (ms == null ? null : ms / 1000)
  return [
    labelled('farmstead_nodes', 'Nodes, as the console shows them.', 'state', nodes),
    gauge('farmstead_agents_connected', 'Nodes that are heard now.', deps.agentsConnected()),
    labelled('farmstead_rollouts', 'All rollouts there are.', 'state', rollouts),
    labelled('farmstead_webhooks', 'failing: its newest delivery failed.', 'state', webhooks),
    gauge(
      'farmstead_backup_last_success_timestamp_seconds',
      'When the newest whole backup was made.',
      seconds(backupAtMs),
    ),
    gauge(
      'farmstead_ca_not_after_timestamp_seconds',
      'Until when the CA of the nodes is good.',
      seconds(certificates?.ca.notAfterMs),
    ),
    gauge(
      'farmstead_agent_certificate_not_after_timestamp_seconds',
      'Until when the agents’ listener’s certificate is good; it is made anew by itself.',
      seconds(certificates?.serverNotAfterMs),
    ),
    gauge(
      'farmstead_console_certificate_not_after_timestamp_seconds',
      'Until when the certificate is good that the console and the API show themselves.',
      seconds(deps.consoleNotAfterMs()),
    ),
    labelled(
      'farmstead_certificates',
      'Certificates of sites; expiring, also when nodes still serve an older version that does.',
      'state',
      sites.byState,
    ),
    labelled(
      'farmstead_managed_certificates',
      'Those that are ordered by themselves; waiting: due, and held back.',
      'state',
      managed,
    ),
    byLabel(
      {
        name: 'farmstead_certificate_orders_total',
        help: 'Orders that ended since the start.',
        type: 'counter',
      },
      'outcome',
      deps.ordersEnded(),
    ),
    labelled(
      'farmstead_certificate_not_after_timestamp_seconds',
      'Until when the newest version of a certificate is good; of the 200 that end first.',
      'certificate',
      endsOf('notAfterMs'),
    ),
    labelled(
      'farmstead_certificate_served_not_after_timestamp_seconds',
      'The earliest end of what nodes serve of it.',
      'certificate',
      endsOf('servedNotAfterMs'),
    ),
    labelled('farmstead_database_bytes', 'Of control.db in PostgreSQL, and of files.', 'file', [
      ...(elsewhere === null ? [] : [['control.db', elsewhere] as const]),
      ...sizesIn(dataDir),
    ]),
    gauge('farmstead_disk_free_bytes', 'For the data folder.', disk.bavail * disk.bsize),
    gauge('farmstead_disk_full', '1: changes are refused.', Number(deps.isDiskFull())),
    gauge('farmstead_event_streams', 'Consoles and programs that listen.', deps.eventStreams()),
    gauge(
      'farmstead_recovery_unconfirmed',
      '1: restored from a backup, and nobody confirmed yet.',
      Number(deps.isInRecovery()),
    ),
  ]
}

const labelled = (
  name: string,
  help: string,
  label: string,
  values: Iterable<readonly [string, number]>,
) => byLabel({ name, help, type: 'gauge' }, label, values)

const sizesIn = (dataDir: string) =>
  FILES.flatMap((file) => {
    const stats = statSync(join(dataDir, file), { throwIfNoEntry: false })
    return stats ? [[file, stats.size] as const] : []
  })
