// SPDX-License-Identifier: MIT
// Runs tests with each service's database in a PostgreSQL that is there for this run alone:
//   node test/on-postgres.ts [vitest's words …]   left out: all that ask the database
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { PostgresServer } from './postgres-server.ts'
import { quickPlace } from './quick-folder.ts'

/** Whatever asks control.db. What is about SQLite itself, or asks no database, is run once. */
const SUITES = [
  ...[
    'access',
    'acme',
    'agents',
    'assignments',
    'audit',
    'db',
    'every-answer',
    'features',
    'fleet',
  ],
  ...[
    'idempotency',
    'neighbours',
    'node-identity',
    'people',
    'plugins',
    'replicas',
    'metrics-store/postgres',
    'bundle.test',
    'admin/move',
    'admin/verify-audit',
  ],
].map((name) => `test/${name}`)
const ELSEWHERE = [
  ...['db/list-plans/**', 'db/db.test.ts', 'db/queries.test.ts', 'db/statements.test.ts'],
  ...['features/importers/**', 'features/advice/**', 'features/rollouts/{replay,simulator}*'],
]
const words = process.argv.slice(2)
const all = [...SUITES, ...ELSEWHERE.flatMap((path) => ['--exclude', `test/${path}`])]

const server = new PostgresServer(await freePort(), quickPlace())
try {
  server.init()
  server.start({
    listen_addresses: '',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    max_connections: '200',
    shared_buffers: '64MB',
    autovacuum: 'off',
    jit: 'off',
    max_wal_size: '256MB',
    wal_level: 'minimal',
    max_wal_senders: '0',
  })
  const vitest = resolve(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...(words.length > 0 ? words : all)], {
    cwd: resolve(import.meta.dirname, '..'),
    env: { ...process.env, FARMSTEAD_TEST_POSTGRES: server.url() },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const { promise, resolve: end } = Promise.withResolvers<number>()
  child.on('close', (code) => end(code ?? 1))
  process.exitCode = await promise
} finally {
  server.remove()
}
