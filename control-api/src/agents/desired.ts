// SPDX-License-Identifier: MIT
// The long poll: what a node should run, or what it is asked, as soon as there is something to say.
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { SayHello, UnknownCredential } from '../agent-protocol/errors.ts'
import type { DesiredRequest, DesiredResponse } from '../agent-protocol/messages.gen.ts'
import { knownDecision } from '../assignments/drift.ts'
import type { KeptTexts } from '../assignments/kept-texts.ts'
import {
  type Assignment,
  configDigestOf,
  latestGiven,
  type Standing,
} from '../assignments/store.ts'
import type { Authority } from '../ca/authority.ts'
import type { Identity } from '../control-plane/identity.ts'
import type { Database } from '../db/database.ts'
import { NodeMemo, type NodeWrites } from '../db/node-writes.ts'
import type { Challenges } from '../fleet/challenges.ts'
import type { Fleet, Woken } from '../fleet/fleet.ts'
import type { WatchOrders } from '../fleet/path-watch.ts'
import type { ProbeOrders } from '../fleet/probe-orders.ts'
import type { CheckQuestions, LogQuestions } from '../fleet/questions.ts'
import type { RequestLooks } from '../fleet/request-looks.ts'
import { admitted } from './admission.ts'
import type { Caller, Identify } from './callers.ts'
import type { Inbox } from './inbox.ts'
import type { Outgoing, Room } from './outgoing.ts'

/** Longer polls end here: proxies and NATs drop what is silent for longer. */
const LONGEST_WAIT_MS = 30_000
/** What nodes are told to wait, at most. */
export const DESIRED_WAIT_MS = 25_000
/** Polls that were all woken together would end together, and come again together, for ever: each ends somewhat earlier. */
const SPREAD = 0.2
/** For an answer that is there, whatever the poll's time. */
const LEAST_FOR_ROOM_MS = 1_000

type Deps = {
  db: Kysely<Database>
  nodeWrites: NodeWrites
  identity: Pick<Identity, 'epoch' | 'recovery'>
  fleet: Pick<Fleet, 'ahead' | 'previews' | 'wait' | 'hungUp'>
  inbox: Pick<Inbox, 'offerFirstRelease'>
  identify: Identify
  authority: Pick<Authority, 'bundle'> | null
  logQuestions: Pick<LogQuestions, 'take'>
  probeOrders: Pick<ProbeOrders, 'take'>
  watchOrders: Pick<WatchOrders, 'take'>
  checkQuestions: Pick<CheckQuestions, 'take'>
  looks: Pick<RequestLooks, 'take'>
  challenges: Pick<Challenges, 'heard' | 'newsFor'>
  texts: KeptTexts
  outgoing: Outgoing
}
type Given = Assignment & Standing
/** What it says that it has, beside that. */
type Told = {
  given: Given | null
  challenges: Wish['challenges'] | undefined
  ahead: Wish['ahead'] | undefined
  previews: Wish['previews'] | undefined
}
/** What it has and how long it waits: by itself, or with a report. */
export type Wish = Pick<
  DesiredRequest,
  'incarnation' | 'have' | 'waitMs' | 'challenges' | 'ahead' | 'previews'
>

/**
 * What it refused or went back from, also where it keeps no mark of that (a fence, or a start after its first
 * config failed): the next offer is a new one.
 */
const isSettled = ({ state }: Standing) => state === 'nacked' || state === 'reverted'

/** A shorter wait is the node's own: then it has something to say. */
const spread = (waitMs: number) =>
  waitMs < DESIRED_WAIT_MS ? waitMs : waitMs * (1 - SPREAD * Math.random())

export function createDesired(deps: Deps) {
  const { db, identity, fleet, inbox, identify, authority, logQuestions, probeOrders } = deps
  const { checkQuestions, texts, outgoing } = deps
  /** Asked with each poll of each node; null: it was given nothing. */
  const lastGiven = new NodeMemo<Given | null>(deps.nodeWrites, 'assignments')
  const latestOf = async (nodeId: string): Promise<Given | null> => {
    const known = lastGiven.known(nodeId)
    if (known !== undefined) return known
    const read = async () => (await latestGiven(db, nodeId)) ?? null
    return await lastGiven.keep(read, () => nodeId)
  }

  const mayWait = (caller: Caller, incarnation: string): void => {
    admitted(caller, incarnation)
    // Whom to trust has changed: hello tells.
    if (authority && caller.caBundle !== authority.bundle().digest) throw new SayHello()
  }

  /** What the node has not answered yet, and whatever else there is for it; null: nothing. */
  const news = async (
    nodeId: string,
    { given, challenges: answered, ahead: held, previews: shown }: Told,
  ): Promise<DesiredResponse | null> => {
    const assignment = given && (await asAssignment(given))
    // Last, for a question is put once, and so is an order.
    // A text beside an assignment's might be more than an answer may hold.
    const question = logQuestions.take(nodeId) ?? (assignment ? null : checkQuestions.take(nodeId))
    const probes = probeOrders.take(nodeId)
    const samples = deps.looks.take(nodeId)
    const watch = deps.watchOrders.take(nodeId)
    const challenges = answered ? deps.challenges.newsFor(answered) : null
    const ahead = held && !identity.recovery ? fleet.ahead.newsFor(nodeId, held) : null
    const previews = shown && !identity.recovery ? fleet.previews.newsFor(nodeId, shown) : null
    const said = [assignment, question, probes, watch, samples, challenges, ahead, previews]
    if (said.every((one) => !one)) return null
    return {
      assignment,
      ...(question && { request: question }),
      ...(probes && { probes }),
      ...(watch && { watch }),
      ...(samples && { samples }),
      ...(challenges && { challenges }),
      ...(ahead && { ahead }),
      ...(previews && { previews }),
    }
  }

  /** Without its text: most polls have nothing new. */
  const unanswered = async (nodeId: string, have: number): Promise<Given | null> => {
    // What this database says of the node is from before the backup.
    if (identity.recovery) return null
    let latest = await latestOf(nodeId)
    // Also one that refused what it got as a new node.
    if (!latest || (isSettled(latest) && latest.rollout_id === null)) {
      await inbox.offerFirstRelease(nodeId)
      latest = await latestOf(nodeId)
    }
    return !latest || latest.generation <= have || isSettled(latest) ? null : latest
  }

  const asAssignment = async (given: Given): Promise<DesiredResponse['assignment']> => {
    const { json, certificates, releases } = await texts.of(given.text_id)
    // The local change that an operator lets go.
    const replacesDrift = (await knownDecision(db, given.node_id))?.digest
    return {
      generation: given.generation,
      epoch: identity.epoch,
      offerId: given.offer_id,
      rolloutId: given.rollout_id,
      release: {
        configDigest: configDigestOf(given),
        configText: json,
        ...(certificates.length > 0 && { certificates: [...certificates] }),
        ...(releases.length > 0 && { releases: [...releases] }),
      },
      ackWithinMs: given.ack_ms,
      applyWithinMs: given.apply_ms,
      confirmWithinMs: given.confirm_ms,
      ...(replacesDrift && { replacesDrift }),
    }
  }

  type Asking = { reply: FastifyReply; have: number; endsAt: number }

  /** What it has not answered, when there is room for its text. */
  const withRoom = async (
    nodeId: string,
    { reply, have, endsAt }: Asking,
  ): Promise<{ given: Given | null; room: Room }> => {
    const given = await unanswered(nodeId, have)
    if (!given) return { given, room: 'at-once' }
    const { bytes } = await texts.of(given.text_id)
    const withinMs = Math.max(LEAST_FOR_ROOM_MS, endsAt - performance.now())
    const room = await outgoing.room(nodeId, { bytes, reply, withinMs })
    // It may be another one by now.
    return { given: room === 'later' ? await unanswered(nodeId, have) : given, room }
  }

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    { incarnation, challenges, ahead, previews, waitMs, ...wish }: Wish,
  ): Promise<DesiredResponse> => {
    const have = wish.have?.generation ?? 0
    mayWait(caller, incarnation)
    const nodeId = caller.id
    if (challenges) deps.challenges.heard(nodeId, challenges)
    fleet.ahead.heard(nodeId, ahead)
    fleet.previews.heard(nodeId, previews)
    const endsAt = performance.now() + spread(Math.min(waitMs, LONGEST_WAIT_MS))
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
        const { given, room } = await withRoom(nodeId, { reply, have, endsAt })
        if (room === 'none') {
          wait.end('timeout')
          return { assignment: null }
        }
        // That wait may have been long, too.
        if (given && room === 'later') mayWait(await identify(request), incarnation)
        const answer = await news(nodeId, { given, challenges, ahead, previews })
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
