// SPDX-License-Identifier: MIT
// The table of contents: opens the stores, wires the parts, and stops them. What decides is
// wired in deciding-for-service.ts, what the API answers in routes.ts.
import type { RouteOptions } from 'fastify'
import { openAcme } from './acme-for-service.ts'
import { createIdentify } from './agents/callers.ts'
import { createNodeCertificates } from './agents/certificates.ts'
import { createInbox } from './agents/inbox.ts'
import { buildAgentListener } from './agents/listener.ts'
import { createPresenceLine } from './agents/presence-line.ts'
import { createNodeReleases } from './agents/releases.ts'
import { type Assignments, createAssignments } from './assignments/assignments.ts'
import { createJoinedWrite } from './audit/joined-write.ts'
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
import type { Store } from './db/store.ts'
import { startDeciding } from './deciding-for-service.ts'
import type { Config } from './environment/config.ts'
import { holdForEveryRoute } from './every-route.ts'
import { farmReader } from './features/alerts/look.ts'
import { startAlertWatch } from './features/alerts/watch.ts'
import { createVerifier } from './features/audit/verifier.ts'
import { type BackupKeeper, openKeeper } from './features/backups/keeper.ts'
import { keepSites, unreadNewest, unreadOf } from './features/configs/sites-store.ts'
import { findVersion } from './features/configs/store.ts'
import { startTextWork, type TextWork } from './features/configs/text-work.ts'
import { readGrouping } from './features/groups/store.ts'
import { resolveNodes, resolveOne } from './features/metrics/asked-sets.ts'
import { startMemberships } from './features/metrics/memberships.ts'
import { measureIn } from './features/metrics/set-routes.ts'
import { createEndNode } from './features/nodes/decommissioning.ts'
import { openFarmIndex } from './features/nodes/farm-index.ts'
import { startForgetting } from './features/nodes/forgetting.ts'
import { createPreviewKeeper } from './features/nodes/previews/keeper.ts'
import { type Contents, openContents } from './features/releases/contents.ts'
import { unfinishedWithin } from './features/rollouts/store/rollouts.ts'
import { createCountedSites } from './features/sites/counted.ts'
import { createSiteReading } from './features/sites/reading.ts'
import { watchProcess } from './features/telemetry/process.ts'
import { createRequestCounter } from './features/telemetry/requests.ts'
import { fromWellKnown } from './features/telemetry/routes.ts'
import { createDispatcher, type DispatcherOptions } from './features/webhooks/dispatcher.ts'
import { createGuard, type Resolve } from './features/webhooks/targets.ts'
import { Challenges } from './fleet/challenges.ts'
import { Fleet } from './fleet/fleet.ts'
import { checkQuestions, logQuestions } from './fleet/questions.ts'
import { createRequestLooks } from './fleet/request-looks.ts'
import { RequestSearches } from './fleet/request-searches.ts'
import { RHYTHM, type Rhythm } from './fleet/rhythm.ts'
import { SampleWatches } from './fleet/sample-watches.ts'
import type { App } from './http/app-types.ts'
import { closeListeners } from './http/close-listeners.ts'
import { createFastify } from './http/create.ts'
import { openMetricsStore } from './metrics-store/metrics-store.ts'
import type { BeginThread } from './metrics-store/worker-client.ts'
import { openNeighbours } from './neighbours/neighbours.ts'
import { createEnrolment } from './node-identity/enrolment.ts'
import { hasIssued } from './node-identity/store/certificates.ts'
import { withoutBase } from './plugins/base-path.ts'
import { serveConsole } from './plugins/console.ts'
import { BODY_BYTES } from './plugins/limits.ts'
import { serveReader } from './plugins/reader.ts'
import { SseHub } from './plugins/sse.ts'
import type { PressureLimits } from './plugins/turns.ts'
import { openServices, type Services, version } from './process/services.ts'
import { createChangesOf } from './release-store/changes.ts'
import { createSampleOf } from './release-store/sample.ts'
import { API, serveApi } from './routes.ts'

/** What tests replace, but for the store. */
export type Overrides = {
  /** That of a replica that leads; left out: as the configuration says. */
  store?: Store
  webhooks?: DispatcherOptions & { resolve?: Resolve }
  now?: () => number
  rhythm?: Rhythm
  /** How long a node may take to send the lines of its log. */
  logTailWithinMs?: number
  pressure?: PressureLimits
  /** How often the rules of alerts are looked at. */
  alertsEveryMs?: number
  /** Several services of one process may share its threads. */
  textWork?: TextWork
  /** Left out: the measurements have a thread of their own. */
  beginMetricsThread?: BeginThread
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
  /** By itself once an hour; tests call it. */
  sweepContents: Contents['look']
  /** By itself once a minute; tests call it. */
  endPreviews(): Promise<void>
  /** By itself once a minute; tests call it. */
  forgetLongAway(): Promise<void>
  /** For the rollout engine: by itself with its ticker; tests call it. */
  passTime(ms: number): Promise<void>
  /** By itself every ten seconds; tests call it. */
  tellMemberships(): Promise<void>
  /** By itself every fifteen seconds; tests call it. */
  lookAtAlerts(): Promise<void>
  /** By itself once an hour; tests call it. */
  tellOfExpiry(): Promise<void>
  close(): Promise<void>
}

/** A person's: some tabs in some browsers, and what their programs wait with. */
const EVENT_STREAMS = {
  maxStreams: 200,
  maxPerCaller: 32,
  reserved: 50,
  maxBufferedBytes: 256 * 1024,
  heartbeatMs: 15_000,
}

const rhythmOf = ({ reportEverySeconds: seconds }: Config): Rhythm =>
  seconds === null ? RHYTHM : { ...RHYTHM, reportEveryMs: seconds * 1000 }

export async function buildService(
  config: Config,
  {
    now = Date.now,
    alertsEveryMs,
    onRoute,
    beginMetricsThread,
    logTailWithinMs = 10_000,
    pressure,
    rhythm = rhythmOf(config),
    store,
    textWork: work = startTextWork(),
    webhooks = {},
  }: Overrides = {},
): Promise<Service> {
  const services = await openServices({ ...config, store }, now, enterFolderAsService)
  const { db, nodeWrites, write, disk, events, controlPlaneId } = services
  const box = openSecretBox(config.dataDir)
  const consoleCertificate =
    config.tls &&
    (await openConsoleCertificate(config.tls.source, {
      now,
      certificates: createServerCertificates(db, box),
    }))
  const identity: Identity = {
    controlPlaneId,
    epoch: await takeEpoch(write),
    recovery: await readRecovery(db),
  }
  const { dataDir, basePath, logLevel, trustProxy, agentTransport } = config
  const strip = withoutBase(basePath)
  const app = createFastify({
    ...{ logLevel, trustProxy, bodyLimit: BODY_BYTES },
    ...(consoleCertificate && { serverFactory: httpsServerOf(consoleCertificate) }),
    rewriteUrl: (request) => fromWellKnown(strip(request)),
  })
  consoleCertificate?.watch(app.log)

  const metrics = await openMetricsStore({
    ...{ dataDir, now, isDiskFull: disk.isFull, beginThread: beginMetricsThread },
    record:
      config.databaseUrl === null
        ? null
        : { url: config.databaseUrl, controlPlaneId, epoch: identity.epoch },
    onTrouble(trouble) {
      if (trouble !== null) app.log.error(`measurements are not taken: ${trouble}`)
      else app.log.info('measurements are taken again')
    },
    connectedNodes: () => fleet.connections.size,
    sitesOf: createCountedSites({ db, readGrouping }),
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
  const presenceLine = createPresenceLine({
    tell: (nodeId, change) => inbox.presence(nodeId, change),
    onError: (error, change) => app.log.error({ err: error }, change),
  })
  const fleet = new Fleet({ now, onPresence: presenceLine.add })
  let listeningSinceMs = now()
  const absenceOf = (nodeId: string) => ({ presence: fleet.presence(nodeId), listeningSinceMs })
  const assignments = createAssignments({
    identity,
    now,
    wake: (nodeId) => fleet.wake(nodeId),
  })

  const contents = openContents({
    ...{ db, write, now, dataDir: config.dataDir, limits: config.releases },
    onError: (error) =>
      app.log.error({ err: error }, 'contents that no release needs could not be removed'),
  })
  const deciding = await startDeciding({
    ...{ config, services, identity, fleet, assignments, metrics, work, rhythm, log: app.log },
    changesOf: createChangesOf(contents.folder),
    sampleOf: createSampleOf(contents.folder),
  })
  const { engine, releases, probeOrders, watchOrders, onUnrenderable } = deciding

  const endNode = createEndNode({ write, now, engine, fleet })
  const forgetting = startForgetting({
    ...{ db, now, absenceOf, fleet, readGrouping, endNode },
    onGap: (nowMs) => {
      listeningSinceMs = nowMs
    },
    isHeld: () => identity.recovery !== null || disk.isFull(),
    onError: (error) => app.log.error({ err: error }, 'a node could not be forgotten'),
  })

  const previewKeeper = createPreviewKeeper({
    ...{ db, write, now, previews: fleet.previews, isHeld: disk.isFull },
    onError: (error) =>
      app.log.error({ err: error }, 'previews of releases could not be looked at'),
  })
  await previewKeeper.read()
  // One goes with its version.
  events.subscribe(({ event }) => {
    if (event.kind === 'release' && event.action === 'version-removed') {
      previewKeeper.read().catch((error: unknown) => app.log.error({ err: error }, 'previews'))
    }
  })

  const isTls = authority !== null
  const index = await openFarmIndex({ db, nodeWrites, now, identity, isTls, fleet, readGrouping })
  const memberships = startMemberships({
    members: index.kept,
    metrics,
    onError: (error) =>
      app.log.error({ err: error }, 'measurements could not be added up by group and version'),
  })
  // Before any node reports: what it did counts in its group from the first window on.
  await memberships.look()

  const stopMakingRoom = disk.watch({
    giveWay: metrics.giveWay,
    onFull: engine.storageFull,
    // Who returned meanwhile has its turn now.
    onRoom: engine.offerHeld,
    onError: (error) => app.log.error({ err: error }, 'the disk is full'),
  })

  const joinedWrite = createJoinedWrite(write)
  const inbox = createInbox({
    db,
    write: joinedWrite,
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
  const sampleWatches = new SampleWatches(wake)
  const requestSearches = new RequestSearches(wake)
  const nodeReleases = createNodeReleases({
    ...{ db, folder: contents.folder, room: contents.room, ahead: fleet.ahead },
  })
  const neighbours = await openNeighbours({
    ...{ db, write, now, box },
    isConnected: (nodeId) => fleet.presence(nodeId).connected,
  })
  const agents = await buildAgentListener({
    logLevel,
    db,
    nodeWrites,
    identity,
    fleet,
    inbox,
    enrolment,
    identify: createIdentify({ db, nodeWrites, write: joinedWrite, now, authority, fleet }),
    authority,
    ...questions,
    probeOrders,
    watchOrders,
    looks: createRequestLooks(sampleWatches, requestSearches),
    challenges,
    certificates: createNodeCertificates({ db, write, now, box }),
    releases: nodeReleases,
    neighbours,
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
    if (event.kind === 'node' && event.action === 'decommissioned') {
      neighbours.forget(event.id).catch((err: unknown) => {
        app.log.error({ err, node: event.id }, 'what was known of it as a neighbour stays')
      })
    }
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
    ...{ smtp: config.smtp, farm: config.publicUrl ?? controlPlaneId },
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
      databaseUrl: config.databaseUrl,
      version,
      config: config.backups,
      run: backUpInWorker,
      onError: (error) => app.log.error({ err: error }, 'a backup failed'),
    }))

  const alertFarm = farmReader({
    members: () => index.nodes(null),
    nodesIn: (appliesTo, nodes) => resolveNodes(appliesTo, nodes, null),
    setIn: (appliesTo, nodes) => resolveOne(appliesTo, nodes, null).set,
  })
  const alerts = startAlertWatch({
    ...{ db, write, now, absenceOf, metrics, readMeasure: measureIn, isHeld: disk.isFull },
    everyMs: alertsEveryMs,
    farm: alertFarm,
    waitingRollouts: async () => (await unfinishedWithin(db, null)).filter(isHeldUp),
    onError: (error) => app.log.error({ err: error }, 'the alert rules could not be looked at'),
  })

  const siteReading = createSiteReading({
    unreadNewest: () => unreadNewest(db),
    unreadOf: (versions) => unreadOf(db, versions),
    textOf: async ({ config: name, version: number }) =>
      (await findVersion(db, name, number))?.text ?? null,
    sitesIn: work.sitesIn,
    keep: (of, sites) => write((unit) => keepSites(unit, of, sites)),
    isHeld: disk.isFull,
    onError: (error, of) => app.log.error({ err: error, ...of }, 'sites could not be read'),
  })
  await siteReading.start()

  const hub = new SseHub(EVENT_STREAMS)
  const { rollOut } = deciding
  const acme = openAcme({
    ...{ services, identity, box, keeper, guard, fleet, challenges, rollOut, work, rhythm },
    onError: (error) => app.log.error({ err: error }, 'a certificate could not be ordered'),
  })
  const stopSending = await serveApi(app, {
    ...{ config, services, identity, box, authority, fleet, absenceOf, questions, sampleWatches },
    requestSearches,
    ...{ logTailWithinMs, agents, assignments, deciding, endNode, metrics, work, bearers },
    ...{ keeper, certificateEnds, acme, guard, dispatcher, verifier, backups, contents },
    releaseBytesSent: nodeReleases.sentBytes,
    previewKeeper,
    neighbours,
    ...{ consoleCertificate, hub, index, siteReading, requests, ownProcess, alertFarm },
  })
  serveReader(app)
  if (config.consoleDir) await serveConsole(app, config.consoleDir, basePath)

  const stop = async () => {
    // What waits is answered first, so that the listeners have nothing to wait for.
    ownProcess.close()
    authority?.close()
    fleet.close()
    hub.close()
    previewKeeper.stop()
    await Promise.all([
      closeListeners([app, agents]),
      deciding.stop(),
      forgetting.stop(),
      consoleCertificate?.close(),
      expiry.stop(),
      memberships.stop(),
      stopSending(),
      alerts.stop(),
      siteReading.stop(),
    ])
    await Promise.all([
      backups?.close(),
      contents.close(),
      verifier.close(),
      dispatcher.close(),
      acme.stop(),
    ])
    await stopMakingRoom()
    await presenceLine.close()
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
  const { look: tellMemberships } = memberships
  const { look: lookAtAlerts } = alerts
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
    endPreviews: previewKeeper.look,
    sweepContents: contents.look,
    passTime: engine.tick,
    tellMemberships,
    lookAtAlerts,
    tellOfExpiry,
    close,
  }
}

/** Until somebody does something. */
const isHeldUp = ({ state }: { state: string }) =>
  state === 'awaiting_approval' || state === 'paused'
