// SPDX-License-Identifier: MIT
// What of metrics.db is kept in PostgreSQL, and how a row of the one is a row of the other. There a row's key is its time and
// whom it is of, so that a table's parts are of a time each, and leave whole; `v` says with which of the writer's
// transactions it came, so that who has a copy asks for what is new.
import { RINGS } from '../rings.ts'
import { siteKeyOf, sitePlaceOf } from '../site-counts.ts'
import { SITE_RINGS } from '../site-rings.ts'
import { SLOW_KEPT_HOURS } from '../slow-requests.ts'
import { keyOf, placeOf } from '../steps.ts'

/** Of the tables in PostgreSQL. Another version's are not touched. */
export const LAYOUT = 1

const HOUR = 3600
const DAY = 24 * HOUR

/** `key`: of those of one step. `numbers` and `bytes` are the columns that are no part of the key. */
export type Kept = { step: number; key: number; numbers: readonly number[]; bytes: Uint8Array }
/** Columns of metrics.db, the key first. */
export type Local = readonly [at: number, ...(number | string | Uint8Array)[]]

export type KeptTable = {
  /** In metrics.db; in PostgreSQL with metrics_ before it. */
  name: string
  resolutionSeconds: number
  keepSeconds: number
  /** How much time a part of it is of. */
  partSeconds: number
  /** Its columns in metrics.db. */
  local: readonly [key: string, ...others: string[]]
  /** Its columns in PostgreSQL beside step_s, key and v. */
  numbers: readonly string[]
  bytes: string
  toKept(row: Local): Kept
  toLocal(row: Kept): Local
}

const PART_SECONDS = new Map([
  [10, HOUR],
  [60, DAY],
  [900, 10 * DAY],
])

const rings = RINGS.map(
  (ring): KeptTable => ({
    name: `ring_${ring.resolutionSeconds}`,
    ...ring,
    partSeconds: PART_SECONDS.get(ring.resolutionSeconds) ?? DAY,
    local: ['at', 'measured'],
    numbers: [],
    bytes: 'measured',
    toKept([at, measured]) {
      const { subject, step } = placeOf(ring, at)
      return { step, key: subject, numbers: [], bytes: measured as Uint8Array }
    },
    toLocal: ({ step, key, bytes }) => [keyOf(key, ring, step), bytes],
  }),
)

const sites = SITE_RINGS.map(
  (ring): KeptTable => ({
    name: ring.table,
    resolutionSeconds: ring.resolutionSeconds,
    keepSeconds: ring.keepSeconds,
    partSeconds: ring.resolutionSeconds < HOUR ? DAY : 10 * DAY,
    local: ['at', 'places', 'counts'],
    numbers: ['places'],
    bytes: 'counts',
    toKept([at, places, counts]) {
      const { subject, step } = sitePlaceOf(ring, at)
      return { step, key: subject, numbers: [places as number], bytes: counts as Uint8Array }
    },
    toLocal: ({ step, key, numbers, bytes }) => [siteKeyOf(ring, step, key), ...numbers, bytes],
  }),
)

const slow: KeptTable = {
  name: 'slow_requests',
  resolutionSeconds: 1,
  keepSeconds: SLOW_KEPT_HOURS * HOUR,
  partSeconds: 3 * HOUR,
  local: ['id', 'node', 'at_us', 'request'],
  numbers: ['node', 'at_us'],
  bytes: 'request',
  toKept: ([id, node, atUs, request]) => ({
    step: Math.floor((atUs as number) / 1_000_000),
    key: id,
    numbers: [node as number, atUs as number],
    bytes: Buffer.from(request as string),
  }),
  toLocal: ({ key, numbers, bytes }) => [key, ...numbers, Buffer.from(bytes).toString()],
}

/** Their places are their numbers in the journal of metrics.db. */
export const KEPT_TABLES: readonly KeptTable[] = [...rings, ...sites, slow]
export const SLOW_TABLE = slow

export const remoteName = ({ name }: Pick<KeptTable, 'name'>): string => `metrics_${name}`

/** Those that are small, and read as a whole. */
export type SmallTable = {
  name: string
  /** What the journal has of a row. */
  journalKey: string
  columns: readonly { name: string; type: 'bigint' | 'text' }[]
  primaryKey: string
}
const number = (name: string) => ({ name, type: 'bigint' }) as const
const text = (name: string) => ({ name, type: 'text' }) as const
/** What rows of others name comes first. Their numbers in the journal follow those of the others. */
export const SMALL_TABLES: readonly SmallTable[] = [
  {
    name: 'subjects',
    journalKey: 'key',
    columns: [number('key'), text('id')],
    primaryKey: 'key',
  },
  {
    name: 'names',
    journalKey: 'key',
    columns: [number('key'), text('name')],
    primaryKey: 'key',
  },
  {
    name: 'progress',
    journalKey: 'resolution_s',
    columns: [number('resolution_s'), number('step_s')],
    primaryKey: 'resolution_s',
  },
  {
    name: 'taken',
    journalKey: 'node',
    columns: [number('node'), text('boot_id'), number('seq'), number('taken_at_ms')],
    primaryKey: 'node, boot_id',
  },
]

/** In the order in which they are made. Without parts: those are made when there are rows for them. */
export const REMOTE_TABLES = `
create table if not exists metrics_record (
  only_one boolean primary key default true check (only_one),
  layout bigint not null, control_plane_id text not null, epoch bigint not null, writer text not null, v bigint not null);
create table if not exists metrics_writers (
  n bigint generated always as identity primary key, token text not null unique, from_v bigint not null);
${SMALL_TABLES.map(
  ({ name, columns, primaryKey }) => `create table if not exists metrics_${name} (
  ${columns.map((column) => `${column.name} ${column.type} not null`).join(', ')}, primary key (${primaryKey}));`,
).join('\n')}
${KEPT_TABLES.map(
  (table) => `create table if not exists ${remoteName(table)} (
  step_s bigint not null, key bigint not null, v bigint not null,
  ${table.numbers.map((column) => `${column} bigint not null, `).join('')}${table.bytes} bytea not null,
  primary key (step_s, key)) partition by range (step_s);
create index if not exists ${remoteName(table)}_v on ${remoteName(table)} (v);`,
).join('\n')}
-- Which is the last.
create index if not exists ${remoteName(slow)}_key on ${remoteName(slow)} (key);
`
