// SPDX-License-Identifier: MIT
// The agents' own listener: /agent/v1/<message>, as server-c/agent-protocol/README.md says. Knows HTTP
// and the wire; who speaks is callers.ts's business, what a message means inbox.ts's.
import { performance } from 'node:perf_hooks'
import rateLimit from '@fastify/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { asContent } from '../agent-protocol/content.ts'
import {
  CloneDetected,
  NeedsUpgrade,
  NoCertificates,
  SayAgain,
  SayHello,
  UnknownCredential,
  WrongNode,
} from '../agent-protocol/errors.ts'
import type {
  AckRequest,
  CaResponse,
  CheckRequest,
  ConfirmRequest,
  ConfirmResponse,
  DesiredRequest,
  DesiredResponse,
  EmptyResponse,
  EnrolRequest,
  EnrolResponse,
  HelloRequest,
  HelloResponse,
  LogsRequest,
  NackRequest,
  ProtocolRange,
  RenewRequest,
  RenewResponse,
  ReportRequest,
  ReportResponse,
  ResultRequest,
  SamplesRequest,
  SamplesResponse,
} from '../agent-protocol/messages.gen.ts'
import { TooManyRequests } from '../api-shapes/errors.ts'
import { driftNews, isWhole } from '../assignments/drift.ts'
import { createKeptTexts } from '../assignments/kept-texts.ts'
import type { LogLevel } from '../base/log-level.ts'
import type { Authority } from '../ca/authority.ts'
import type { Identity } from '../control-plane/identity.ts'
import type { Database } from '../db/database.ts'
import type { NodeWrites } from '../db/node-writes.ts'
import type { Challenges } from '../fleet/challenges.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { WatchOrders } from '../fleet/path-watch.ts'
import type { ProbeOrders } from '../fleet/probe-orders.ts'
import type { CheckQuestions, LogQuestions } from '../fleet/questions.ts'
import type { RequestLooks } from '../fleet/request-looks.ts'
import type { App } from '../http/app-types.ts'
import { createFastify } from '../http/create.ts'
import { problemsPlugin } from '../http/problems.ts'
import type { Metrics } from '../metrics-store/metrics.ts'
import type { Neighbours, Speaker } from '../neighbours/neighbours.ts'
import { renewAfterMs } from '../node-identity/certificates.ts'
import type { Enrolment } from '../node-identity/enrolment.ts'
import { requireDeclaredAccess } from '../plugins/access.ts'
import { requestContextPlugin } from '../plugins/request-context.ts'
import { requestLogPlugin } from '../plugins/request-log.ts'
import { admitted } from './admission.ts'
import type { Caller, Identify } from './callers.ts'
import { certificateRoutes } from './certificate-routes.ts'
import type { NodeCertificates } from './certificates.ts'
import { createDesired, DESIRED_WAIT_MS } from './desired.ts'
import { watchFetching } from './fetching.ts'
import type { Inbox } from './inbox.ts'
import { neighbourRoutes } from './neighbour-routes.ts'
import { createOutgoing } from './outgoing.ts'
import { useProtocolSchemas } from './protocol-schemas.ts'
import { releaseRoutes } from './release-routes.ts'
import type { NodeReleases } from './releases.ts'
import { tlsServerOf } from './tls-server.ts'

const PROTOCOL: ProtocolRange = { min: 1, max: 1 }
const BODY_BYTES = 1024 * 1024
/** Of messages that can carry a text of 1 MiB, which JSON may make several times as long. */
const TEXT_BODY_BYTES = 8 * BODY_BYTES
const ENROLS_PER_MINUTE = 60
/** Of one node: what it should need once in weeks. */
const RENEWALS_PER_MINUTE = 10
/** During a rotation all nodes need new certificates; not all in the same second. */
const ROTATE_WITHIN_MS = 60_000
/** Of each kind, from each node: ten times what a node says at its busiest. Most cost a write to the disk. */
const MESSAGES_PER_MINUTE = 600

/** Every node says these again and again. What changes something is in the audit as well. */
const HEARTBEATS = new Set([
  '/agent/v1/desired',
  '/agent/v1/report',
  '/agent/v1/samples',
  '/agent/v1/ca',
  '/agent/v1/ticket-keys',
])

declare module 'fastify' {
  interface FastifyRequest {
    /** On the agent listener: who speaks. */
    caller: Caller | null
  }
}

type Deps = {
  logLevel: LogLevel
  db: Kysely<Database>
  nodeWrites: NodeWrites
  identity: Identity
  fleet: Fleet
  inbox: Inbox
  enrolment: Enrolment
  identify: Identify
  /** null: plain HTTP. */
  authority: Authority | null
  logQuestions: Pick<LogQuestions, 'take' | 'answered'>
  checkQuestions: Pick<CheckQuestions, 'take' | 'answered'>
  probeOrders: Pick<ProbeOrders, 'take' | 'heard'>
  watchOrders: Pick<WatchOrders, 'take'>
  looks: RequestLooks
  challenges: Pick<Challenges, 'heard' | 'newsFor'>
  certificates: NodeCertificates
  releases: NodeReleases
  neighbours: Pick<Neighbours, 'ask' | 'heard' | 'newsFor' | 'rulesFor' | 'untold'>
  metrics: Pick<Metrics, 'record' | 'slowdown'>
  now: () => number
  reportEveryMs: number
  /** Sees each answer. */
  watch?: (app: App) => void
}

export async function buildAgentListener(deps: Deps): Promise<App> {
  const {
    fleet,
    inbox,
    identity,
    identify,
    enrolment,
    authority,
    logQuestions,
    checkQuestions,
    now,
    reportEveryMs,
  } = deps
  const desired = createDesired({
    ...deps,
    texts: createKeptTexts(deps.db),
    outgoing: createOutgoing(),
  })
  const app = createFastify({
    logLevel: deps.logLevel,
    trustProxy: false,
    bodyLimit: BODY_BYTES,
    ...(authority && { serverFactory: tlsServerOf(authority) }),
  })
  requireDeclaredAccess(app)
  deps.watch?.(app)
  useProtocolSchemas(app)
  await app.register(problemsPlugin, { invalidCode: 'invalid_message' })
  await app.register(requestLogPlugin, {
    isRoutine: ({ routeOptions: { url = '' } }) => HEARTBEATS.has(url),
  })
  await app.register(requestContextPlugin, { listener: 'agents' })
  await app.register(rateLimit, {
    global: false,
    errorResponseBuilder: (_request, { ttl }) => new TooManyRequests(Math.ceil(ttl / 1000)),
  })
  app.decorateRequest('user', null)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.permission !== 'agent') return
    request.caller = await identify(request)
    fleet.seen(request.caller.id)
  })

  const config = {
    permission: 'agent' as const,
    rateLimit: {
      max: MESSAGES_PER_MINUTE,
      timeWindow: 60_000,
      // Once it is known who speaks (nodes may share an address), before the body is read.
      hook: 'preParsing' as const,
      keyGenerator: (request: FastifyRequest) => callerIn(request).id,
    },
  }
  const body = (message: string) => ({ body: { $ref: `${message}.request.schema.json` } })
  const nothing: EmptyResponse = {}
  const fetches = watchFetching({
    tell: inbox.fetching,
    onError: (err) =>
      app.log.warn({ err }, 'rollouts were not told how far nodes are with fetching'),
  })
  app.addHook('onClose', () => fetches.close())
  releaseRoutes(app, { releases: deps.releases, believed, config })
  neighbourRoutes(app, {
    ...{ releases: deps.releases, neighbours: deps.neighbours, config },
    callerIn: (request) => {
      const caller = callerIn(request)
      return { caller, speaker: speakerOf(caller) }
    },
    onWait: (nodeId) => {
      fetches.waits(nodeId)
      fleet.ahead.waits(nodeId)
    },
  })
  certificateRoutes(app, { certificates: deps.certificates, inbox, believed, config })

  app.post<{ Body: EnrolRequest }>(
    '/agent/v1/enrol',
    {
      schema: body('enrol'),
      config: {
        permission: 'public',
        rateLimit: { max: ENROLS_PER_MINUTE, timeWindow: 60_000 },
      },
    },
    async ({ body: request }): Promise<EnrolResponse> => {
      agree(request.protocol)
      return await enrolment.enrol(request)
    },
  )

  app.get(
    '/agent/v1/ca',
    {
      exposeHeadRoute: false,
      config: {
        permission: 'public',
        rateLimit: { max: ENROLS_PER_MINUTE, timeWindow: 60_000 },
      },
    },
    async (): Promise<CaResponse> => {
      if (!authority) throw new NoCertificates()
      return { caCertificates: authority.bundle().pem }
    },
  )

  app.post<{ Body: HelloRequest }>(
    '/agent/v1/hello',
    { schema: body('hello'), config, bodyLimit: TEXT_BODY_BYTES },
    async (request): Promise<HelloResponse> => {
      const caller = callerIn(request)
      const hello = asTaken(request.body)
      if (hello.nodeId !== caller.id) throw new WrongNode(hello.nodeId)
      const protocol = agree(hello.protocol)
      if (hello.fences.maxEpoch > identity.epoch) {
        request.log.warn(
          { node: caller.name, maxEpoch: hello.fences.maxEpoch, epoch: identity.epoch },
          'the node obeyed a newer control plane than this one and will refuse what we offer',
        )
      }
      const bundle = authority?.bundle()
      const verdict = await inbox.hello(caller.id, hello, {
        address: request.ip,
        isKeyed: caller.certificate !== null,
        caBundle: bundle?.digest ?? null,
      })
      if (verdict === 'detected') {
        request.log.warn({ node: caller.name }, 'two processes speak for this node')
      }
      if (verdict === 'detected' || verdict === 'refused') throw new CloneDetected()
      if (verdict === 'say-again') throw new SayAgain()
      fleet.ahead.restarted(caller.id)
      fleet.previews.restarted(caller.id)
      const neighbours = caller.certificate && (await deps.neighbours.rulesFor(caller.id))
      return {
        protocol,
        controlPlaneId: identity.controlPlaneId,
        epoch: identity.epoch,
        reportEveryMs,
        desiredWaitMs: DESIRED_WAIT_MS,
        ...(bundle && { caCertificates: bundle.pem, renewAfterMs: renewalOf(caller) }),
        ...(neighbours && { neighbours }),
      }
    },
  )

  /** When the node should ask for its next certificate. */
  const renewalOf = ({ certificate, standing }: Caller): number => {
    // Kept of two clones: only a new key shuts the other out.
    if (!certificate || standing.clone) return 0
    const dueMs = renewAfterMs(certificate.issued_at_ms, now(), Math.random())
    if (!authority?.isOutgoing(certificate.ca_sha256)) return dueMs
    return Math.min(dueMs, Math.round(Math.random() * ROTATE_WITHIN_MS))
  }

  app.post<{ Body: RenewRequest }>(
    '/agent/v1/renew',
    {
      schema: body('renew'),
      config: { ...config, rateLimit: { ...config.rateLimit, max: RENEWALS_PER_MINUTE } },
    },
    async (request): Promise<RenewResponse> => {
      const caller = callerIn(request)
      admitted(caller, request.body.incarnation)
      if (!authority) throw new NoCertificates()
      return await enrolment.renew(authority, caller, request.body.csr)
    },
  )

  app.post<{ Body: DesiredRequest }>(
    '/agent/v1/desired',
    { schema: body('desired'), config },
    async (request, reply): Promise<DesiredResponse> => {
      return await desired(request, reply, callerIn(request), request.body)
    },
  )

  app.post<{ Body: AckRequest }>(
    '/agent/v1/ack',
    { schema: body('ack'), config },
    async (request) => {
      await inbox.ack(believed(request).id, request.body)
      return nothing
    },
  )

  app.post<{ Body: NackRequest }>(
    '/agent/v1/nack',
    { schema: body('nack'), config },
    async (request) => {
      await inbox.nack(believed(request).id, request.body)
      return nothing
    },
  )

  app.post<{ Body: ResultRequest }>(
    '/agent/v1/result',
    { schema: body('result'), config },
    async (request) => {
      await inbox.result(believed(request).id, resultOf(request.body))
      return nothing
    },
  )

  app.post<{ Body: ConfirmRequest }>(
    '/agent/v1/confirm',
    { schema: body('confirm'), config },
    async (request): Promise<ConfirmResponse> =>
      await inbox.confirm(believed(request).id, {
        ...request.body,
        effective: asContent(request.body.effective),
      }),
  )

  app.post<{ Body: ReportRequest }>(
    '/agent/v1/report',
    { schema: body('report'), config, bodyLimit: TEXT_BODY_BYTES },
    async (request, reply): Promise<ReportResponse> => {
      const cameAt = performance.now()
      const caller = callerIn(request)
      const { incarnation, desired: wish } = request.body
      const acknowledgedSeq = await takeReport(caller, request.body)
      const news = await neighbourNews(caller, reply)
      const told = { ...paceOf(caller), ...news }
      if (!wish) return { acknowledgedSeq, ...told }
      // What was measured is not kept while the answer waits.
      request.body = null as never
      // News do not wait for other news.
      const longestMs = 'neighbours' in news ? 0 : wish.waitMs
      const waitMs = Math.max(0, longestMs - (performance.now() - cameAt))
      const answer = await desired(request, reply, caller, { ...wish, incarnation, waitMs })
      return { acknowledgedSeq, ...told, desired: answer }
    },
  )

  const neighbourNews = async (
    { id, certificate }: Caller,
    { raw }: FastifyReply,
  ): Promise<Pick<ReportResponse, 'neighbours'>> => {
    const neighbours = certificate ? await deps.neighbours.newsFor(id) : undefined
    if (neighbours === undefined) return {}
    raw.once('close', () => {
      if (!raw.writableFinished || raw.statusCode !== 200) deps.neighbours.untold(id)
    })
    return { neighbours }
  }

  const paceOf = (caller: Caller): Pick<ReportResponse, 'reportEveryMs'> => {
    const slowdown = deps.metrics.slowdown()
    const everyMs = reportEveryMs * slowdown
    fleet.toReport(caller.id, everyMs)
    return slowdown > 1 ? { reportEveryMs: everyMs } : {}
  }

  /** Returns the number of the last window that was taken. */
  const takeReport = async (caller: Caller, report: ReportRequest): Promise<number> => {
    const { bootId, uptimeMs, drift, certificates, fetching, probed } = report
    const effective = asContent(report.effective)
    admitted(caller, report.incarnation)
    const known = driftNews(caller.drift, drift)
    if (known === 'unknown') throw new SayHello()
    fleet.setGauges(caller.id, report.gauges)
    if (report.host) {
      fleet.setHost(caller.id, { facts: report.host, bootId, uptimeMs, atMs: now() })
    }
    if (
      effective?.digest !== caller.effective?.digest ||
      effective?.source !== caller.effective?.source
    ) {
      await inbox.effectiveChanged(caller.id, effective)
    }
    if (certificates) await inbox.servedChanged(caller.id, certificates)
    fetches.heard(caller.id, fetching)
    fleet.ahead.fetching(caller.id, fetching)
    fleet.keptReleases.heard(caller.id, report, now())
    deps.neighbours.heard(speakerOf(caller), report)
    if (probed) deps.probeOrders.heard(caller.id, probed)
    if (known === 'news' && drift !== undefined && (drift === null || isWhole(drift))) {
      await inbox.driftChanged(caller.id, drift)
    }
    return await deps.metrics.record(caller.id, report)
  }

  app.post<{ Body: LogsRequest }>(
    '/agent/v1/logs',
    { schema: body('logs'), config, bodyLimit: TEXT_BODY_BYTES },
    async (request) => {
      const caller = callerIn(request)
      admitted(caller, request.body.incarnation)
      logQuestions.answered(caller.id, request.body)
      return nothing
    },
  )

  app.post<{ Body: SamplesRequest }>(
    '/agent/v1/samples',
    { schema: body('samples'), config },
    async (request): Promise<SamplesResponse> => {
      const caller = callerIn(request)
      admitted(caller, request.body.incarnation)
      return deps.looks.heard(caller.id, request.body, now())
    },
  )

  app.post<{ Body: CheckRequest }>(
    '/agent/v1/check',
    { schema: body('check'), config },
    async (request) => {
      const caller = callerIn(request)
      admitted(caller, request.body.incarnation)
      checkQuestions.answered(caller.id, request.body)
      return nothing
    },
  )
  return app
}

/** With digests of all that runs: agent-protocol/content.ts. */
const resultOf = (result: ResultRequest): ResultRequest => ({
  ...result,
  effective: asContent(result.effective),
})

const asTaken = (hello: HelloRequest): HelloRequest => ({
  ...hello,
  effective: asContent(hello.effective),
  lastResult: hello.lastResult && resultOf(hello.lastResult),
})

const speakerOf = ({ id, labels, certificate }: Caller): Speaker => ({
  ...{ id, labels },
  keySha256: certificate?.key_sha256 ?? null,
})

function callerIn(request: FastifyRequest): Caller {
  if (!request.caller) throw new UnknownCredential()
  return request.caller
}

/** The highest protocol both speak. */
function agree(theirs: ProtocolRange): number {
  const protocol = Math.min(theirs.max, PROTOCOL.max)
  if (protocol < Math.max(theirs.min, PROTOCOL.min)) throw new NeedsUpgrade(theirs, PROTOCOL)
  return protocol
}

/** Of a message that does not say which start of the node sends it. */
function believed(request: FastifyRequest): Caller {
  const caller = callerIn(request)
  admitted(caller, null)
  return caller
}
