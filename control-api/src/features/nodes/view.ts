// SPDX-License-Identifier: MIT
// A node as the API shows it: what the database holds, who is connected, and what was measured.
import type { Kysely } from 'kysely'
import { decisionOf, driftOf } from '../../assignments/drift.ts'
import type { Assignment } from '../../assignments/store.ts'
import type { Identity } from '../../control-plane/identity.ts'
import type { Database } from '../../db/database.ts'
import type { ReadGrouping } from '../../fleet/config-ports.ts'
import { cordonOf, viewCordon } from '../../fleet/cordon.ts'
import type { Fleet, Presence } from '../../fleet/fleet.ts'
import { type AbsenceOf, forgetAtMs, forgetRule } from '../../fleet/forgetting.ts'
import { clockOffsetMs, viewHost as withRates } from '../../fleet/host.ts'
import { type Grouping, type NodeGroup, targetOf } from '../../labels/grouping.ts'
import type { LatencySummary, Metrics } from '../../metrics-store/metrics.ts'
import type { OwnerPolicy } from '../../node-check/owner-policy.ts'
import { type CertificateRow, isGood } from '../../node-identity/certificates.ts'
import { cloneOf } from '../../node-identity/clones.ts'
import { newestCertificates } from '../../node-identity/store/certificates.ts'
import type { NodeRow } from '../../node-identity/store/nodes.ts'
import { identityNow, identityOf } from './identity-state.ts'
import { createKnownListeners } from './known-listeners.ts'
import { LATENCY_WINDOW_SECONDS } from './list.ts'
import { cordonText, type IdentityState, outdated } from './rules.ts'
import type { Node, NodePolicy } from './schema.ts'
import {
  type Digested,
  labelOf,
  lastResultOf,
  type NodeStanding,
  readStandings,
  seenAtMs,
  syncOfStanding,
} from './standings.ts'
import { type PassedBy, passedBy } from './store.ts'
import { urlsOf } from './urls.ts'

type Deps = {
  db: Kysely<Database>
  now: () => number
  identity: Pick<Identity, 'epoch'>
  /** Does the agents' listener know nodes by certificates, or by secrets? */
  isTls: boolean
  fleet: Pick<Fleet, 'presence'>
  metrics: Pick<Metrics, 'latencySummaries'>
  readGrouping: ReadGrouping
  absenceOf: AbsenceOf
}

const noLatency: LatencySummary = {
  windowSeconds: LATENCY_WINDOW_SECONDS,
  requests: 0,
  p50Seconds: null,
  p99Seconds: null,
  readWaitP99Seconds: null,
  errorRatio: null,
  clientErrorRatio: null,
  notFoundRatio: null,
  requestsPerSecond: null,
}

/** What is not in the node's own row. */
type Extra = {
  latency: LatencySummary
  certificate: CertificateRow | undefined
  urls: string[]
  /** What came to others while it was cordoned. */
  passed: PassedBy | undefined
  grouping: Grouping
}

export const createNodeView = (deps: Deps) => {
  const { db, now, identity: self, isTls, fleet, metrics, readGrouping } = deps
  const knownListeners = createKnownListeners(db)

  const viewForgetting = (row: NodeRow, { forgetAfterHours }: NodeGroup): Node['forgetting'] => {
    const rule = forgetRule({ token: row.forget_after_hours, group: forgetAfterHours })
    const atMs = forgetAtMs(rule, row, deps.absenceOf(row.id))
    return rule && { ...rule, at: atMs === null ? null : iso(atMs) }
  }

  const show = (standing: NodeStanding, extra: Extra): Node => {
    const { row, effective, desired } = standing
    const { latency, certificate, grouping, urls, passed } = extra
    const presence = fleet.presence(row.id)
    const { connected, gauges } = presence
    const drift = viewDrift(row)
    const identityState = identityNow(identityOf(row, { certificate, isTls }), now())
    const lastResult = lastResultOf(row)
    const { group, node } = targetOf(grouping, row)
    const given = desired && { config: desired.config, group: desired.group_name }
    const stale = given ? outdated(given, { group, claimed: grouping.claimed }) : null
    const missed = passed && passed.at_ms > (desired?.created_at_ms ?? 0) ? labelOf(passed) : null
    const cordoned = cordonText({ cordon: cordonOf(row), missed })
    const lastSeenAtMs = seenAtMs(row, presence)
    const sync = syncOfStanding(standing, { presence, epoch: self.epoch, identity: identityState })
    return {
      id: row.id,
      name: row.name,
      labels: { ...node.labels },
      group: group.name,
      hostname: row.hostname,
      version: row.version,
      os: row.os,
      arch: row.arch,
      connected,
      lastSeenAt: lastSeenAtMs === null ? null : iso(lastSeenAtMs),
      bootId: effective?.bootId ?? row.boot_id,
      forgetting: viewForgetting(row, group),
      urls: urls,
      sync: {
        state: sync.state,
        reason: [sync.reason, stale, cordoned].filter((part) => part !== null).join(' '),
        since: iso(sync.sinceMs),
        ...viewConfigs(standing),
        effectiveSource: effective?.source ?? 'assigned',
      },
      lastResult: lastResult && {
        at: iso(lastResult.atMs),
        outcome: lastResult.outcome,
        code: lastResult.code,
        message: lastResult.message,
        errors: lastResult.errors,
        rolloutId: lastResult.rolloutId,
      },
      latency,
      gauges,
      host: viewHost(presence),
      identity: viewIdentity(row, { certificate, state: identityState, presence }),
      clone: viewClone(row),
      drift,
      cordon: viewCordon(row),
      enrolledAt: iso(row.enrolled_at_ms),
    }
  }

  return async (rows: NodeRow[]): Promise<Node[]> => {
    const ids = rows.map((row) => row.id)
    const latencies = await metrics.latencySummaries(ids, LATENCY_WINDOW_SECONDS)
    const certificates = await newestCertificates(db, ids)
    const grouping = await readGrouping(db)
    const passed = await passedBy(db, ids)
    const all = await readStandings(db, rows)
    const listenersOf = await knownListeners(all.flatMap(({ running }) => running?.text_id ?? []))
    return all.map((standing) => {
      const { row, running } = standing
      return show(standing, {
        latency: latencies.get(row.id) ?? noLatency,
        certificate: certificates.get(row.id),
        passed: passed.get(row.id),
        urls: urlsOf(listenersOf(running?.text_id), row.hostname),
        grouping,
      })
    })
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

export const viewConfigs = (standing: NodeStanding) => ({
  desired: identity(standing.desired, standing.desired),
  acknowledged: identity(standing.acknowledged, standing.accepted),
  effective: identity(standing.effective, standing.running),
})

function identity(what: Digested | null | undefined, version: Assignment | undefined) {
  if (!what) return null
  const { generation, digest } = what
  const named = version ? { config: version.config, number: version.version } : null
  return { generation, digest, version: named }
}

type Identified = {
  certificate: CertificateRow | undefined
  state: IdentityState
  presence: Presence
}

function viewIdentity(
  row: NodeRow,
  { certificate, state, presence: { refused } }: Identified,
): Node['identity'] {
  const isSecret = row.credential_digest !== null
  const shown = isSecret ? undefined : certificate
  return {
    kind: isSecret ? 'credential' : shown && isGood(shown) ? 'certificate' : 'none',
    state,
    issuedAt: shown ? iso(shown.issued_at_ms) : null,
    notAfter: shown ? iso(shown.not_after_ms) : null,
    serial: shown?.serial ?? null,
    refused: refused && { at: iso(refused.atMs), code: refused.code },
  }
}

function viewClone(row: NodeRow): Node['clone'] {
  const clone = cloneOf(row)
  return (
    clone && {
      detectedAt: iso(clone.detectedAtMs),
      keep: clone.keep,
      incarnations: clone.incarnations.map(({ atMs, ...rest }) => ({
        ...rest,
        lastSeenAt: iso(atMs),
      })),
    }
  )
}

export function viewDrift(row: NodeRow): Node['drift'] {
  const drift = driftOf(row)
  if (!drift) return null
  const { digest, isServed, errors, sizeBytes, atMs } = drift
  const decision = decisionOf(row)
  return {
    digest,
    isServed,
    errors,
    since: iso(atMs),
    sizeBytes,
    decision: decision && {
      action: decision.action,
      actor: decision.actor,
      at: iso(decision.atMs),
    },
  }
}

export const viewPolicy = ({ sinceMs, ...policy }: OwnerPolicy): NodePolicy => ({
  ...policy,
  since: iso(sinceMs),
})

function viewHost({ host }: Presence): Node['host'] {
  if (!host) return null
  const seen = withRates(host.newest, host.before)
  const { atMs, cpuBusySeconds: _busy, unixTimeMs: _clock, roots, ...facts } = seen
  const offsetMs = clockOffsetMs(host.clockOffsetsMs)
  return {
    ...facts,
    clockOffsetSeconds: offsetMs === null ? null : offsetMs / 1000,
    at: iso(atMs),
    roots: roots.map(
      ({ readBytesTotal: _bytes, readsTotal: _reads, readMilliseconds: _ms, ...root }) => root,
    ),
  }
}
