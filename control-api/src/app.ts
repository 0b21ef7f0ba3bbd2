// SPDX-License-Identifier: MIT
// The table of contents: opens the stores, wires the parts, registers plugins and features.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type Kysely, sql } from 'kysely'
import type { Config } from './config.ts'
import { createFastify } from './create-fastify.ts'
import type { Database } from './db/database.ts'
import { migrateToLatest } from './db/migrate.ts'
import { openControlDb } from './db/open.ts'
import { createWrite } from './db/write.ts'
import { openEventLog } from './event-log.ts'
import type { App } from './fastify.ts'
import { type Check, healthRoutes } from './features/health/routes.ts'
import { sessionRoutes, userOfSession } from './features/session/routes.ts'
import { createUserStore } from './features/session/store.ts'
import { loadIdentity } from './meta.ts'
import { nodeBinaryVersion } from './node-binary.ts'
import { accessPlugin, requireDeclaredAccess } from './plugins/access.ts'
import { securityHeaders } from './plugins/headers.ts'
import { problemsPlugin } from './plugins/problems.ts'
import { requestLogPlugin } from './plugins/request-log.ts'
import { sessionPlugin } from './plugins/session.ts'
import { strictValidation } from './plugins/validation.ts'

/** What tests replace. */
export type Overrides = { now?: () => number }
export type Services = Awaited<ReturnType<typeof openServices>>
export type Service = { app: App; services: Services; close(): Promise<void> }

export const API = '/api/v1'
/** Two config texts of the largest size, escaped. */
const BODY_BYTES = 4 * 1024 * 1024
const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
) as { version: string }

/** The stores and what hangs on them: the same for the service and the operator's commands. */
export async function openServices(
  config: { dataDir: string },
  { now = Date.now }: Overrides = {},
) {
  const db = openControlDb(config.dataDir)
  await migrateToLatest(db)
  const events = await openEventLog(db)
  const write = createWrite({ db, now, onEvents: events.wake })
  const identity = await loadIdentity(db)
  const users = createUserStore(db)
  const close = async () => {
    await events.close()
    await db.destroy()
  }
  return { db, now, events, write, identity, users, close }
}

export async function buildService(config: Config, overrides: Overrides = {}): Promise<Service> {
  const services = await openServices(config, overrides)
  const { db, now, write, users, identity } = services
  const { logLevel, trustProxy } = config
  const app = createFastify({ logLevel, trustProxy, bodyLimit: BODY_BYTES })

  requireDeclaredAccess(app)
  strictValidation(app)
  await app.register(problemsPlugin, { invalidCode: 'invalid_request' })
  await app.register(requestLogPlugin)
  await securityHeaders(app)
  await app.register(sessionPlugin, { db, dataDir: config.dataDir, now })
  await app.register(accessPlugin, { userOf: (request) => userOfSession(request, users) })

  await app.register(
    async (scope) => {
      const api = scope.withTypeProvider<TypeBoxTypeProvider>()
      await api.register(sessionRoutes({ users, write, now }))
      await api.register(
        healthRoutes({
          version,
          startedAtMs: now(),
          identity,
          agentListener: { url: config.agentUrl, transport: config.agent.transport },
          checks: [
            { name: 'control-db', run: () => checkControlDb(db) },
            { name: 'node-check', run: () => checkNodeBinary(config.nodeBinary) },
          ],
          nodeBinaryVersion: () => nodeBinaryVersion(config.nodeBinary),
        }),
      )
    },
    { prefix: API },
  )

  const close = async () => {
    await app.close()
    await services.close()
  }
  return { app, services, close }
}

async function checkControlDb(db: Kysely<Database>): Promise<Check> {
  await sql`select 1 from meta`.execute(db)
  return { ok: true, message: 'control.db answers' }
}

async function checkNodeBinary(path: string): Promise<Check> {
  const found = await nodeBinaryVersion(path)
  return found
    ? { ok: true, message: `farmstead-node ${found}` }
    : {
        ok: false,
        message: `${path} does not run: set FARMSTEAD_NODE_BINARY to farmstead-node, without it no config can be checked`,
      }
}
