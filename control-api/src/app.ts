// SPDX-License-Identifier: MIT
// The table of contents: opens the stores, wires the parts, registers plugins and features.
import { constants } from 'node:zlib'
import compress, { type FastifyCompressOptions } from '@fastify/compress'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { RouteOptions } from 'fastify'
import { createIdentify } from './agents/callers.ts'
import { createInbox } from './agents/inbox.ts'
import { buildAgentListener } from './agents/listener.ts'
import { type Assignments, createAssignments } from './assignments/assignments.ts'
import { type Facts, mayHear } from './audit/visibility.ts'
import { backUpInWorker } from './backup/in-worker.ts'
import { openSecretBox } from './base/secret-box.ts'
import { type Authority, openAuthority } from './ca/authority.ts'
import { takeEpoch } from './control-plane/epoch.ts'
import type { Identity } from './control-plane/identity.ts'
import { readRecovery } from './control-plane/recovery.ts'
import { enterFolderAsService } from './db/lock.ts'
import type { Config } from './environment/config.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { createVerifier } from './features/audit/verifier.ts'
import { type BackupKeeper, openKeeper } from './features/backups/keeper.ts'
import { recoveryRoutes } from './features/backups/recovery-routes.ts'
import { backupRoutes } from './features/backups/routes.ts'
import { createValidateAuthors } from './features/configs/check/validate-authors.ts'
import { createValidate, loadConfigSchema } from './features/configs/check/validation.ts'
import { openPreviews } from './features/configs/previews.ts'
import { configRoutes } from './features/configs/routes.ts'
import { findVersion, lastReleaseOf, lastReleases } from './features/configs/store.ts'
import { parseConfigText } from './features/configs/text/text.ts'
import { startTextWork, type TextWork } from './features/configs/text-work.ts'
import {
  createAdopt,
  createNodeChecks,
  createReleases,
  releaseVersion,
  saveErrors,
} from './features/configs/versions.ts'
import { enrolmentTokenRoutes } from './features/enrolment-tokens/routes.ts'
import { enrolmentTokenIsWithin } from './features/enrolment-tokens/store.ts'
import { eventRoutes } from './features/events/routes.ts'
import { impactOf, nodeChange } from './features/groups/impact.ts'
import { groupRoutes } from './features/groups/routes.ts'
import { groupsGiving, readGrouping } from './features/groups/store.ts'
import { checkBackups, checkCa, checkControlDb, checkNodeBinary } from './features/health/checks.ts'
import { healthRoutes } from './features/health/routes.ts'
import { metricsRoutes } from './features/metrics/routes.ts'
import { createEndNode } from './features/nodes/decommissioning.ts'
import { startForgetting } from './features/nodes/forgetting.ts'
import { createNodeStates } from './features/nodes/node-states.ts'
import { nodeRoutes } from './features/nodes/routes.ts'
import { labelsOfNode, nodeIdsWithin } from './features/nodes/store.ts'
import { oidcRoutes } from './features/oidc/routes.ts'
import { farmRulesRoutes } from './features/rollout-rules/routes.ts'
import { rolloutActionRoutes } from './features/rollouts/action-routes.ts'
import { createEngine } from './features/rollouts/engine/engine.ts'
import { createEvaluator } from './features/rollouts/engine/evaluator.ts'
import { startTicker } from './features/rollouts/engine/ticker.ts'
import { rolloutRoutes } from './features/rollouts/routes.ts'
import { marksBetween, rolloutTouches } from './features/rollouts/store/rollouts.ts'
import { createProve } from './features/session/proof.ts'
import { sessionRoutes, signedInUser, userOfSession } from './features/session/routes.ts'
import { setupRoutes } from './features/session/setup-routes.ts'
import { createSignInThrottle } from './features/session/sign-in-throttle.ts'
import { Throttle } from './features/session/throttle.ts'
import { createViewSession } from './features/session/view.ts'
import { createFarmFamilies } from './features/telemetry/farm.ts'
import { watchProcess } from './features/telemetry/process.ts'
import { createRequestCounter } from './features/telemetry/requests.ts'
import { fromWellKnown, telemetryRoutes } from './features/telemetry/routes.ts'
import { createBearers } from './features/tokens/bearer.ts'
import { tokenRoutes } from './features/tokens/routes.ts'
import { findToken } from './features/tokens/store.ts'
import { userRoutes } from './features/users/routes.ts'
import { createDispatcher, type DispatcherOptions } from './features/webhooks/dispatcher.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import { createGuard, type Resolve } from './features/webhooks/targets.ts'
import { Fleet } from './fleet/fleet.ts'
import { ProbeOrders } from './fleet/probe-orders.ts'
import { checkQuestions, logQuestions } from './fleet/questions.ts'
import { RHYTHM, type Rhythm } from './fleet/rhythm.ts'
import type { App } from './http/app-types.ts'
import { createFastify } from './http/create.ts'
import { problemsPlugin } from './http/problems.ts'
import { createIdempotencyKeys } from './idempotency/keys.ts'
import { openMetricsStore } from './metrics-store/metrics-store.ts'
import type { LatencySummary } from './metrics-store/ports.ts'
import { namedSchemas } from './named-schemas.ts'
import { createNodeBinary } from './node-check/binary.ts'
import { createNodeCheck } from './node-check/node-check.ts'
import { createAskOwners } from './node-check/owners.ts'
import { createPolicyChecks } from './node-check/policy-checks.ts'
import { hasIssued } from './node-identity/certificates.ts'
import { createEnrolment } from './node-identity/enrolment.ts'
import { createSecondFactor } from './people/second-factor.ts'
import { sessionIsAlive } from './people/sessions.ts'
import { accessPlugin, requireDeclaredAccess } from './plugins/access.ts'
import { answerBelow, withoutBase } from './plugins/base-path.ts'
import { keepSessionsFromBearers } from './plugins/bearer.ts'
import { readBodies } from './plugins/bodies.ts'
import { answerConditionally } from './plugins/conditional.ts'
import { serveConsole } from './plugins/console.ts'
import { readForwarded } from './plugins/forwarded.ts'
import { keepFromCaches, securityHeaders } from './plugins/headers.ts'
import { answerOnce } from './plugins/idempotency.ts'
import { BODY_BYTES, limitRequests } from './plugins/limits.ts'
import { describeApi } from './plugins/openapi.ts'
import { serveReader } from './plugins/reader.ts'
import { requestContextPlugin } from './plugins/request-context.ts'
import { requestLogPlugin } from './plugins/request-log.ts'
import { serialization } from './plugins/serialization.ts'
import { sessionKey, sessionPlugin } from './plugins/session.ts'
import { SseHub } from './plugins/sse.ts'
import { createStartSession } from './plugins/start-session.ts'
import { refuseWhileFull } from './plugins/storage.ts'
import { answerUnderPressure, type PressureLimits, takeTurns } from './plugins/turns.ts'
import { strictValidation } from './plugins/validation.ts'
import { openServices, type Services, version } from './process/services.ts'

/** What tests replace. */
export type Overrides = {
  webhooks?: DispatcherOptions & { resolve?: Resolve }
  now?: () => number
  rhythm?: Rhythm
  /** How long a node may take to send the lines of its log. */
  logTailWithinMs?: number
  pressure?: PressureLimits
  /** Several services of one process may share its threads. */
  textWork?: TextWork
  /** Sees each route of the API as it is added. */
  onRoute?: (route: RouteOptions) => void
}
export type Service = {
  app: App
  /** The agents' listener: another port, other callers. */
  agents: App
  services: Services
  fleet: Fleet
  assignments: Assignments
  /** null: the agents' listener speaks plain HTTP. */
  authority: Authority | null
  backups: BackupKeeper | null
  /** By itself once a minute; tests call it. */
  forgetLongAway(): Promise<void>
  close(): Promise<void>
}

export const API = '/api/v1'
const CLOSE_GRACE_MS = 1000
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
/** A person's: some tabs in some browsers, and what their programs wait with. */
const EVENT_STREAMS = {
  maxStreams: 200,
  maxPerCaller: 32,
  reserved: 50,
  maxBufferedBytes: 256 * 1024,
  heartbeatMs: 15_000,
}

export async function buildService(
  config: Config,
  {
    now = Date.now,
    onRoute,
    logTailWithinMs = 10_000,
    pressure,
    rhythm = RHYTHM,
    textWork: work = startTextWork(),
    webhooks = {},
  }: Overrides = {},
): Promise<Service> {
  const services = await openServices(config, now, enterFolderAsService)
  const { db, write, room, events, users, controlPlaneId, waysIn } = services
  const identity: Identity = {
    controlPlaneId,
    epoch: await takeEpoch(write),
    recovery: await readRecovery(db),
  }
  const { basePath, logLevel, trustProxy, nodeBinary, agentUrl, agentTransport } = config
  const { dataDir } = config
  const metrics = await openMetricsStore({ dataDir, now, isDiskFull: room.isFull })
  const strip = withoutBase(basePath)
  const app = createFastify({
    ...{ logLevel, trustProxy, bodyLimit: BODY_BYTES },
    rewriteUrl: (request) => fromWellKnown(strip(request)),
  })

  const authority =
    agentTransport === 'mtls'
      ? await openAuthority({
          dataDir: config.dataDir,
          now,
          hasIssued: () => hasIssued(db),
          onError: (error) =>
            app.log.error({ err: error }, 'the CA’s files could not be read again'),
        })
      : null

  const requests = createRequestCounter()
  const ownProcess = watchProcess(now())

  // The channel to the nodes.
  const fleet = new Fleet({
    now,
    onPresence: (nodeId, change) => {
      inbox
        .presence(nodeId, change)
        .catch((error: unknown) => app.log.error({ err: error }, change))
    },
  })
  const isConnected = (nodeId: string) => fleet.presence(nodeId).connected
  let listeningSinceMs = now()
  const absenceOf = (nodeId: string) => ({ presence: fleet.presence(nodeId), listeningSinceMs })
  const assignments = createAssignments({
    identity,
    now,
    wake: (nodeId) => fleet.wake(nodeId),
  })

  // What decides: which texts are right, who gets which.
  const schema = loadConfigSchema()
  const nodeCheck = createNodeCheck({ binary: nodeBinary })
  const validate = createValidate({ examine: work.examine, nodeCheck })
  const validateAuthors = createValidateAuthors(validate, work)
  const askOwners = createAskOwners({ db, askPolicies: createPolicyChecks({ nodeCheck }) })
  const releases = createReleases()
  const previews = () => openPreviews({ db, validate, schema, askOwners })
  const onUnrenderable = (nodeId: string) =>
    app.log.error({ nodeId }, 'the released version cannot be made into a text for this node')
  const engine = createEngine({
    db,
    write,
    now,
    assignments,
    renderForNode: releases.renderForNode,
    errorsForAuthor: releases.errorsForAuthor,
    readGrouping,
    isConnected,
    isStorageFull: room.isFull,
    onUnrenderable,
    versionText: async ({ trx }, name, number) =>
      (await findVersion(trx, name, number))?.text ?? null,
    releasedVersion: async ({ trx }, name) => (await lastReleaseOf(trx, name))?.version ?? null,
    release: (unit, released) => releaseVersion(unit, released, now()),
  })
  // What was under way when the backup was made is long over, one way or the other.
  if (identity.recovery) await engine.freezeAll('the restore')
  const samplesOf = metrics.samples
  const probeOrders = new ProbeOrders((nodeId) => fleet.wake(nodeId))
  const evaluator = createEvaluator({
    db,
    now,
    isConnected,
    engine,
    samplesOf,
    latencySummaries: metrics.latencySummaries,
    probe: (nodeId, order) => probeOrders.give(nodeId, order),
    reportEveryMs: rhythm.reportEveryMs,
  })
  const stopTicker = startTicker({
    engine,
    rhythm,
    evaluate: evaluator.evaluate,
    onError: (error) =>
      app.log.error({ err: error }, 'the rollout engine could not look at its deadlines'),
  })

  const endNode = createEndNode({ write, now, engine, fleet })
  const forgetting = startForgetting({
    ...{ db, now, absenceOf, fleet, readGrouping, endNode },
    onGap: (nowMs) => {
      listeningSinceMs = nowMs
    },
    isHeld: () => identity.recovery !== null || room.isFull(),
    onError: (error) => app.log.error({ err: error }, 'a node could not be forgotten'),
  })

  const stopMakingRoom = room.watch({
    giveWay: metrics.giveWay,
    onFull: engine.storageFull,
    // Who returned meanwhile has its turn now.
    onRoom: engine.offerHeld,
    onError: (error) => app.log.error({ err: error }, 'the disk is full'),
  })

  const inbox = createInbox({
    write,
    assignments,
    engine,
    releases,
    readGrouping,
    now,
    onUnrenderable,
    onCloneDetected: (nodeId) => fleet.endPoll(nodeId),
  })
  const enrolment = createEnrolment({ db, write, controlPlaneId, now, authority, fleet })
  const wake = (nodeId: string) => fleet.wake(nodeId)
  const questions = { logQuestions: logQuestions(wake), checkQuestions: checkQuestions(wake) }
  const agents = await buildAgentListener({
    logLevel,
    db,
    identity,
    fleet,
    inbox,
    enrolment,
    identify: createIdentify({ db, write, now, authority, fleet }),
    authority,
    ...questions,
    probeOrders,
    metrics,
    now,
    reportEveryMs: rhythm.reportEveryMs,
    watch: (listener) => requests.watch(listener, 'agents'),
  })
  // Nodes that wait are told of it with their next hello.
  authority?.onChange(() => fleet.wakeAll())
  // A release may be what nodes without an assignment wait for; or a group that has one.
  events.subscribe(({ event }) => {
    const isRelease = event.kind === 'config' && event.action === 'released'
    if (isRelease || event.kind === 'group') fleet.wakeAll()
  })

  // Everything that holds for every route.
  requireDeclaredAccess(app)
  requests.watch(app, 'people')
  readBodies(app)
  strictValidation(app)
  if (onRoute) app.addHook('onRoute', onRoute)
  serialization(app)
  const box = openSecretBox(config.dataDir)
  answerOnce(app, createIdempotencyKeys({ db, write, now, box }))
  await describeApi(app, { version, schemas: namedSchemas })
  await app.register(problemsPlugin, { invalidCode: 'invalid_request' })
  readForwarded(app)
  await app.register(requestLogPlugin, { isRoutine: ({ method }) => method === 'GET' })
  await app.register(requestContextPlugin, { listener: 'people' })
  await securityHeaders(app)
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
    publicIsHttps: config.publicUrl?.startsWith('https:') ?? false,
  })
  answerBelow(app, basePath)
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
  refuseWhileFull(app, { prefix: API, isFull: room.isFull })

  const guard = createGuard(config.webhookAllow, webhooks.resolve)
  const dispatcher = createDispatcher({
    ...webhooks,
    db,
    write,
    now,
    events,
    box,
    guard,
    controlPlaneId,
    userAgent: `farmstead/${version}`,
    onError: (error) => app.log.error({ err: error }, 'a webhook could not be served'),
  })
  const verifier = await createVerifier({ db, controlPlaneId, now, log: app.log })

  const backups =
    config.backups &&
    (await openKeeper({
      db,
      write,
      now,
      dataDir: config.dataDir,
      version,
      config: config.backups,
      run: backUpInWorker,
      onError: (error) => app.log.error({ err: error }, 'a backup failed'),
    }))

  const binary = createNodeBinary(nodeBinary)
  const startSession = createStartSession({ write, now })
  const view = createViewSession(now)
  const throttle = createSignInThrottle(now, Buffer.from(sessionKey(config.dataDir)))
  const secondFactor = createSecondFactor(openSecretBox(config.dataDir))
  const prove = createProve({ users, write, now, throttle, secondFactor })
  const hub = new SseHub(EVENT_STREAMS)
  await app.register(
    async (scope) => {
      const api = scope.withTypeProvider<TypeBoxTypeProvider>()
      await api.register(
        sessionRoutes({
          ...{ db, users, write, now, throttle, secondFactor, startSession, view, waysIn },
        }),
      )
      await api.register(setupRoutes({ db, write, now, startSession, view }))
      await api.register(userRoutes({ db, write, now, waysIn }))
      await api.register(tokenRoutes({ db, write, now, prove }))
      await api.register(
        oidcRoutes({
          ...{ config: config.oidc, basePath, prefix: API },
          ...{ db, write, box, now, startSession, prove },
        }),
      )
      await api.register(
        nodeRoutes({
          db,
          write,
          now,
          identity,
          isTls: authority !== null,
          fleet,
          metrics,
          engine,
          assignments,
          endNode,
          askForLog: (nodeId, lines) =>
            questions.logQuestions.ask(nodeId, { lines }, logTailWithinMs),
          adopt: createAdopt({ db, write, now, validate: validateAuthors }),
          adoptErrors: saveErrors,
          readGrouping,
          absenceOf,
          openPreviews: previews,
          impactOf: (id, change) =>
            impactOf({ db, now, openPreviews: previews, absenceOf }, nodeChange(id, change)),
        }),
      )
      await api.register(
        configRoutes({
          ...{ db, write, now, schema, work },
          validate: validateAuthors,
          namedBy: async ({ trx }, config) =>
            (await groupsGiving(trx, config)).map(
              (group) => `the group "${group}" gives it to its nodes`,
            ),
        }),
      )
      await api.register(
        rolloutRoutes({
          db,
          write,
          now,
          engine,
          checkFor: (text) => createNodeChecks(validate, text),
          askOwners,
          readGrouping,
          findVersionText: async (name, number) =>
            (await findVersion(db, name, number))?.text ?? null,
          lastReleases: (name, most) => lastReleases(db, name, most),
          isConnected,
          throughputOf: async (nodeIds) =>
            requestRates(await metrics.latencySummaries(nodeIds, 60)),
          askNode: (nodeId, question, withinMs) =>
            questions.checkQuestions.ask(nodeId, question, withinMs),
          errorsForAuthor: releases.errorsForAuthor,
          readText: (text) => {
            const parsed = parseConfigText(text)
            return parsed.ok ? parsed.value : null
          },
          monotonicMs: () => performance.now(),
        }),
      )
      await api.register(rolloutActionRoutes({ db, engine }))
      await api.register(farmRulesRoutes({ db, write }))
      await api.register(groupRoutes({ db, write, now, openPreviews: previews, absenceOf }))
      await api.register(
        metricsRoutes({
          db,
          now,
          metrics,
          rolloutsBetween: (nodeIds, range) => marksBetween(db, nodeIds, range),
        }),
      )
      await api.register(enrolmentTokenRoutes({ db, write, now, agentUrl, authority }))
      await api.register(auditRoutes({ db, controlPlaneId, verifier }))
      await api.register(
        webhookRoutes({ db, write, now, box, guard, dispatcher, events, controlPlaneId }),
      )
      await api.register(
        eventRoutes({
          events,
          hub,
          now,
          onNewWindows: metrics.onNewWindows,
          mayHear: (viewer, event) => mayHear(viewer, event, factsOf(db)),
          mayStillListen: ({ user, session }) =>
            user?.token
              ? bearers.mayStill(user, 'events:read')
              : sessionIsAlive(db, session.sessionId, now()),
        }),
      )
      await api.register(backupRoutes({ db, config: config.backups, keeper: backups }))
      await api.register(
        recoveryRoutes({
          db,
          write,
          identity,
          onConfirmed: async () => {
            await engine.offerHeld()
            fleet.wakeAll()
          },
        }),
      )
      await api.register(
        healthRoutes({
          version,
          startedAtMs: now(),
          identity,
          agentListener: { url: agentUrl, transport: agentTransport },
          certificateAuthority: authority,
          checks: [
            { name: 'control-db', run: () => checkControlDb(db) },
            { name: 'metrics-db', run: () => metrics.check() },
            { name: 'node-check', run: () => checkNodeBinary(binary) },
            { name: 'agent-ca', run: async () => checkCa(authority, now()) },
            { name: 'backup', run: async () => checkBackups(backups, identity) },
          ],
          nodeBinaryVersion: binary.version,
          isListeningToAgents: () => agents.server.listening,
        }),
      )
    },
    { prefix: API },
  )
  app.get(
    `${API}/openapi.json`,
    { config: { permission: 'system:read' }, schema: { hide: true } },
    async () => ({ ...app.swagger(), servers: [{ url: `${basePath}/` }] }),
  )
  const nodeStates = createNodeStates({
    ...{ db, now, identity, isTls: authority !== null, fleet, metrics, readGrouping },
    absenceOf,
  })
  telemetryRoutes(app, {
    version,
    own: () => [...ownProcess.families(), ...requests.families()],
    farm: createFarmFamilies({
      ...{ db, dataDir, now, authority, nodesByState: nodeStates },
      agentsConnected: () => fleet.connectedIds().length,
      eventStreams: () => hub.size,
      isDiskFull: room.isFull,
      isInRecovery: () => identity.recovery !== null,
    }),
  })
  serveReader(app)
  if (config.consoleDir) await serveConsole(app, config.consoleDir, basePath)

  const stop = async () => {
    // What waits is answered first, so that the listeners have nothing to wait for.
    ownProcess.close()
    authority?.close()
    fleet.close()
    hub.close()
    await Promise.all([closeListeners([app, agents]), stopTicker(), forgetting.stop()])
    await Promise.all([backups?.close(), verifier.close(), dispatcher.close()])
    await stopMakingRoom()
    await Promise.all([metrics.close(), work.close()])
    await services.close()
  }
  let stopping: Promise<void> | undefined
  const close = () => {
    stopping ??= stop()
    return stopping
  }
  const { look: forgetLongAway } = forgetting
  return { app, agents, services, fleet, assignments, authority, backups, forgetLongAway, close }
}

const requestRates = (summaries: ReadonlyMap<string, LatencySummary>) =>
  new Map(
    [...summaries].flatMap(([nodeId, { requestsPerSecond: rate }]) =>
      rate === null ? [] : [[nodeId, rate] as const],
    ),
  )

/** What only the database knows of an event. */
const factsOf = (db: Services['db']): Facts => ({
  rolloutTouches: (id, scope) => rolloutTouches(db, id, scope),
  // '*': of many. An enrolment token speaks as the node it will be.
  nodeIsWithin: async (id, scope) =>
    id === '*' ||
    (await nodeIdsWithin(db, [id], scope)).length > 0 ||
    (await enrolmentTokenIsWithin(db, id, scope)),
  ownerOfToken: async (id) => (await findToken(db, id))?.user_id ?? null,
})

/**
 * Requests under way may end; connections kept alive after them are closed as they fall idle, and what
 * is left after the grace is cut off.
 */
async function closeListeners(listeners: App[]): Promise<void> {
  const startedAt = performance.now()
  const sweep = setInterval(() => {
    for (const { server } of listeners) {
      if (performance.now() - startedAt > CLOSE_GRACE_MS) server.closeAllConnections()
      else server.closeIdleConnections()
    }
  }, 20)
  await Promise.all(listeners.map((listener) => listener.close()))
  clearInterval(sweep)
}
