// SPDX-License-Identifier: MIT
// The agents' own HTTP listener: /agent/v1/<message>, as server-c/agent-protocol/README.md says. Knows
// HTTP and the wire; what a message means is inbox.ts's business.
import rateLimit from '@fastify/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { LogLevel } from '../config.ts'
import { createFastify } from '../create-fastify.ts'
import type { Database } from '../db/database.ts'
import { TooManyRequests } from '../errors.ts'
import type { App } from '../fastify.ts'
import { sameDigest, sha256 } from '../ids.ts'
import type { Identity } from '../meta.ts'
import { requireDeclaredAccess } from '../plugins/access.ts'
import { problemsPlugin } from '../plugins/problems.ts'
import { requestLogPlugin } from '../plugins/request-log.ts'
import { createAjv } from '../plugins/validation.ts'
import type { Metrics } from '../ports.ts'
import { latestAssignment } from './assignments.ts'
import { NeedsUpgrade, SayHello, UnknownCredential, WrongNode } from './errors.ts'
import type { Fleet, Woken } from './fleet.ts'
import type { Inbox } from './inbox.ts'
import { readProtocolSchemas } from './message-types.ts'
import type {
  AckRequest,
  ConfirmRequest,
  ConfirmResponse,
  DesiredRequest,
  DesiredResponse,
  EmptyResponse,
  EnrolRequest,
  EnrolResponse,
  HelloRequest,
  HelloResponse,
  NackRequest,
  ProtocolRange,
  ReportRequest,
  ReportResponse,
  ResultRequest,
} from './messages.gen.ts'

const PROTOCOL: ProtocolRange = { min: 1, max: 1 }
const REPORT_EVERY_MS = 5000
const DESIRED_WAIT_MS = 25_000
/** Longer polls end here: proxies and NATs drop what is silent for longer. */
const LONGEST_WAIT_MS = 30_000
const BODY_BYTES = 1024 * 1024
const REPORT_BODY_BYTES = 4 * BODY_BYTES
const ENROLS_PER_MINUTE = 60
/** Of each kind, from each node: ten times what a node says at its busiest. Most cost a write to the disk. */
const MESSAGES_PER_MINUTE = 600
/** How long a node may take; all relative, from receipt. */
const DEADLINES = { ackWithinMs: 10_000, applyWithinMs: 30_000, confirmWithinMs: 60_000 }

/** The node behind the credential. */
type Caller = {
  id: string
  name: string
  incarnation: string | null
  effectiveDigest: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** On the agent listener: who speaks. */
    caller: Caller | null
  }
}

type Deps = {
  logLevel: LogLevel
  db: Kysely<Database>
  identity: Identity
  fleet: Fleet
  inbox: Inbox
  enrol: (request: EnrolRequest) => Promise<EnrolResponse>
  metrics: Pick<Metrics, 'record'>
}

export async function buildAgentListener(deps: Deps): Promise<App> {
  const { db, fleet, inbox, identity } = deps
  const app = createFastify({ logLevel: deps.logLevel, trustProxy: false, bodyLimit: BODY_BYTES })
  requireDeclaredAccess(app)
  useProtocolSchemas(app)
  await app.register(problemsPlugin, { invalidCode: 'invalid_message' })
  await app.register(requestLogPlugin)
  await app.register(rateLimit, {
    global: false,
    errorResponseBuilder: (_request, { ttl }) => new TooManyRequests(Math.ceil(ttl / 1000)),
  })
  app.decorateRequest('user', null)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.permission !== 'agent') return
    const caller = await callerOf(db, request.headers.authorization)
    if (!caller) throw new UnknownCredential().withHeaders({ 'www-authenticate': 'Bearer' })
    request.caller = caller
    fleet.seen(caller.id)
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
      return await deps.enrol(request)
    },
  )

  app.post<{ Body: HelloRequest }>(
    '/agent/v1/hello',
    { schema: body('hello'), config },
    async (request): Promise<HelloResponse> => {
      const { id, name } = callerIn(request)
      const hello = request.body
      if (hello.nodeId !== id) throw new WrongNode(hello.nodeId)
      const protocol = agree(hello.protocol)
      if (hello.fences.maxEpoch > identity.epoch) {
        request.log.warn(
          { node: name, maxEpoch: hello.fences.maxEpoch, epoch: identity.epoch },
          'the node obeyed a newer control plane than this one and will refuse what we offer',
        )
      }
      await inbox.hello(id, hello)
      return {
        protocol,
        ...identity,
        reportEveryMs: REPORT_EVERY_MS,
        desiredWaitMs: DESIRED_WAIT_MS,
      }
    },
  )

  app.post<{ Body: DesiredRequest }>(
    '/agent/v1/desired',
    { schema: body('desired'), config },
    async (request, reply): Promise<DesiredResponse> => {
      const caller = callerIn(request)
      sameStart(caller, request.body.incarnation)
      return await longPoll(request, reply, caller.id)
    },
  )

  const longPoll = async (
    request: FastifyRequest<{ Body: DesiredRequest }>,
    reply: FastifyReply,
    nodeId: string,
  ): Promise<DesiredResponse> => {
    const { have, waitMs } = request.body
    const endsAt = performance.now() + Math.min(waitMs, LONGEST_WAIT_MS)
    for (;;) {
      // The wait begins before the look, so that what is assigned in between wakes it.
      const wait = fleet.wait(nodeId, Math.max(0, endsAt - performance.now()))
      const hangUp = () => {
        if (reply.raw.writableFinished) return
        fleet.hungUp(nodeId)
        wait.end('gone')
      }
      reply.raw.once('close', hangUp)
      try {
        const assignment = await news(nodeId, have?.generation ?? 0)
        if (assignment) {
          wait.end('woken')
          return { assignment }
        }
        const why: Woken = await wait.result
        if (why === 'gone') throw new UnknownCredential()
        // closing: the node asks again, is refused, and backs off until we are there again.
        if (why !== 'woken') return { assignment: null }
      } catch (error) {
        wait.end('timeout')
        throw error
      } finally {
        reply.raw.off('close', hangUp)
      }
    }
  }

  /** What the node has not answered yet. */
  const news = async (nodeId: string, have: number): Promise<DesiredResponse['assignment']> => {
    let latest = await latestAssignment(db, nodeId)
    if (!latest) {
      await inbox.offerFirstRelease(nodeId)
      latest = await latestAssignment(db, nodeId)
    }
    if (!latest || latest.generation <= have) return null
    return {
      generation: latest.generation,
      epoch: latest.epoch,
      offerId: latest.offer_id,
      rolloutId: latest.rollout_id,
      release: {
        configDigest: latest.digest,
        configText: latest.text,
        contentManifestDigest: null,
      },
      ...DEADLINES,
    }
  }

  app.post<{ Body: AckRequest }>(
    '/agent/v1/ack',
    { schema: body('ack'), config },
    async (request) => {
      await inbox.ack(callerIn(request).id, request.body)
      return nothing
    },
  )

  app.post<{ Body: NackRequest }>(
    '/agent/v1/nack',
    { schema: body('nack'), config },
    async (request) => {
      await inbox.nack(callerIn(request).id, request.body)
      return nothing
    },
  )

  app.post<{ Body: ResultRequest }>(
    '/agent/v1/result',
    { schema: body('result'), config },
    async (request) => {
      await inbox.result(callerIn(request).id, request.body)
      return nothing
    },
  )

  app.post<{ Body: ConfirmRequest }>(
    '/agent/v1/confirm',
    { schema: body('confirm'), config },
    async (request): Promise<ConfirmResponse> =>
      await inbox.confirm(callerIn(request).id, request.body),
  )

  app.post<{ Body: ReportRequest }>(
    '/agent/v1/report',
    { schema: body('report'), config, bodyLimit: REPORT_BODY_BYTES },
    async (request): Promise<ReportResponse> => {
      const caller = callerIn(request)
      const report = request.body
      sameStart(caller, report.incarnation)
      fleet.setGauges(caller.id, report.gauges)
      if ((report.effective?.digest ?? null) !== caller.effectiveDigest) {
        await inbox.effectiveChanged(caller.id, report.effective)
      }
      return { acknowledgedSeq: await deps.metrics.record(caller.id, report) }
    },
  )
  return app
}

/** Bodies are held against the very files the node's tests read. */
function useProtocolSchemas(app: App): void {
  const ajv = createAjv(false)
  for (const schema of readProtocolSchemas().values()) ajv.addSchema(schema)
  app.setValidatorCompiler<{ $ref: string }>(({ schema }) => ajv.compile(schema))
}

async function callerOf(db: Kysely<Database>, header: string | undefined): Promise<Caller | null> {
  const credential = /^Bearer (\S{32,128})$/i.exec(header ?? '')?.[1]
  if (!credential) return null
  const digest = sha256(credential)
  const row = await db
    .selectFrom('nodes')
    .select(['id', 'name', 'incarnation', 'effective', 'credential_digest'])
    .where('credential_digest', '=', digest)
    .executeTakeFirst()
  if (!row?.credential_digest || !sameDigest(row.credential_digest, digest)) return null
  const { id, name, incarnation, effective } = row
  return {
    id,
    name,
    incarnation,
    effectiveDigest: effective === null ? null : JSON.parse(effective).digest,
  }
}

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

function sameStart(caller: Caller, incarnation: string): void {
  if (caller.incarnation !== incarnation) throw new SayHello()
}
