// SPDX-License-Identifier: MIT
// What holds for every route of the API, and in which order.
import { constants } from 'node:zlib'
import compress, { type FastifyCompressOptions } from '@fastify/compress'
import type { RouteOptions } from 'fastify'
import type { SecretBox } from './base/secret-box.ts'
import type { Config } from './environment/config.ts'
import { signedInUser, userOfSession } from './features/session/routes.ts'
import { Throttle } from './features/session/throttle.ts'
import type { createRequestCounter } from './features/telemetry/requests.ts'
import { createBearers } from './features/tokens/bearer.ts'
import type { App } from './http/app-types.ts'
import { problemsPlugin } from './http/problems.ts'
import { createIdempotencyKeys } from './idempotency/keys.ts'
import { namedSchemas } from './named-schemas.ts'
import { labelsOfNode } from './node-identity/store/nodes.ts'
import { accessPlugin, requireDeclaredAccess } from './plugins/access.ts'
import { answerBelow } from './plugins/base-path.ts'
import { keepSessionsFromBearers } from './plugins/bearer.ts'
import { readBodies } from './plugins/bodies.ts'
import { answerConditionally } from './plugins/conditional.ts'
import { readForwarded } from './plugins/forwarded.ts'
import { keepFromCaches, securityHeaders } from './plugins/headers.ts'
import { answerOnce } from './plugins/idempotency.ts'
import { limitRequests } from './plugins/limits.ts'
import { describeApi } from './plugins/openapi.ts'
import { requestContextPlugin } from './plugins/request-context.ts'
import { requestLogPlugin } from './plugins/request-log.ts'
import { serialization } from './plugins/serialization.ts'
import { sessionPlugin } from './plugins/session.ts'
import { refuseWhileFull } from './plugins/storage.ts'
import { answerUnderPressure, type PressureLimits, takeTurns } from './plugins/turns.ts'
import { strictValidation } from './plugins/validation.ts'
import { type Services, version } from './process/services.ts'

/** Of one address: then each is answered with a longer wait, which costs us nothing. */
const WRONG_TOKENS = { free: 20, maxWaitMs: 60_000, forgetAfterMs: 600_000, maxKeys: 10_000 }
/** The console is near: some kilobytes more cost less than the effort of the defaults. */
const COMPRESSION = {
  encodings: ['br', 'gzip'],
  globalDecompression: false,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  zlibOptions: { level: 3 },
  /** Below, it takes 0.3 ms at once; by a stream, it is longer under way on our thread than that. */
  syncThreshold: 256 * 1024,
} satisfies FastifyCompressOptions

type Deps = {
  config: Config
  services: Pick<Services, 'db' | 'write' | 'disk' | 'users' | 'now'>
  box: SecretBox
  requests: Pick<ReturnType<typeof createRequestCounter>, 'watch'>
  /** Left out: those of production. */
  pressure: PressureLimits | undefined
  /** Sees each route as it is added. */
  onRoute: ((route: RouteOptions) => void) | undefined
  /** Of the API's paths. */
  prefix: string
}

/** In this order: each is there for those after it. Must be called before there are routes. */
export async function holdForEveryRoute(
  app: App,
  { config, services, box, requests, pressure, onRoute, prefix }: Deps,
): Promise<ReturnType<typeof createBearers>> {
  const { db, write, disk, users, now } = services
  requireDeclaredAccess(app)
  requests.watch(app, 'people')
  readBodies(app)
  strictValidation(app)
  if (onRoute) app.addHook('onRoute', onRoute)
  serialization(app)
  answerOnce(app, createIdempotencyKeys({ db, write, now, box }))
  await describeApi(app, { version, schemas: namedSchemas })
  await app.register(problemsPlugin, { invalidCode: 'invalid_request' })
  readForwarded(app)
  await app.register(requestLogPlugin, { isRoutine: ({ method }) => method === 'GET' })
  await app.register(requestContextPlugin, { listener: 'people' })
  await securityHeaders(app, config.tls?.hstsSeconds ?? 0)
  keepFromCaches(app, '/api')
  await answerUnderPressure(app, pressure)
  await limitRequests(app)
  answerConditionally(app)
  // Bodies are not inflated: a few bytes could become more than the limit lets in.
  await app.register(compress, COMPRESSION)
  keepSessionsFromBearers(app)
  await app.register(sessionPlugin, {
    db,
    dataDir: config.dataDir,
    now,
    publicIsHttps: config.tls !== null || (config.publicUrl?.startsWith('https:') ?? false),
  })
  answerBelow(app, config.basePath)
  const wrongTokens = new Throttle(WRONG_TOKENS)
  const bearers = createBearers({
    db,
    now,
    userById: (id) => signedInUser(users, id),
    failedFrom: (address) => wrongTokens.attempt(address, now()),
    onError: (error) => app.log.error({ err: error }, 'a token’s use could not be noted'),
  })
  await app.register(accessPlugin, {
    userOfSession: (request) => userOfSession(request, users),
    userOfToken: bearers.userOf,
    labelsOfNode: (id) => labelsOfNode(db, id),
    publicOrigin: config.publicUrl,
  })
  takeTurns(app)
  refuseWhileFull(app, { prefix, isFull: disk.isFull })
  return bearers
}
