// SPDX-License-Identifier: MIT
// The table of contents: opens the stores, wires the parts, registers plugins and features.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { RouteOptions } from 'fastify'
import { openAcme } from './acme-for-service.ts'
import { createIdentify } from './agents/callers.ts'
import { createNodeCertificates } from './agents/certificates.ts'
import { createInbox } from './agents/inbox.ts'
import { buildAgentListener } from './agents/listener.ts'
import { createPresenceLine } from './agents/presence-line.ts'
import { type Assignments, createAssignments } from './assignments/assignments.ts'
import { nodesGiven } from './assignments/store.ts'
import { type Facts, mayHear } from './audit/visibility.ts'
import { backUpInWorker } from './backup/in-worker.ts'
import { openSecretBox } from './base/secret-box.ts'
import { type Authority, openAuthority } from './ca/authority.ts'
import { createEndsMeasure, watchExpiry } from './certificates/expiry-watch.ts'
import { createKeeper } from './certificates/keep.ts'
import { createServerCertificates } from './certificates/server-certificate.ts'
import { type ConsoleCertificate, openConsoleCertificate } from './console-tls/certificate.ts'
import { httpsServerOf } from './console-tls/listener.ts'
import { takeEpoch } from './control-plane/epoch.ts'
import type { Identity } from './control-plane/identity.ts'
import { readRecovery } from './control-plane/recovery.ts'
import { enterFolderAsService } from './db/lock.ts'
import type { Config } from './environment/config.ts'
import { holdForEveryRoute } from './every-route.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { createVerifier } from './features/audit/verifier.ts'
import { type BackupKeeper, openKeeper } from './features/backups/keeper.ts'
import { recoveryRoutes } from './features/backups/recovery-routes.ts'
import { backupRoutes } from './features/backups/routes.ts'
import { certificateRoutes } from './features/certificates/routes.ts'
import { configsNaming } from './features/configs/certificate-uses.ts'
import { certificateNames } from './features/configs/check/certificate-names.ts'
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
import { eventRoutes } from './features/events/routes.ts'
import { farmRoutes } from './features/farm/routes.ts'
import { createFarmSummary } from './features/farm/summary.ts'
import { impactOf, nodeChange } from './features/groups/impact.ts'
import { groupRoutes } from './features/groups/routes.ts'
import { groupsGiving, readGrouping } from './features/groups/store.ts'
import {
  checkBackups,
  checkCa,
  checkCertificates,
  checkControlDb,
  checkNodeBinary,
} from './features/health/checks.ts'
import { healthRoutes } from './features/health/routes.ts'
import { metricsRoutes } from './features/metrics/routes.ts'
import { createNodeCounts } from './features/nodes/counts.ts'
import { createEndNode } from './features/nodes/decommissioning.ts'
import { openFarmIndex } from './features/nodes/farm-index.ts'
import { startForgetting } from './features/nodes/forgetting.ts'
import { nodeRoutes } from './features/nodes/routes.ts'
import { oidcRoutes } from './features/oidc/routes.ts'
import { farmRulesRoutes } from './features/rollout-rules/routes.ts'
import { rolloutActionRoutes } from './features/rollouts/action-routes.ts'
import { createEngine } from './features/rollouts/engine/engine.ts'
import { createEvaluator } from './features/rollouts/engine/evaluator.ts'
import { startTicker } from './features/rollouts/engine/ticker.ts'
import { rolloutsNow } from './features/rollouts/now.ts'
import { createRollOutCertificate } from './features/rollouts/renewals.ts'
import { rolloutRoutes } from './features/rollouts/routes.ts'
import type { StartDeps } from './features/rollouts/start.ts'
import {
  marksBetween,
  rolloutsBringing,
  rolloutTouches,
} from './features/rollouts/store/rollouts.ts'
import { rolloutTaskRoutes } from './features/rollouts/task-routes.ts'
import { createProve } from './features/session/proof.ts'
import { sessionRoutes } from './features/session/routes.ts'
import { setupRoutes } from './features/session/setup-routes.ts'
import { createSignInThrottle } from './features/session/sign-in-throttle.ts'
import { createViewSession } from './features/session/view.ts'
import { createFarmFamilies } from './features/telemetry/farm.ts'
import { watchProcess } from './features/telemetry/process.ts'
import { createRequestCounter } from './features/telemetry/requests.ts'
import { fromWellKnown, telemetryRoutes } from './features/telemetry/routes.ts'
import { tokenRoutes } from './features/tokens/routes.ts'
import { findToken } from './features/tokens/store.ts'
import { userRoutes } from './features/users/routes.ts'
import { createDispatcher, type DispatcherOptions } from './features/webhooks/dispatcher.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import { createGuard, type Resolve } from './features/webhooks/targets.ts'
import { Challenges } from './fleet/challenges.ts'
import { Fleet } from './fleet/fleet.ts'
import { ProbeOrders } from './fleet/probe-orders.ts'
import { checkQuestions, logQuestions } from './fleet/questions.ts'
import { RHYTHM, type Rhythm } from './fleet/rhythm.ts'
import type { App } from './http/app-types.ts'
import { closeListeners } from './http/close-listeners.ts'
import { createFastify } from './http/create.ts'
import { openMetricsStore } from './metrics-store/metrics-store.ts'
import { createNodeBinary } from './node-check/binary.ts'
import { keepChecks, markOf } from './node-check/kept-checks.ts'
import { createNodeCheck } from './node-check/node-check.ts'
import { createAskOwners } from './node-check/owners.ts'
import { createPolicyChecks } from './node-check/policy-checks.ts'
import { createEnrolment } from './node-identity/enrolment.ts'
import { hasIssued } from './node-identity/store/certificates.ts'
import { nodeIdsWithin } from './node-identity/store/nodes.ts'
import { enrolmentTokenWithin } from './node-identity/store/tokens.ts'
import { createSecondFactor } from './people/second-factor.ts'
import { sessionIsAlive } from './people/session-store.ts'
import { withoutBase } from './plugins/base-path.ts'
import { serveConsole } from './plugins/console.ts'
import { BODY_BYTES } from './plugins/limits.ts'
import { serveReader } from './plugins/reader.ts'
import { sessionKey } from './plugins/session.ts'
import { SseHub } from './plugins/sse.ts'
import { createStartSession } from './plugins/start-session.ts'
import type { PressureLimits } from './plugins/turns.ts'
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
  /** What nodes answer to who issues certificates. */
  challenges: Challenges
  /** Of certificates: whatever is due, at once. */
  acme: Pick<ReturnType<typeof openAcme>, 'look'>
  assignments: Assignments
  /** null: the agents' listener speaks plain HTTP. */
  authority: Authority | null
  /** null: the console and the API speak plain HTTP. */
  consoleCertificate: ConsoleCertificate | null
  backups: BackupKeeper | null
  /** By itself once a minute; tests call it. */
  forgetLongAway(): Promise<void>
  /** By itself once an hour; tests call it. */
  tellOfExpiry(): Promise<void>
  close(): Promise<void>
}

export const API = '/api/v1'
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
  const { db, write, disk, events, users, controlPlaneId, waysIn } = services
  const box = openSecretBox(config.dataDir)
  const tlsSource = config.tls?.source ?? null
  const consoleCertificate =
    tlsSource &&
    (await openConsoleCertificate(tlsSource, {
      now,
      certificates: createServerCertificates(db, box),
    }))
  const identity: Identity = {
    controlPlaneId,
    epoch: await takeEpoch(write),
    recovery: await readRecovery(db),
  }
  const { basePath, logLevel, trustProxy, nodeBinary, agentUrl, agentTransport } = config
  const { dataDir } = config
  const metrics = await openMetricsStore({ dataDir, now, isDiskFull: disk.isFull })
  const strip = withoutBase(basePath)
  const app = createFastify({
    ...{ logLevel, trustProxy, bodyLimit: BODY_BYTES },
    ...(consoleCertificate && { serverFactory: httpsServerOf(consoleCertificate) }),
    rewriteUrl: (request) => fromWellKnown(strip(request)),
  })
  consoleCertificate?.watch(app.log)

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
    onPresence: createPresenceLine({
      tell: (nodeId, change) => inbox.presence(nodeId, change),
      onError: (error, change) => app.log.error({ err: error }, change),
    }),
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
  const binaryMark = () => markOf(nodeBinary)
  const nodeCheck = keepChecks(createNodeCheck({ binary: nodeBinary }), binaryMark)
  const validate = createValidate({
    ...{ examine: work.examine, nodeCheck },
    certificates: certificateNames(db),
  })
  const validateAuthors = createValidateAuthors(validate, work)
  const askOwners = createAskOwners({
    db,
    askPolicies: createPolicyChecks({ nodeCheck, binaryMark }),
  })
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
    isStorageFull: disk.isFull,
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
    heardOf: metrics.heardOf,
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
    isHeld: () => identity.recovery !== null || disk.isFull(),
    onError: (error) => app.log.error({ err: error }, 'a node could not be forgotten'),
  })

  const stopMakingRoom = disk.watch({
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
  const challenges = new Challenges({ wakeAll: () => fleet.wakeAll() })
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
    challenges,
    certificates: createNodeCertificates({ db, write, now, box }),
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

  const bearers = await holdForEveryRoute(app, {
    ...{ config, services, box, requests, pressure, onRoute, prefix: API },
  })

  const keeper = createKeeper({ db, write, now, box })
  const certificateEnds = createEndsMeasure({ db, now })
  const expiry = watchExpiry({
    ...{ db, write, now },
    onError: (error) => app.log.error({ err: error }, 'the ends of certificates could not be told'),
  })
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
  const secondFactor = createSecondFactor(box)
  const prove = createProve({ users, write, now, throttle, secondFactor })
  const hub = new SseHub(EVENT_STREAMS)
  const isTls = authority !== null
  const index = await openFarmIndex({ db, now, identity, isTls, fleet, readGrouping })
  const countNodes = createNodeCounts(index)
  const startDeps: StartDeps = {
    db,
    write,
    now,
    engine,
    checkFor: (text) => createNodeChecks({ db, validate }, text),
    readGrouping,
    findVersionText: async (name, number) => (await findVersion(db, name, number))?.text ?? null,
    lastReleases: (name, most) => lastReleases(db, name, most),
    isConnected,
    throughputOf: (nodeIds) => metrics.requestRates(nodeIds, 60),
  }
  const rollOut = createRollOutCertificate(startDeps)
  const acme = openAcme({
    ...{ services, identity, box, keeper, guard, fleet, challenges, rollOut, work, rhythm },
    onError: (error) => app.log.error({ err: error }, 'a certificate could not be ordered'),
  })
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
          ...{ isTls, index },
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
            impactOf({ db, now, openPreviews: previews, absenceOf }, nodeChange(id, change), id),
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
          ...startDeps,
          askOwners,
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
      await api.register(rolloutTaskRoutes({ db }))
      await api.register(rolloutActionRoutes({ db, engine }))
      await api.register(
        farmRoutes({
          summaryOf: createFarmSummary({
            ...{ now, countNodes, monotonicMs: () => performance.now() },
            rolloutsNow: (seen) => rolloutsNow(db, seen),
          }),
        }),
      )
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
      await api.register(
        certificateRoutes({
          ...{ db, write, now, keeper, rollOut },
          usesOf: async (name) => [
            ...(await configsNaming({ db, examine: work.examine }, name)),
            ...describeGiven(await nodesGiven(db, name)),
            ...(await rolloutsBringing(db, name)),
            ...(tlsSource?.kind === 'stored' && tlsSource.name === name
              ? ['the console itself shows it (FARMSTEAD_TLS_CERTIFICATE)']
              : []),
          ],
        }),
      )
      await api.register(acme.routes)
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
            acme.wake()
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
            {
              name: 'certificates',
              run: async () => checkCertificates(await certificateEnds(), await acme.late(), now()),
            },
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
  telemetryRoutes(app, {
    version,
    own: () => [...ownProcess.families(), ...requests.families()],
    farm: createFarmFamilies({
      ...{
        db,
        dataDir,
        now,
        authority,
        certificateEnds,
        ordersEnded: acme.ended,
        nodesByState: async () => (await countNodes(null)).byState,
      },
      agentsConnected: () => fleet.connectedIds().length,
      eventStreams: () => hub.size,
      isDiskFull: disk.isFull,
      consoleNotAfterMs: () => consoleCertificate?.current().notAfterMs ?? null,
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
    await Promise.all([
      closeListeners([app, agents]),
      stopTicker(),
      forgetting.stop(),
      consoleCertificate?.close(),
      expiry.stop(),
    ])
    await Promise.all([backups?.close(), verifier.close(), dispatcher.close(), acme.stop()])
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
  const { look: tellOfExpiry } = expiry
  return {
    app,
    agents,
    services,
    fleet,
    challenges,
    acme,
    assignments,
    authority,
    consoleCertificate,
    backups,
    forgetLongAway,
    tellOfExpiry,
    close,
  }
}

const describeGiven = (nodes: number): string[] =>
  nodes === 0
    ? []
    : [nodes === 1 ? 'a node was told to serve it' : `${nodes} nodes were told to serve it`]

/** What only the database knows of an event. */
const factsOf = (db: Services['db']): Facts => ({
  rolloutTouches: (id, scope) => rolloutTouches(db, id, scope),
  // '*': of many. An enrolment token speaks as the node it will be.
  nodeIsWithin: async (id, scope) =>
    id === '*' ||
    (await nodeIdsWithin(db, [id], scope)).length > 0 ||
    (await enrolmentTokenWithin(db, id, scope)) !== undefined,
  ownerOfToken: async (id) => (await findToken(db, id))?.user_id ?? null,
})
