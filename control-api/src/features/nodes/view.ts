// SPDX-License-Identifier: MIT
// A node as the API shows it: what the database holds, who is connected, and what was measured.
import type { Kysely } from 'kysely'
import { assignmentByDigest, latestAssignment } from '../../agents/assignments.ts'
import type { Fleet } from '../../agents/fleet.ts'
import type { LastResult } from '../../agents/inbox.ts'
import type { Effective } from '../../agents/messages.gen.ts'
import type { Database } from '../../db/database.ts'
import type { LatencySummary, Metrics } from '../../ports.ts'
import { syncOf } from './rules.ts'
import type { Node } from './schema.ts'
import type { NodeRow } from './store.ts'
import { urlsOf } from './urls.ts'

type Deps = {
  db: Kysely<Database>
  epoch: number
  fleet: Pick<Fleet, 'presence'>
  metrics: Pick<Metrics, 'latencySummaries'>
}

/** The summary on a node's card looks back this far. */
const LATENCY_WINDOW_SECONDS = 60
const noLatency: LatencySummary = {
  windowSeconds: LATENCY_WINDOW_SECONDS,
  requests: 0,
  p50Seconds: null,
  p99Seconds: null,
  readWaitP99Seconds: null,
  errorRatio: null,
  requestsPerSecond: null,
}

type Versioned = { config: string; version: number }
type Digested = { generation: number; digest: string }

export const createNodeView = ({ db, epoch, fleet, metrics }: Deps) => {
  const versionOf = async (nodeId: string, digest: string | undefined) =>
    digest === undefined ? undefined : await assignmentByDigest(db, nodeId, digest)

  const show = async (row: NodeRow, latency: LatencySummary): Promise<Node> => {
    const { connected, lastSeenAtMs, gauges } = fleet.presence(row.id)
    const effective = fromJson<Effective>(row.effective)
    const acknowledged = fromJson<Digested>(row.acknowledged)
    const lastResult = fromJson<LastResult>(row.last_result)
    const desired = await latestAssignment(db, row.id)
    const running = await versionOf(row.id, effective?.digest)
    const seenAtMs = lastSeenAtMs ?? row.last_seen_at_ms
    const sync = syncOf({
      connected,
      lastSeenAtMs: seenAtMs,
      enrolledAtMs: row.enrolled_at_ms,
      epoch,
      maxEpoch: row.max_epoch,
      desired: desired
        ? {
            generation: desired.generation,
            digest: desired.digest,
            state: desired.state,
            createdAtMs: desired.created_at_ms,
            updatedAtMs: desired.updated_at_ms,
            label: labelOf(desired),
          }
        : null,
      effective,
      effectiveSinceMs: row.effective_since_ms,
      effectiveLabel: running ? labelOf(running) : null,
      lastResult,
    })
    return {
      id: row.id,
      name: row.name,
      labels: JSON.parse(row.labels),
      hostname: row.hostname,
      version: row.version,
      os: row.os,
      arch: row.arch,
      connected,
      lastSeenAt: seenAtMs === null ? null : iso(seenAtMs),
      bootId: effective?.bootId ?? row.boot_id,
      urls: running ? urlsOf(running.text, row.hostname) : [],
      sync: {
        state: sync.state,
        reason: sync.reason,
        since: iso(sync.sinceMs),
        desired: identity(desired, desired),
        acknowledged: identity(acknowledged, await versionOf(row.id, acknowledged?.digest)),
        effective: identity(effective, running),
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
      enrolledAt: iso(row.enrolled_at_ms),
    }
  }

  return async (rows: NodeRow[]): Promise<Node[]> => {
    const ids = rows.map((row) => row.id)
    const latencies = await metrics.latencySummaries(ids, LATENCY_WINDOW_SECONDS)
    return await Promise.all(rows.map((row) => show(row, latencies.get(row.id) ?? noLatency)))
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
const labelOf = ({ config, version }: Versioned) => `${config} ${version}`
const fromJson = <T>(text: string | null): T | null => (text === null ? null : JSON.parse(text))

function identity(what: Digested | null | undefined, version: Versioned | undefined) {
  if (!what) return null
  const { generation, digest } = what
  const named = version ? { config: version.config, number: version.version } : null
  return { generation, digest, version: named }
}
