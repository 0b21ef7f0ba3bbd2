// SPDX-License-Identifier: MIT
// Builds the real service over SQLite files in a folder of its own; gone after the test.
import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  FastifyReply,
  FastifyRequest,
  InjectOptions,
  LightMyRequestResponse,
  RouteOptions,
} from 'fastify'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import type { Permission } from '../src/access/permissions.ts'
import type { Role } from '../src/access/roles.ts'
import { buildService, type Overrides, type Service } from '../src/app.ts'
import type { Identity } from '../src/control-plane/identity.ts'
import { migrateToLatest } from '../src/db/migrate.ts'
import { openControlDb } from '../src/db/sqlite/open.ts'
import type { Config } from '../src/environment/config.ts'
import { startTextWork, type TextWork } from '../src/features/configs/text-work.ts'
import type { CreatedToken } from '../src/features/tokens/schema.ts'
import { RHYTHM, type Rhythm } from '../src/fleet/rhythm.ts'
import { refusalsOf } from '../src/openapi/refusals.ts'
import { hashPassword } from '../src/people/passwords.ts'
import { insertUser } from '../src/people/user-store.ts'
import { isHeavy } from '../src/plugins/turns.ts'
import { inThisThread } from './metrics-in-process.ts'
import { nodeBinary, plainConfig } from './plain-config.ts'
import { databaseOf, dropDatabase } from './postgres.ts'
import { makeQuickFolder } from './quick-folder.ts'

export { nodeBinary }

export const ORIGIN = 'http://localhost:80'
export const PASSWORD = 'correct horse battery staple'
/** For farms in which rollouts are waited for. */
export const QUICK: Rhythm = { ...RHYTHM, tickMs: 50, reportEveryMs: 250 }

/** Of a control plane in its first epoch. */
export const testIdentity: Identity = { controlPlaneId: 'cp_test', epoch: 1, recovery: null }

/** A client that keeps its cookie and speaks as the console's pages do. */
export type Client = {
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
  cookie: string
}
export type Built = Service & {
  config: Config
  /** Signed in as an administrator. */
  admin: Client
  anonymous: Client
  as(role: Role): Promise<Client>
}

/** What is done when the test is over, or all that share something; the last first. */
type AtEnd = (work: () => void | Promise<void>) => void

export function tempDir(atEnd: AtEnd = onTestFinished): string {
  const path = makeQuickFolder()
  atEnd(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** As a service of this version leaves it that was never used: every step of the database's history once, not once a test. */
const emptyDatabase = madeOnce(async () => {
  const dir = makeQuickFolder()
  try {
    const db = openControlDb(dir)
    await migrateToLatest(db)
    await db.destroy()
    return readFileSync(join(dir, 'control.db'))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

export const testConfig = (overrides: Partial<Config> = {}, dataDir = tempDir()): Config => ({
  ...plainConfig(dataDir),
  ...overrides,
})

/** On a busy machine everything is slow, which says nothing of the service: what is about overload says so. */
const NEVER_OVERLOADED = { maxEventLoopDelay: 0, maxHeapUsedBytes: 0, sampleInterval: 5000 }

/** A look at the rules of alerts reads nodes: tests that are about it, and no others, have it looked. */
const NOT_BY_THEMSELVES_MS = 2 ** 31 - 1

type Options = Overrides & { config?: Partial<Config> }

/** For one test. */
export const build = (options: Options = {}): Promise<Built> => buildUntil(onTestFinished, options)

/**
 * For all tests of a file or a `describe` that don't disturb each other: each has nodes, people or groups of its own, and
 * none counts what there is, puts a clock forward or ends the service. To begin a service takes a sixth of a second of a
 * core, most tests less.
 */
export function shared(options: Options = {}): () => Built {
  let built: Built | undefined
  const ends: (() => void | Promise<void>)[] = []
  beforeAll(async () => {
    built = await buildUntil((work) => void ends.unshift(work), options)
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => {
    if (!built) throw new Error('A shared service is there once the tests of its file have begun.')
    return built
  }
}

async function buildUntil(atEnd: AtEnd, { config = {}, ...overrides }: Options): Promise<Built> {
  const dataDir = config.dataDir ?? tempDir(atEnd)
  // A test that wants SQLite says so.
  const databaseUrl =
    'databaseUrl' in config ? (config.databaseUrl ?? null) : await databaseOf(dataDir)
  atEnd(() => dropDatabase(databaseUrl))
  const full = testConfig({ ...config, databaseUrl }, dataDir)
  const database = join(full.dataDir, 'control.db')
  if (databaseUrl === null && !existsSync(database)) writeFileSync(database, await emptyDatabase())
  const documented = watchRefusals()
  const heavy = watchTextWork()
  const onRoute = (route: RouteOptions) => {
    overrides.onRoute?.(route)
    documented.watch(route)
    heavy.watch(route)
  }
  const service = await buildService(full, {
    pressure: NEVER_OVERLOADED,
    beginMetricsThread: inThisThread,
    alertsEveryMs: NOT_BY_THEMSELVES_MS,
    ...overrides,
    onRoute,
    textWork: heavy.work,
  })
  atEnd(async () => {
    await service.close()
    documented.verify()
    heavy.verify()
  })
  const as = (role: Role) => signedIn(service, role)
  return { ...service, config: full, admin: await as('admin'), anonymous: client(service, ''), as }
}

/** Whatever a test asks: each refusal must be one that the route documents (config.errors). */
function watchRefusals() {
  const undocumented = new Set<string>()
  const watch = (route: RouteOptions) => {
    if (!route.schema || route.schema.hide || route.method === 'HEAD') return
    const check = async (_request: unknown, reply: FastifyReply, payload: unknown) => {
      const isProblem = String(reply.getHeader('content-type')).includes('problem+json')
      if (!isProblem || typeof payload !== 'string') return
      const { status, code } = JSON.parse(payload) as { status: number; code: string }
      // The route was only taken for the one that was meant.
      if (code === 'method_not_allowed') return
      const isDocumented = refusalsOf(route).some(
        (known) => known.statusCode === status && known.code === code,
      )
      if (!isDocumented) undocumented.add(`${route.method} ${route.url}: ${status} ${code}`)
    }
    route.onSend = [check, ...[route.onSend ?? []].flat()]
  }
  return { watch, verify: () => expect([...undocumented]).toEqual([]) }
}

/** To begin a thread and to compile the config's schema there takes longer than most tests: all share these. */
const textWork = startTextWork()

/** Whatever a test asks: a route that has texts read by the threads for it takes its turn before. */
function watchTextWork() {
  const asking = new AsyncLocalStorage<FastifyRequest>()
  const withoutTurn = new Set<string>()
  const watch = (route: RouteOptions) => {
    const remember = (request: FastifyRequest, _reply: FastifyReply, done: () => void) =>
      asking.run(request, done)
    route.preHandler = [remember, ...[route.preHandler ?? []].flat()]
  }
  const noting =
    <Args extends unknown[], Answer>(ask: (...args: Args) => Answer) =>
    (...args: Args): Answer => {
      const request = asking.getStore()
      if (request && !isHeavy(request)) withoutTurn.add(`${request.method} ${request.url}`)
      return ask(...args)
    }
  const work: TextWork = {
    examine: noting(textWork.examine),
    hostsIn: noting(textWork.hostsIn),
    sitesIn: noting(textWork.sitesIn),
    sampleOf: noting(textWork.sampleOf),
    judge: noting(textWork.judge),
    compare: noting(textWork.compare),
    explainConflict: noting(textWork.explainConflict),
    merge: noting(textWork.merge),
    close: async () => {},
  }
  return { watch, work, verify: () => expect([...withoutTurn]).toEqual([]) }
}

/** Hashing takes its time on purpose; what signs in hundreds of times need not. */
const passwordHash = hashPassword(PASSWORD, { memoryKib: 8, passes: 1 })

async function signedIn(service: Service, role: Role): Promise<Client> {
  const hash = await passwordHash
  const { write, users } = service.services
  const username = `test-${role}`
  if (!(await users.byUsername(username))) {
    const nowMs = Date.now()
    const made = { username, passwordHash: hash, roles: [role], isOneTime: false, nowMs }
    await write((unit) => insertUser(unit, made))
  }
  return signInAs(service, username, PASSWORD)
}

export async function signInAs(service: Service, username: string, password: string) {
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/session',
    payload: { username, password },
  })
  if (response.statusCode !== 201) throw new Error(`sign-in failed: ${response.body}`)
  return client(service, cookieOf(response))
}

/** A program with a token of this person's; it may what the person may, or only what is named. */
export async function withToken(
  service: Pick<Service, 'app'>,
  owner: Client,
  wish: {
    permissions?: Permission[]
    expiresInDays?: number
    name?: string
    password?: string
  } = {},
): Promise<Client & { id: string; secret: string }> {
  const response = await owner.inject({
    method: 'POST',
    url: '/api/v1/tokens',
    payload: { name: 'test', permissions: null, expiresInDays: 30, password: PASSWORD, ...wish },
  })
  if (response.statusCode !== 201) throw new Error(`no token was made: ${response.body}`)
  const { id, secret } = response.json<CreatedToken>()
  const program = client(service, '')
  return {
    ...program,
    id,
    secret,
    inject: ({ headers, ...options }) =>
      program.inject({
        ...options,
        headers: { origin: undefined, authorization: `Bearer ${secret}`, ...headers },
      }),
  }
}

export const cookieOf = ({ cookies }: LightMyRequestResponse) =>
  cookies
    .filter(({ name }) => name === 'farmstead_session')
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join('')

export function client({ app }: Pick<Service, 'app'>, cookie: string): Client {
  return {
    cookie,
    inject: ({ headers, ...options }) => {
      const all = { origin: ORIGIN, ...(cookie && { cookie }), ...headers }
      const sent = Object.entries(all).filter(([, value]) => value !== undefined)
      return app.inject({ ...options, headers: Object.fromEntries(sent) })
    },
  }
}
