// SPDX-License-Identifier: MIT
// Takes what nodes say into control.db, and tells the rollout engine in the same transaction, so that
// neither ever knows something the other does not. Every message may come twice.
import type { Kysely } from 'kysely'
import { wholeError } from '../agent-protocol/config-errors.ts'
import { Superseded } from '../agent-protocol/errors.ts'
import type {
  AckRequest,
  CertificateVersion,
  ConfirmRequest,
  ConfirmResponse,
  Effective,
  HelloRequest,
  NackRequest,
  ResultRequest,
  ServedCertificate,
  Drift as WireDrift,
} from '../agent-protocol/messages.gen.ts'
import type { Assignments } from '../assignments/assignments.ts'
import { storeDrift } from '../assignments/drift.ts'
import { judge, type Said } from '../assignments/offers.ts'
import {
  type Assignment,
  configDigestOf,
  findOffer,
  type Given,
  givenSoFar,
  isCurrent,
  type OfferKey,
  setOfferState,
} from '../assignments/store.ts'
import type { Unit, Write } from '../audit/write.ts'
import { type Served, setServed } from '../certificates/served-store.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import type {
  AgentEvent,
  Fetched,
  Offer,
  Release,
  Releases,
  RolloutEngine,
} from '../fleet/agent-ports.ts'
import type { ReadGrouping } from '../fleet/config-ports.ts'
import { targetOf } from '../labels/grouping.ts'
import { storeOwnerPolicy } from '../node-check/owner-policy.ts'
import {
  type HelloVerdict,
  type Incarnation,
  judgeHello,
  standingOf,
} from '../node-identity/clones.ts'
import { targetColumns } from '../node-identity/store/nodes.ts'
import {
  lastSaid,
  raiseFences,
  setAcknowledged,
  setEffective,
  setHello,
  setLastResult,
  setLastSeen,
} from '../node-identity/store/said.ts'
import { setStanding } from '../node-identity/store/speakers.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  assignments: Assignments
  engine: RolloutEngine
  releases: Releases
  readGrouping: ReadGrouping
  now: () => number
  /** Its overrides make the released version unreadable, or a variable has no value: for the log. */
  onUnrenderable: (nodeId: string) => void
  /** Its long poll ends, so that who waits there hears it too. */
  onCloneDetected: (nodeId: string) => void
}
/** How a hello came. */
export type HelloVia = {
  address: string
  /** The identity can be given a new key. */
  isKeyed: boolean
  /** The list of CAs that the answer will carry, as a digest. */
  caBundle: string | null
}
export type Inbox = ReturnType<typeof createInbox>

/** A confirmation that had to wait is asked for again this soon. */
const NOT_YET = { confirmed: false, retryAfterMs: 1000 }

export function createInbox(deps: Deps) {
  const { db, write, engine, now } = deps

  /** Stores where the offer stands and passes it on; false when it was no news. */
  const advance = async (unit: Unit, offer: Assignment, event: OfferEvent): Promise<boolean> => {
    if (judge(event.kind, offer.state) !== 'take') return false
    await setOfferState(unit.trx, offer, event.kind, now())
    offer.state = event.kind
    await unit.emit({
      kind: 'node',
      id: offer.node_id,
      action: event.kind,
      actor: offer.node_id,
      data: event,
    })
    await engine.onAgentEvent(unit, event)
    return true
  }

  /** Whose word counts from now on. */
  const takeIncarnation = async (
    unit: Unit,
    nodeId: string,
    { incarnation, hostname }: HelloRequest,
    { address, isKeyed }: HelloVia,
  ): Promise<{ verdict: HelloVerdict['kind']; isRestart: boolean }> => {
    const row = await lastSaid(unit.trx, nodeId)
    const before: Incarnation | null =
      row.incarnation === null
        ? null
        : {
            incarnation: row.incarnation,
            hostname: row.hostname,
            address: row.address,
            atMs: row.last_seen_at_ms ?? row.enrolled_at_ms,
          }
    const said = { incarnation, hostname, address, atMs: now() }
    const { kind, standing } = judgeHello(standingOf(row), said, { before, isKeyed })
    await setStanding(unit.trx, nodeId, standing)
    if (kind === 'detected') {
      const data = { incarnations: standing.clone?.incarnations ?? [] }
      await unit.emit({ kind: 'node', id: nodeId, action: 'clone-detected', data })
    }
    return { verdict: kind, isRestart: kind === 'new' && before !== null }
  }

  const takeResult = async (unit: Unit, offer: Assignment, result: ResultRequest) => {
    const { outcome, effective, reason, message, evidence } = result
    const about = offerOf(offer)
    const news = await advance(
      unit,
      offer,
      outcome === 'applied'
        ? { ...about, kind: 'applied', effective }
        : { ...about, kind: outcome, reason, message, evidence, effective },
    )
    if (!news) return
    if (effective) await setEffective(unit.trx, offer.node_id, effective, now())
    await setLastResult(unit.trx, offer.node_id, {
      atMs: now(),
      generation: offer.generation,
      outcome,
      code: reason,
      message,
      errors: [],
      rolloutId: offer.rollout_id,
    })
  }

  /** What a new node may get, what it should have first. */
  async function firstReleases(
    db: Reader,
    { group }: ReturnType<typeof targetOf>,
    given: readonly Given[],
  ): Promise<Release[]> {
    const { claimed } = await deps.readGrouping(db)
    if (given.length > 0) return deps.releases.provenReleases(db, { group, claimed })
    const release = await deps.releases.releasedVersion(db, { group, claimed })
    return release ? [release] : []
  }

  /** Asked before anything is written: a node for which nothing is released asks at the end of each of its polls. */
  async function mayGetFirst(nodeId: string): Promise<boolean> {
    const given = await givenSoFar(db, nodeId)
    if (!given.every(isFirstAndOver)) return false
    const node = await targetColumns(db, nodeId)
    if (!node) return false
    const target = targetOf(await deps.readGrouping(db), node)
    return (await firstReleases(db, target, given)).length > 0
  }

  return {
    /** Anything but "same" and "new" is refused: two processes speak for the node. */
    hello: (nodeId: string, hello: HelloRequest, via: HelloVia): Promise<HelloVerdict['kind']> =>
      write(async (unit) => {
        const { trx } = unit
        const { verdict, isRestart } = await takeIncarnation(unit, nodeId, hello, via)
        if (verdict === 'detected') unit.afterCommit(() => deps.onCloneDetected(nodeId))
        if (verdict !== 'same' && verdict !== 'new') return verdict
        await setHello(trx, nodeId, {
          hostname: hello.hostname,
          version: hello.version,
          os: hello.os,
          arch: hello.arch,
          capabilities: JSON.stringify(hello.capabilities),
          schema_digest: hello.schemaDigest,
          boot_id: hello.bootId,
          max_epoch: believed(hello.fences.maxEpoch),
          max_generation: believed(hello.fences.maxGeneration),
          last_seen_at_ms: now(),
          address: via.address,
          ca_bundle: via.caBundle,
        })
        await unit.emit({
          kind: 'node',
          id: nodeId,
          action: 'hello',
          actor: nodeId,
          data: { effective: hello.effective, fences: hello.fences },
        })
        if (hello.drift !== undefined) await storeDrift(unit, nodeId, hello.drift, now())
        await storeOwnerPolicy(unit, nodeId, hello.policy ?? null, now())
        if (hello.lastResult) {
          const offer = await findOffer(trx, { ...hello.lastResult, nodeId })
          if (offer) await takeResult(unit, offer, hello.lastResult)
        }
        // After the result, which is older.
        await setEffective(trx, nodeId, hello.effective, now())
        const { effective } = hello
        await engine.onAgentEvent(unit, { kind: 'hello', nodeId, effective, isRestart })
        return verdict
      }),

    /**
     * A node without an assignment gets what was released last for its group, never a candidate. When it
     * refuses that, or goes back from it, it gets the newest that others are well with, until it takes one.
     */
    async offerFirstRelease(nodeId: string): Promise<void> {
      if (!(await mayGetFirst(nodeId))) return
      await write(async (unit) => {
        const { trx } = unit
        const given = await givenSoFar(trx, nodeId)
        if (!given.every(isFirstAndOver) || (await engine.owns(unit, nodeId))) return
        const node = await targetColumns(trx, nodeId)
        if (!node) return
        const target = targetOf(await deps.readGrouping(trx), node)
        const group = target.group.name
        for (const { text, config, version } of await firstReleases(trx, target, given)) {
          const rendered = await deps.releases.rendererOf(text)(trx, target)
          if (!rendered) deps.onUnrenderable(nodeId)
          if (!rendered || given.some(({ digest }) => digest === rendered.digest)) continue
          const about = { nodeId, rolloutId: null, config, version, group }
          await deps.assignments.assign(unit, { ...about, ...rendered })
          return
        }
      })
    },

    ack: (nodeId: string, { warnings, ...key }: AckRequest): Promise<void> =>
      write(async (unit) => {
        const offer = await currentOffer(unit.trx, { ...key, nodeId })
        const event = {
          ...offerOf(offer),
          kind: 'acked' as const,
          warnings: warnings.map(wholeError),
        }
        if (await advance(unit, offer, event)) await setAcknowledged(unit.trx, nodeId, offer)
      }),

    nack: (nodeId: string, nack: NackRequest): Promise<void> =>
      write(async (unit) => {
        const { code, message } = nack
        const offer = await currentOffer(unit.trx, { ...nack, nodeId })
        const errors = nack.errors.map(wholeError)
        const event = { ...offerOf(offer), kind: 'nacked' as const, code, message, errors }
        await raiseFences(unit.trx, nodeId, {
          max_epoch: believed(nack.maxEpoch ?? 0),
          max_generation: believed(nack.maxGeneration ?? 0),
        })
        if (!(await advance(unit, offer, event))) return
        await setLastResult(unit.trx, nodeId, {
          atMs: now(),
          generation: offer.generation,
          outcome: 'refused',
          code,
          message,
          errors,
          rolloutId: offer.rollout_id,
        })
      }),

    /** Also of an older offer: what really runs is worth knowing however late. */
    result: (nodeId: string, result: ResultRequest): Promise<void> =>
      write(async (unit) => {
        const offer = await findOffer(unit.trx, { ...result, nodeId })
        if (!offer) throw new Superseded(result.generation)
        await takeResult(unit, offer, result)
      }),

    confirm: (nodeId: string, confirm: ConfirmRequest): Promise<ConfirmResponse> =>
      write(async (unit) => {
        const { effective } = confirm
        const offer = await confirmableOffer(unit.trx, { ...confirm, nodeId })
        const verdict = judge('confirmed', offer.state)
        // It went back since it said this: what it runs is in the next report.
        if (verdict === 'stale') return NOT_YET
        await setEffective(unit.trx, nodeId, effective, now())
        if (verdict === 'repeated') return { confirmed: true, retryAfterMs: 0 }
        const about = offerOf(offer)
        // What the node runs is read back from its server; only the offered digest can be kept.
        const runsIt = effective.digest === offer.digest
        if (runsIt && offer.state !== 'applied') {
          await advance(unit, offer, { ...about, kind: 'applied', effective })
        }
        if (!runsIt || !(await engine.mayKeep(unit, about))) return NOT_YET
        await advance(unit, offer, { ...about, kind: 'confirmed', effective })
        return { confirmed: true, retryAfterMs: 0 }
      }),

    /** From a report: nothing was asked, but something else runs than we knew. */
    effectiveChanged: (nodeId: string, effective: Effective | null): Promise<void> =>
      write(async (unit) => {
        await setEffective(unit.trx, nodeId, effective, now())
        await unit.emit({
          kind: 'node',
          id: nodeId,
          action: 'effective-changed',
          actor: nodeId,
          data: { effective },
        })
        await engine.onAgentEvent(unit, { kind: 'effective', nodeId, effective })
      }),

    /** From a report: what is shown to whom. */
    servedChanged: (nodeId: string, served: readonly ServedCertificate[]): Promise<void> =>
      write(async (unit) => {
        const changed = await setServed(unit.trx, nodeId, served.map(toServed), now())
        if (!changed) return
        const data = { hosts: served.length }
        await unit.emit({ kind: 'node', id: nodeId, action: 'serves', actor: nodeId, data })
      }),

    /** From reports: what they were offered is still on its way to them. */
    fetching: (nodes: readonly Fetched[]): Promise<void> =>
      write((unit) => engine.onFetching(unit, nodes)),

    certificateFetched: (nodeId: string, certificate: CertificateVersion): Promise<void> =>
      write(async (unit) => {
        const action = 'certificate-fetched'
        await unit.emit({ kind: 'node', id: nodeId, action, actor: nodeId, data: certificate })
      }),

    driftChanged: (nodeId: string, drift: WireDrift | null): Promise<void> =>
      write((unit) => storeDrift(unit, nodeId, drift, now())),

    presence: (nodeId: string, change: 'connected' | 'disconnected'): Promise<void> =>
      write(async (unit) => {
        if (!(await setLastSeen(unit.trx, nodeId, now()))) return
        await unit.emit({ kind: 'node', id: nodeId, action: change })
        await engine.onAgentEvent(unit, { kind: change, nodeId })
      }),
  }
}

const toServed = (one: ServedCertificate): Served => ({
  host: one.host,
  fingerprint: one.fingerprintSha256,
  notAfterMs: one.notAfterUnixMs,
})

/** What the node was given as a new one, and does not run. */
const isFirstAndOver = ({ state, rollout_id }: Given) =>
  rollout_id === null && (state === 'nacked' || state === 'reverted')

type OfferEvent = Extract<AgentEvent, { kind: Said }>

const offerOf = (row: Assignment): Offer => ({
  nodeId: row.node_id,
  generation: row.generation,
  offerId: row.offer_id,
  digest: row.digest,
  rolloutId: row.rollout_id,
})

type Key = OfferKey & { digest: string }

async function currentOffer(trx: Trx, key: Key): Promise<Assignment> {
  const offer = await findOffer(trx, key)
  if (!offer || configDigestOf(offer) !== key.digest || !(await isCurrent(trx, offer))) {
    throw new Superseded(key.generation)
  }
  return offer
}

/**
 * Also an older one that was confirmed: the answer was lost, and a node that never hears it would go
 * back to the config before when the next one fails.
 */
async function confirmableOffer(trx: Trx, key: Key): Promise<Assignment> {
  const offer = await findOffer(trx, key)
  const isConfirmed = offer?.state === 'confirmed' && configDigestOf(offer) === key.digest
  return isConfirmed ? offer : await currentOffer(trx, key)
}

/** Far above any honest count, far enough below 2^53 that ours can go on growing from there. */
const HIGHEST_BELIEVED = 2 ** 48
/** A fence that leaves no room above it would make every rollout to the node, and so to the farm, fail. */
const believed = (fence: number) => Math.min(fence, HIGHEST_BELIEVED)
