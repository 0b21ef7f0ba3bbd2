// SPDX-License-Identifier: MIT
// A plan as the API shows it: what it does to how many, and a row of each node. Of ten thousand nodes no answer has them
// all.
import { some } from '../../../api-shapes/common.ts'
import { Found, MOST_ERRORS_EACH, NODES_NAMED, refOf } from '../../../api-shapes/findings.ts'
import { inSlices, nextTurn } from '../../../base/slices.ts'
import { viewCordon } from '../../../fleet/cordon.ts'
import { ERRORS_EACH, type PlannedRow, type RolloutPlan } from '../shapes/plan-schema.ts'
import { type Arrangement, type ExcludedNode, kindOf, type PlannedNode } from './planner.ts'
import { viewPolicy } from './strategy.ts'

type Seen = {
  isConnected: (nodeId: string) => boolean
  refusing: ReadonlySet<string>
  drifted: ReadonlySet<string>
}
/** `rows`: in the order of pages. */
export type PlanView = {
  said: Omit<
    RolloutPlan,
    | 'config'
    | 'version'
    | 'nodes'
    | 'policyRefusals'
    | 'approvalsNeeded'
    | 'blockedBy'
    | 'closedWindow'
  >
  rows: PlannedRow[]
}

/** Between two turns of the loop. */
const AT_A_TIME = 500

export async function viewPlan(plan: Arrangement, seen: Seen): Promise<PlanView> {
  const { waveOf, waves, policy } = plan.arranged
  const { weights } = plan
  const rows: PlannedRow[] = []
  const found = new Found()
  for (const nodes of inSlices(plan.nodes, AT_A_TIME)) {
    await nextTurn()
    for (const planned of nodes) {
      const weight = weights.get(planned.node.id)
      rows.push({
        ...rowOf(planned, seen),
        wave: waveOf.get(planned.node.id) ?? 0,
        requestsPerSecond: weight?.throughput ?? null,
        failureDomain: weight?.domain ?? null,
      })
    }
    // Nodes that would get one text share what is wrong with it.
    for (const [errors, of] of Map.groupBy(nodes, (planned) => planned.errors)) {
      const who = of.map(({ node }) => node)
      for (const error of errors.slice(0, MOST_ERRORS_EACH)) found.add(error, who)
    }
  }
  await nextTurn()
  const changing = rows.filter(isToChange)
  const byHand = changing.filter(({ isDrifted }) => isDrifted)
  const said = {
    cordonedNodes: rows.filter(({ changes, cordon }) => changes && cordon !== null).length,
    awayNodes: rows.filter(({ connected, cordon }) => !connected && cordon === null).length,
    driftedNodes: some(
      byHand.map(({ nodeId, nodeName }) => ({ nodeId, nodeName })),
      NODES_NAMED,
    ),
    releases: [...plan.releases],
    matchesNone: plan.matchesNone,
    ...viewWaves(changing, { waves, blastBudget: policy.blastBudget }),
    kinds: counted(
      rows,
      ({ kind }) => kind,
      (kind, nodes) => ({ kind, nodes }),
    ),
    fromVersions: counted(
      rows,
      ({ fromVersion }) => fromVersion,
      (version, nodes) => ({ version, nodes }),
    ),
    textErrors: {
      nodes: rows.filter(({ errors }) => errors.length > 0).length,
      findings: found.view(),
    },
    policy: viewPolicy(policy),
    isFastPath: policy.isFastPath,
    planDigest: plan.planDigest,
    excluded: some(plan.excluded.map(viewExcluded)),
  }
  return { said, rows: rows.toSorted((a, b) => placeOf(a, waves) - placeOf(b, waves)) }
}

const isToChange = ({ changes, cordon }: PlannedRow) => changes && cordon === null

/** Wave by wave; what is skipped, or has it already, is none of a wave's. */
function placeOf({ changes, cordon, wave }: PlannedRow, waves: number): number {
  if (!changes) return waves + 1
  return cordon === null ? wave : waves
}

export type Weighed = Pick<PlannedRow, 'wave' | 'kind' | 'requestsPerSecond' | 'failureDomain'>

/** What is in which wave, and what can be between two configs at once, of those that change. */
export function viewWaves(
  changing: readonly Weighed[],
  { waves, blastBudget }: { waves: number; blastBudget: number | null },
) {
  const inWave = Map.groupBy(changing, ({ wave }) => wave)
  return {
    changingNodes: changing.length,
    waves,
    waveNodes: Array.from({ length: waves }, (_, wave) => inWave.get(wave)?.length ?? 0),
    wavePlans: Array.from({ length: waves }, (_, wave) => viewWave(inWave.get(wave) ?? [])),
    changingKinds: kindsIn(changing),
    mostAtOnce: mostAtOnce(changing, blastBudget),
  }
}

const kindsIn = (rows: readonly Weighed[]) => new Set(rows.map(({ kind }) => kind)).size
const servedBy = (rows: readonly Weighed[]) =>
  rows.reduce((sum, { requestsPerSecond }) => sum + (requestsPerSecond ?? 0), 0)

const viewWave = (rows: readonly Weighed[]) => ({
  nodes: rows.length,
  kinds: kindsIn(rows),
  requestsPerSecond: servedBy(rows),
  unmeasuredNodes: rows.filter(({ requestsPerSecond }) => requestsPerSecond === null).length,
  failureDomains: some([...new Set(rows.map(({ failureDomain }) => failureDomain))], NODES_NAMED),
})

/** As if the busiest went at the same time. */
function mostAtOnce(rows: readonly Weighed[], budget: number | null) {
  const busiest = rows.toSorted((a, b) => (b.requestsPerSecond ?? 0) - (a.requestsPerSecond ?? 0))
  const most = busiest.slice(0, budget ?? rows.length)
  return { nodes: most.length, requestsPerSecond: servedBy(most) }
}

/** How many there are of each, most first. */
function counted<Of, Shown>(
  rows: readonly PlannedRow[],
  of: (row: PlannedRow) => Of,
  view: (of: Of, nodes: number) => Shown,
) {
  const groups = [...Map.groupBy(rows, of)].toSorted(([, a], [, b]) => b.length - a.length)
  return some(groups.map(([one, nodes]) => view(one, nodes.length)))
}

const rowOf = (planned: PlannedNode, { isConnected, refusing, drifted }: Seen) => ({
  ...refOf(planned.node),
  connected: isConnected(planned.node.id),
  fromVersion: planned.fromVersion,
  changes: planned.settledGeneration === null,
  digest: planned.digest,
  errors: planned.errors.slice(0, ERRORS_EACH),
  group: planned.group,
  kind: kindOf(planned.node),
  cordon: viewCordon(planned.node),
  willRefuse: refusing.has(planned.node.id),
  isDrifted: drifted.has(planned.node.id),
})

const viewExcluded = ({ node, group, reason }: ExcludedNode) => ({
  ...refOf(node),
  group,
  reason,
})
