// SPDX-License-Identifier: MIT
// The long poll: what a node should run, or what it is asked, as soon as there is something to say.
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { SayHello, UnknownCredential } from '../agent-protocol/errors.ts'
import type { DesiredRequest, DesiredResponse } from '../agent-protocol/messages.gen.ts'
import { knownDecision } from '../assignments/drift.ts'
import {
  certificatesOf,
  configDigestOf,
  latestAssignment,
  type Standing,
} from '../assignments/store.ts'
import type { Authority } from '../ca/authority.ts'
import type { Identity } from '../control-plane/identity.ts'
import type { Database } from '../db/database.ts'
import type { Challenges } from '../fleet/challenges.ts'
import type { Fleet, Woken } from '../fleet/fleet.ts'
import type { ProbeOrders } from '../fleet/probe-orders.ts'
import type { CheckQuestions, LogQuestions } from '../fleet/questions.ts'
import { admitted } from './admission.ts'
import type { Caller, Identify } from './callers.ts'
import type { Inbox } from './inbox.ts'

/** Longer polls end here: proxies and NATs drop what is silent for longer. */
const LONGEST_WAIT_MS = 30_000

type Deps = {
  db: Kysely<Database>
  identity: Pick<Identity, 'epoch' | 'recovery'>
  fleet: Pick<Fleet, 'wait' | 'hungUp'>
  inbox: Pick<Inbox, 'offerFirstRelease'>
  identify: Identify
  authority: Pick<Authority, 'bundle'> | null
  logQuestions: Pick<LogQuestions, 'take'>
  probeOrders: Pick<ProbeOrders, 'take'>
  checkQuestions: Pick<CheckQuestions, 'take'>
  challenges: Pick<Challenges, 'heard' | 'newsFor'>
}
type Request = FastifyRequest<{ Body: DesiredRequest }>

/**
 * What it refused or went back from, also where it keeps no mark of that (a fence, or a start after its first
 * config failed): the next offer is a new one.
 */
const isSettled = ({ state }: Standing) => state === 'nacked' || state === 'reverted'

export function createDesired(deps: Deps) {
  const { db, identity, fleet, inbox, identify, authority, logQuestions, probeOrders } = deps
  const { checkQuestions } = deps

  const mayWait = (caller: Caller, incarnation: string): void => {
    admitted(caller, incarnation)
    // Whom to trust has changed: hello tells.
    if (authority && caller.caBundle !== authority.bundle().digest) throw new SayHello()
  }

  /** What the node has not answered yet; null: nothing. */
  const news = async (
    nodeId: string,
    { have, challenges: answered }: DesiredRequest,
  ): Promise<DesiredResponse | null> => {
    const assignment = await unanswered(nodeId, have?.generation ?? 0)
    // Last, for a question is put once, and so is an order.
    // A text beside an assignment's might be more than an answer may hold.
    const question = logQuestions.take(nodeId) ?? (assignment ? null : checkQuestions.take(nodeId))
    const probes = probeOrders.take(nodeId)
    const challenges = answered ? deps.challenges.newsFor(answered) : null
    if (!assignment && !question && !probes && !challenges) return null
    return {
      assignment,
      ...(question && { request: question }),
      ...(probes && { probes }),
      ...(challenges && { challenges }),
    }
  }

  const unanswered = async (
    nodeId: string,
    have: number,
  ): Promise<DesiredResponse['assignment']> => {
    // What this database says of the node is from before the backup.
    if (identity.recovery) return null
    let latest = await latestAssignment(db, nodeId)
    // Also one that refused what it got as a new node.
    if (!latest || (isSettled(latest) && latest.rollout_id === null)) {
      await inbox.offerFirstRelease(nodeId)
      latest = await latestAssignment(db, nodeId)
    }
    if (!latest || latest.generation <= have || isSettled(latest)) return null
    // The local change that an operator lets go.
    const certificates = certificatesOf(latest)
    const replacesDrift = (await knownDecision(db, nodeId))?.digest
    return {
      generation: latest.generation,
      epoch: identity.epoch,
      offerId: latest.offer_id,
      rolloutId: latest.rollout_id,
      release: {
        configDigest: configDigestOf(latest),
        configText: latest.text,
        contentManifestDigest: null,
        ...(certificates.length > 0 && { certificates }),
      },
      ackWithinMs: latest.ack_ms,
      applyWithinMs: latest.apply_ms,
      confirmWithinMs: latest.confirm_ms,
      ...(replacesDrift && { replacesDrift }),
    }
  }

  return async (
    request: Request,
    reply: FastifyReply,
    caller: Caller,
  ): Promise<DesiredResponse> => {
    const { waitMs, incarnation, challenges } = request.body
    mayWait(caller, incarnation)
    const nodeId = caller.id
    if (challenges) deps.challenges.heard(nodeId, challenges)
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
        const answer = await news(nodeId, request.body)
        if (answer) {
          wait.end('woken')
          return answer
        }
        const why: Woken = await wait.result
        // It waited long: who it was then need not be who it is now.
        if (why === 'gone' || why === 'woken') mayWait(await identify(request), incarnation)
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
}
