// SPDX-License-Identifier: MIT
// What the API answers: each feature's routes, with what they need of the others.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { latestGiven, nodesGiven, nodesWithRelease } from './assignments/store.ts'
import { type Facts, mayHear } from './audit/visibility.ts'
import { shownBy } from './certificates/served-store.ts'
import { latestOf } from './certificates/store.ts'
import type { Config } from './environment/config.ts'
import { adviceRoutes } from './features/advice/routes.ts'
import { alertRoutes } from './features/alerts/routes.ts'
import { findAlert } from './features/alerts/store.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { recoveryRoutes } from './features/backups/recovery-routes.ts'
import { backupRoutes } from './features/backups/routes.ts'
import { certificateRoutes } from './features/certificates/routes.ts'
import { configsNaming } from './features/configs/certificate-uses.ts'
import { configsNamingRelease } from './features/configs/release-uses.ts'
import { configRoutes } from './features/configs/routes.ts'
import { createSinceOf } from './features/configs/since.ts'
import {
  newestNumbers,
  newestSites,
  sitesGone,
  sitesOf,
  versionsWith,
} from './features/configs/sites-store.ts'
import { findVersion } from './features/configs/store.ts'
import { parseConfigText } from './features/configs/text/text.ts'
import { createAdopt, saveErrors } from './features/configs/versions.ts'
import { enrolmentTokenRoutes } from './features/enrolment-tokens/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { farmRoutes } from './features/farm/routes.ts'
import { createFarmSummary } from './features/farm/summary.ts'
import { effectOf } from './features/groups/effect.ts'
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
import { importRoutes } from './features/importers/routes.ts'
import { ASK_ERRORS, createAskNodes } from './features/metrics/asked-nodes.ts'
import { resolveNodes, SET_ERRORS } from './features/metrics/asked-sets.ts'
import { createNodeValues, NODE_VALUES_ERRORS } from './features/metrics/node-values.ts'
import { requestRoutes } from './features/metrics/request-routes.ts'
import { requestSearchRoutes } from './features/metrics/request-search-routes.ts'
import { metricsRoutes } from './features/metrics/routes.ts'
import { measureIn, metricsSetRoutes } from './features/metrics/set-routes.ts'
import { neighbourRoutes } from './features/neighbours/routes.ts'
import { nodeCellsRoutes } from './features/nodes/cells-routes.ts'
import { createNodeCounts } from './features/nodes/counts.ts'
import { createEndNodesIn } from './features/nodes/decommissioning.ts'
import { createNodeFacts } from './features/nodes/facts.ts'
import { createKnownListeners } from './features/nodes/known-listeners.ts'
import { releasePreviewRoutes } from './features/nodes/previews/routes.ts'
import { prometheusRoutes } from './features/nodes/prometheus-routes.ts'
import { releaseLookRoutes } from './features/nodes/release-looks/routes.ts'
import { createReleaseNodes } from './features/nodes/release-nodes.ts'
import { releaseNodesRoutes } from './features/nodes/release-nodes-routes.ts'
import { nodeRoutes } from './features/nodes/routes.ts'
import { oidcRoutes } from './features/oidc/routes.ts'
import { releaseRoutes } from './features/releases/routes.ts'
import { farmRulesRoutes } from './features/rollout-rules/routes.ts'
import { rolloutActionRoutes } from './features/rollouts/action-routes.ts'
import { rolloutsNow, touchedNow } from './features/rollouts/now.ts'
import { ORDER_ERRORS, rolloutRoutes } from './features/rollouts/routes.ts'
import {
  marksBetween,
  rolloutsBringing,
  rolloutsNeeding,
  rolloutTouches,
} from './features/rollouts/store/rollouts.ts'
import { rolloutTaskRoutes } from './features/rollouts/task-routes.ts'
import { createProve } from './features/session/proof.ts'
import { sessionRoutes } from './features/session/routes.ts'
import { setupRoutes } from './features/session/setup-routes.ts'
import { createSignInThrottle } from './features/session/sign-in-throttle.ts'
import { createViewSession } from './features/session/view.ts'
import { siteRoutes } from './features/sites/routes.ts'
import { tokenRoutes } from './features/tokens/routes.ts'
import { findToken } from './features/tokens/store.ts'
import { userRoutes } from './features/users/routes.ts'
import { viewRoutes } from './features/views/routes.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import type { App } from './http/app-types.ts'
import { createNodeBinary } from './node-check/binary.ts'
import { createNodeExplain } from './node-check/node-explain.ts'
import { capabilitiesOf, nodeIdsWithin } from './node-identity/store/nodes.ts'
import { enrolmentTokenWithin } from './node-identity/store/tokens.ts'
import type { Parts, WithCounts } from './parts.ts'
import { createSecondFactor } from './people/second-factor.ts'
import { sessionIsAlive } from './people/session-store.ts'
import { sessionKey } from './plugins/session.ts'
import { createStartSession } from './plugins/start-session.ts'
import { type Services, version } from './process/services.ts'
import { createSampleOf } from './release-store/sample.ts'
import { serveTelemetry } from './telemetry-for-service.ts'
import { tryingWith } from './trying-for-service.ts'

export const API = '/api/v1'

/** What holds for every route must hold already. Returns how to stop what is sent by itself. */
export async function serveApi(app: App, parts: Parts): Promise<() => Promise<void>> {
  const { config } = parts
  const all = { ...parts, countNodes: createNodeCounts(parts.index) }
  await app.register(
    async (scope) => {
      const api = scope.withTypeProvider<TypeBoxTypeProvider>()
      await servePeople(api, all)
      await serveFarm(api, all)
      await serveSystem(api, all)
    },
    { prefix: API },
  )
  app.get(
    `${API}/openapi.json`,
    { config: { permission: 'system:read' }, schema: { hide: true } },
    async () => ({ ...app.swagger(), servers: [{ url: `${config.basePath}/` }] }),
  )
  return serveTelemetry(app, all)
}

/** Who is who, and how they get in. */
async function servePeople(api: App, { config, services, box }: Parts): Promise<void> {
  const { db, write, now, users, waysIn } = services
  const startSession = createStartSession({ write, now })
  const view = createViewSession(now)
  const throttle = createSignInThrottle(now, Buffer.from(sessionKey(config.dataDir)))
  const secondFactor = createSecondFactor(box)
  const prove = createProve({ users, write, now, throttle, secondFactor })
  await sessionRoutes({
    ...{ db, users, write, now, throttle, secondFactor, startSession, view, waysIn },
  })(api)
  await setupRoutes({ db, write, now, startSession, view })(api)
  await userRoutes({ db, write, now, waysIn })(api)
  await tokenRoutes({ db, write, now, prove })(api)
  await viewRoutes({ db, write, now })(api)
  await oidcRoutes({
    ...{ config: config.oidc, basePath: config.basePath, prefix: API },
    ...{ db, write, box, now, startSession, prove },
  })(api)
}

/** Nodes, what they are to run, and what they measure. */
async function serveFarm(api: App, parts: WithCounts): Promise<void> {
  const { config, services, identity, authority, fleet, absenceOf, questions, index } = parts
  const { assignments, endNode, metrics, work, keeper, acme, alertFarm } = parts
  const { schema, validateAuthors, askOwners, releases, previews, engine, orders, rollOut } =
    parts.deciding
  const { db, write, now } = services
  await nodeRoutes({
    db,
    write,
    now,
    identity,
    ...{ isTls: authority !== null, index, lastEventId: services.events.lastId },
    fleet,
    metrics,
    engine,
    assignments,
    ...{ endNode, endNodesIn: createEndNodesIn({ now, engine, fleet }) },
    askForLog: (nodeId, lines) =>
      questions.logQuestions.ask(nodeId, { lines }, parts.logTailWithinMs),
    askNode: (nodeId, question, withinMs) =>
      questions.checkQuestions.ask(nodeId, question, withinMs),
    adopt: createAdopt({ db, write, now, validate: validateAuthors, sitesIn: work.sitesIn }),
    adoptErrors: saveErrors,
    readGrouping,
    absenceOf,
    openPreviews: previews,
    explain: createNodeExplain({ binary: config.nodeBinary }, parts.deciding.askBinary),
    sinceOf: createSinceOf((name, number) => findVersion(db, name, number)),
    impactOf: (changes) =>
      impactOf({ db, now, openPreviews: previews, absenceOf }, nodeChange(changes), [
        ...changes.keys(),
      ]),
  })(api)
  await nodeCellsRoutes({
    ...{ index, valuesOf: createNodeValues({ now, metrics }), valueErrors: NODE_VALUES_ERRORS },
    touchedNow: (scope) => touchedNow(db, scope),
  })(api)
  await prometheusRoutes({ db, index })(api)
  const nodesOf = createReleaseNodes({ db, index, knownListeners: createKnownListeners(db) })
  await releaseNodesRoutes({ db, nodesOf })(api)
  await releaseLookRoutes({
    ...{ db, now, index, nodesOf, fleet, probes: parts.deciding.probeOrders },
    sampleOf: createSampleOf(parts.contents.folder),
  })(api)
  await releasePreviewRoutes({
    ...{ db, write, now, index, fleet, keeper: parts.previewKeeper },
    hostTemplate: config.previewHost,
  })(api)
  await neighbourRoutes({
    ...{ db, neighbours: parts.neighbours },
    nodesIn: async (scope) => (await index.nodes(scope)).map(({ node }) => node),
    gaugesOf: (nodeId) => fleet.presence(nodeId).gauges,
  })(api)
  await configRoutes({
    ...{ db, write, now, schema, work },
    validate: validateAuthors,
    effectOf: (asked) => effectOf({ db, openPreviews: previews }, asked),
    namedBy: async ({ trx }, config) =>
      (await groupsGiving(trx, config)).map(
        (group) => `the group "${group}" gives it to its nodes`,
      ),
  })(api)
  await releaseRoutes({
    ...{ db, write, now, contents: parts.contents },
    configsNaming: (release) => configsNamingRelease({ db, examine: work.examine }, release),
    onNodes: async (release) => ({
      ...fleet.keptReleases.of(release, fleet.connections.has),
      allNodes: (await index.nodes(null)).length,
    }),
    usesOf: async ({ trx }, version) => [
      ...(await nodesWithRelease(trx, version)).map(
        (name) => `the node ${name} was told to run it`,
      ),
      ...(await rolloutsNeeding(trx, version)),
    ],
  })(api)
  await siteRoutes({
    ...{ now, metrics, reading: parts.siteReading },
    ...{ sitesIn: work.sitesIn, nodes: index.nodes },
    newestSites: (page) => newestSites(db, page),
    sitesOf: (of) => sitesOf(db, of),
    sitesGone: (of) => sitesGone(db, of),
    versionsWith: (wanted) => versionsWith(db, wanted),
    newestNumbers: (names) => newestNumbers(db, names),
    versionOf: (name, number) => findVersion(db, name, number),
    certificates: (names) => latestOf(db, names),
    shownBy: (nodeIds, hosts) => shownBy(db, nodeIds, hosts),
  })(api)
  await rolloutRoutes({
    ...orders,
    askOwners,
    askNode: (nodeId, question, withinMs) =>
      questions.checkQuestions.ask(nodeId, question, withinMs),
    errorsForAuthor: releases.errorsForAuthor,
    readText: (text) => {
      const parsed = parseConfigText(text)
      return parsed.ok ? parsed.value : null
    },
    monotonicMs: () => performance.now(),
  })(api)
  await importRoutes({ validate: validateAuthors })(api)
  await rolloutTaskRoutes(orders)(api)
  await rolloutActionRoutes({ db, now, engine })(api)
  await farmRoutes({
    summaryOf: createFarmSummary({
      ...{ now, countNodes: parts.countNodes, monotonicMs: () => performance.now() },
      rolloutsNow: (seen) => rolloutsNow(db, seen),
    }),
  })(api)
  await farmRulesRoutes({ db, write })(api)
  await groupRoutes({ db, write, now, openPreviews: previews, absenceOf })(api)
  await metricsRoutes({
    db,
    now,
    metrics,
    rolloutsBetween: (nodeIds, range) => marksBetween(db, nodeIds, range),
  })(api)
  await requestRoutes({ db, now, metrics, fleet, sampleWatches: parts.sampleWatches })(api)
  await requestSearchRoutes({
    ...{ now, write, searches: parts.requestSearches, selectErrors: SET_ERRORS },
    select: async (of, scope) => {
      const members = await index.kept()
      const chosen = new Set(resolveNodes(of, members, scope).nodes.map(({ id }) => id))
      return members.filter(({ id }) => chosen.has(id))
    },
    isConnected: (nodeId) => fleet.presence(nodeId).connected,
    capabilitiesOf: (nodeIds) => capabilitiesOf(db, nodeIds),
    idsWithin: (nodeIds, scope) => nodeIdsWithin(db, nodeIds, scope),
  })(api)
  const askNodes = createAskNodes({ now, members: index.kept })
  await metricsSetRoutes({ now, metrics, members: index.kept, askNodes })(api)
  await adviceRoutes({
    ...{ now, metrics, askNodes, askErrors: ASK_ERRORS },
    generationOf: async (nodeId) => (await latestGiven(db, nodeId))?.generation ?? null,
    ...{ trying: tryingWith(parts), tryErrors: [...saveErrors, ...ORDER_ERRORS] },
  })(api)
  await alertRoutes({
    ...{ db, write, now, farm: alertFarm },
    measured: { metrics, readMeasure: measureIn },
    requireKnown: async (appliesTo) => {
      resolveNodes(appliesTo, await index.kept(), null)
    },
    labels: async () => {
      const known = new Map((await index.kept()).map(({ id, labels }) => [id, labels]))
      return (nodeId) => known.get(nodeId) ?? null
    },
  })(api)
  await enrolmentTokenRoutes({ db, write, now, agentUrl: config.agentUrl, authority })(api)
  await certificateRoutes({
    ...{ db, write, now, keeper, rollOut },
    usesOf: async (name) => [
      ...(await configsNaming({ db, examine: work.examine }, name)),
      ...describeGiven(await nodesGiven(db, name)),
      ...(await rolloutsBringing(db, name)),
      ...(isShownByConsole(config, name)
        ? ['the console itself shows it (FARMSTEAD_TLS_CERTIFICATE)']
        : []),
    ],
  })(api)
  await acme.routes(api)
}

/** What happened, who hears of it, and how the service is. */
async function serveSystem(api: App, parts: Parts): Promise<void> {
  const { config, services, identity, box, authority, fleet, agents, metrics, deciding } = parts
  const { acme, guard, dispatcher, verifier, backups, hub, bearers, certificateEnds } = parts
  const { db, write, now, events, controlPlaneId } = services
  const binary = createNodeBinary(config.nodeBinary)
  await auditRoutes({ db, controlPlaneId, verifier })(api)
  await webhookRoutes({
    ...{ db, write, now, box, guard, dispatcher, events, controlPlaneId },
    sendsMail: config.smtp !== null,
  })(api)
  await eventRoutes({
    events,
    hub,
    now,
    onNewWindows: metrics.onNewWindows,
    factsOf: createNodeFacts({
      ...{ db, now, identity, fleet, isTls: authority !== null },
      monotonicMs: () => performance.now(),
    }),
    mayHear: (viewer, event) => mayHear(viewer, event, factsOf(db)),
    mayStillListen: ({ user, session }) =>
      user?.token
        ? bearers.mayStill(user, 'events:read')
        : sessionIsAlive(db, session.sessionId, now()),
  })(api)
  await backupRoutes({ db, config: config.backups, keeper: backups })(api)
  await recoveryRoutes({
    db,
    write,
    identity,
    onConfirmed: async () => {
      await deciding.engine.offerHeld()
      fleet.wakeAll()
      acme.wake()
    },
  })(api)
  await healthRoutes({
    version,
    startedAtMs: now(),
    identity,
    agentListener: { url: config.agentUrl, transport: config.agentTransport },
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
  })(api)
}

const isShownByConsole = ({ tls }: Config, name: string) =>
  tls?.source.kind === 'stored' && tls.source.name === name

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
  alertIsWithin: async (id, scope) => id === '*' || (await findAlert(db, id, scope)) !== undefined,
  ownerOfToken: async (id) => (await findToken(db, id))?.user_id ?? null,
})
