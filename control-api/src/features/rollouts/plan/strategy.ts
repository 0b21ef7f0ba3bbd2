// SPDX-License-Identifier: MIT
// From what an order says of its waves to the plan that is frozen: policy, waves, digest. Pure.
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { DEADLINES } from '../../../assignments/deadlines.ts'
import { nextTurn } from '../../../base/slices.ts'
import { AT_ONCE, type Policy } from '../reducer/model.ts'
import type { Gate, Strategy } from '../shapes/schema.ts'
import { CAREFUL, planWaves, type WaveNode } from './waves.ts'

export type Arranged = {
  policy: Policy
  /** By node id. */
  waveOf: ReadonlyMap<string, number>
  waves: number
}

export const DEFAULT_GATES: Gate[] = [
  { metric: 'errors5xx', max: 0.01, onFail: 'revert' },
  { metric: 'errors4xx', max: 0.02, onFail: 'revert' },
  // Where many requests are refused for ever, a 401 that becomes a 404 is none more of the 4xx.
  { metric: 'errors404', max: 0.02, onFail: 'revert' },
  { metric: 'bytesPerRequest', max: 4, onFail: 'revert' },
  { metric: 'firstByteP99', max: 1.5, onFail: 'pause' },
]
/** For a renewed certificate: what it breaks shows in handshakes, of which some nodes see few. */
export const RENEWAL: Strategy = {
  gates: [
    ...DEFAULT_GATES,
    { metric: 'handshakeFailures', max: 0.01, onFail: 'revert' },
    { metric: 'handshakeP99', max: 1.5, onFail: 'pause' },
  ],
  onNoData: 'continue',
}
const DEFAULTS = {
  ackSeconds: DEADLINES.ackMs / 1000,
  applySeconds: DEADLINES.applyMs / 1000,
  confirmSeconds: DEADLINES.confirmMs / 1000,
  minHealthySeconds: 30,
  soakSeconds: 120,
  maxSoakSeconds: 15 * 60,
  progressDeadlineSeconds: 10 * 60,
  maxFailedPercent: 5,
  maxUnreachablePercent: 10,
  maxFlaps: 3,
  onFailure: 'revert',
  gates: DEFAULT_GATES,
  minSamples: 500,
  probes: [],
  filesFirstSeconds: 300,
} satisfies Partial<Strategy>
/** On the whole wave, so that a farm does not reload at once. */
const MAX_PARALLEL = { most: 10, percent: 10 }
const BUDGET_PER_PARALLEL = 4
const FAST_PATH_PARALLEL = 4

type Known = {
  isFastPath: boolean
  /** The farm has one node for it. */
  isAlone?: boolean
  /** Of a release of which another version was proved before. */
  bringsFiles?: boolean
}

/** What is not said is careful. */
export function arrange(
  nodes: readonly WaveNode[],
  strategy: Strategy,
  { isFastPath, isAlone = false, bringsFiles = false }: Known,
): Arranged {
  const { atOnce = false } = strategy
  const waves = atOnce ? [[...nodes]] : planWaves(nodes, strategy.waves ?? CAREFUL)
  const largest = waves.reduce((most, wave) => Math.max(most, wave.length), 0)
  const waveOf = new Map(waves.flatMap((wave, index) => wave.map(({ id }) => [id, index] as const)))
  return {
    policy: atOnce
      ? AT_ONCE
      : {
          ...policyOf(strategy, largest, isFastPath),
          ...(isAlone && strategy.gates === undefined && { isAlone }),
          ...(bringsFiles && !isAlone && filesFirst(strategy)),
        },
    waveOf,
    waves: Math.max(1, waves.length),
  }
}

/** What succeeded not long ago goes faster, and never unwatched: what would take it back is still asked. */
function policyOf(strategy: Strategy, largestWave: number, isFastPath: boolean): Policy {
  const said = { ...DEFAULTS, ...strategy }
  const share = Math.ceil((largestWave * MAX_PARALLEL.percent) / 100)
  const usual = said.maxParallel ?? Math.max(1, Math.min(MAX_PARALLEL.most, share))
  const maxParallel = isFastPath ? usual * FAST_PATH_PARALLEL : usual
  return {
    maxParallel,
    blastBudget: Math.max(usual, said.blastBudget ?? maxParallel * BUDGET_PER_PARALLEL),
    ackMs: said.ackSeconds * 1000,
    applyMs: said.applySeconds * 1000,
    confirmMs: said.confirmSeconds * 1000,
    minHealthyMs: said.minHealthySeconds * 1000,
    soakMs: said.soakSeconds * 1000,
    maxSoakMs: Math.max(said.soakSeconds, said.maxSoakSeconds) * 1000,
    progressDeadlineMs: said.progressDeadlineSeconds * 1000,
    maxFailedPercent: said.maxFailedPercent,
    maxUnreachablePercent: said.maxUnreachablePercent,
    maxFlaps: said.maxFlaps,
    onFailure: said.onFailure,
    gates: isFastPath ? said.gates.filter(({ onFail }) => onFail === 'revert') : said.gates,
    ...(said.onNoData === 'continue' && { onNoData: said.onNoData }),
    minSamples: said.minSamples,
    isFastPath,
    probes: said.probes,
  }
}

function filesFirst({
  filesFirst: isWanted = true,
  filesFirstSeconds = DEFAULTS.filesFirstSeconds,
}: Strategy): Pick<Policy, 'filesFirstMs'> {
  return isWanted ? { filesFirstMs: filesFirstSeconds * 1000 } : {}
}

/** What a node fails together with; null: its labels do not say, or nobody asked. */
export function domainOf(labels: string, { failureDomain }: Strategy): string | null {
  if (failureDomain === undefined) return null
  const all: Record<string, string> = JSON.parse(labels)
  return all[failureDomain] ?? null
}

type Planned = { nodeId: string; digest: string | null; isCordoned: boolean }

/** Between two turns of the loop. */
const DIGESTED_AT_A_TIME = 500

/**
 * What an order was made for: whoever changes anything of it has another plan. Of the canonical form (RFC 8785) of
 * { policy, release, targets }, which is written in parts.
 */
export async function planDigestOf(
  release: { config: string; version: number },
  { policy, waveOf }: Arranged,
  nodes: readonly Planned[],
): Promise<string> {
  const hash = createHash('sha256')
  hash.update(`{"policy":${canonicalize(policy)},"release":${canonicalize(release)},"targets":[`)
  const sorted = nodes.toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
  for (const [i, { nodeId, digest, isCordoned }] of sorted.entries()) {
    const wave = waveOf.get(nodeId) ?? 0
    const target = canonicalize({ nodeId, digest, wave, ...(isCordoned && { isCordoned }) })
    hash.update(`${i > 0 ? ',' : ''}${target}`)
    if (i % DIGESTED_AT_A_TIME === DIGESTED_AT_A_TIME - 1) await nextTurn()
  }
  return `sha256:${hash.update(']}').digest('hex')}`
}

export const viewPolicy = (policy: Policy) => ({
  maxParallel: policy.maxParallel,
  blastBudget: policy.blastBudget,
  ackSeconds: policy.ackMs / 1000,
  applySeconds: policy.applyMs / 1000,
  confirmSeconds: policy.confirmMs / 1000,
  minHealthySeconds: policy.minHealthyMs / 1000,
  soakSeconds: policy.soakMs / 1000,
  maxSoakSeconds: policy.maxSoakMs / 1000,
  progressDeadlineSeconds:
    policy.progressDeadlineMs === null ? null : policy.progressDeadlineMs / 1000,
  maxFailedPercent: policy.maxFailedPercent,
  maxUnreachablePercent: policy.maxUnreachablePercent,
  maxFlaps: policy.maxFlaps,
  onFailure: policy.onFailure,
  gates: [...policy.gates],
  isAlone: policy.isAlone ?? false,
  onNoData: policy.onNoData ?? ('pause' as const),
  minSamples: policy.minSamples,
  probes: [...policy.probes],
  filesFirstSeconds: policy.filesFirstMs === undefined ? null : policy.filesFirstMs / 1000,
})
