// SPDX-License-Identifier: MIT
// What an order would still do, as its nodes are now: to whom in which wave, what they serve, and what would fail together.
// Its waves are the order's own; a plan that was made now might have others.
import type { Scope } from '../../access/scope.ts'
import { undecidedDrifts } from '../../assignments/drift.ts'
import { nextTurn } from '../../base/slices.ts'
import type { Reader } from '../../db/database.ts'
import { type DrawnRow, planCells } from './plan/plan-cells.ts'
import { viewWaves, type Weighed } from './plan/plan-view.ts'
import { kindOf, runningDigest, settledGeneration } from './plan/planner.ts'
import { domainOf } from './plan/strategy.ts'
import type { ToCome } from './shapes/plan-schema.ts'
import { latestProven } from './store/nodes.ts'
import { policyOf } from './store/rollouts.ts'
import { nodesToCome } from './store/task-pages.ts'
import { seeRollout } from './view.ts'

export type ToComeDeps = {
  db: Reader
  isConnected: (nodeId: string) => boolean
  /** Requests per second, lately; a node that was not measured is absent. */
  throughputOf: (nodeIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
}
type Wish = {
  scope: Scope
  namesFrom?: number | undefined
  /** Without that what nodes serve is left out. */
  mayMeasure: boolean
}
type Row = DrawnRow & Weighed

/** Between two turns of the loop. */
const AT_A_TIME = 500

/** Of the nodes within the scope. Throws RolloutNotFound. */
export async function showToCome(
  deps: ToComeDeps,
  id: string,
  { scope, namesFrom, mayMeasure }: Wish,
): Promise<ToCome> {
  const { db, isConnected, throughputOf } = deps
  const { row } = await seeRollout(db, id, scope)
  const strategy = row.strategy === null ? {} : JSON.parse(row.strategy)
  const drifted = await undecidedDrifts(db)
  const rows: Row[] = []
  for (let after: string | undefined = ''; after !== undefined; await nextTurn()) {
    const some = await nodesToCome(db, { rolloutId: id, scope, after, limit: AT_A_TIME })
    const ids = some.map(({ node_id }) => node_id)
    const rates = mayMeasure ? await throughputOf(ids) : new Map<string, number>()
    const settled = await settledAmong(db, row.config, some)
    for (const node of some) {
      rows.push({
        ...{ nodeId: node.node_id, nodeName: node.name, wave: node.wave, kind: kindOf(node) },
        ...{ connected: isConnected(node.node_id), isDrifted: drifted.has(node.node_id) },
        ...{ changes: !settled.has(node.node_id), cordon: null, errors: [], willRefuse: false },
        requestsPerSecond: rates.get(node.node_id) ?? null,
        failureDomain: domainOf(node.labels, strategy),
      })
    }
    after = some.length < AT_A_TIME ? undefined : ids.at(-1)
  }
  const changing = rows.filter(({ changes }) => changes).sort(byWaveAndName)
  const waves = (changing.at(-1)?.wave ?? -1) + 1
  const { blastBudget } = policyOf(row)
  return { ...viewWaves(changing, { waves, blastBudget }), cells: planCells(changing, namesFrom) }
}

type Due = Awaited<ReturnType<typeof nodesToCome>>[number]

/** Who has it already, and for good. */
async function settledAmong(
  db: Reader,
  config: string,
  nodes: readonly Due[],
): Promise<ReadonlySet<string>> {
  const alike = nodes.filter((node) => runningDigest(node) === node.digest)
  const latest = await latestProven(
    db,
    alike.map(({ node_id }) => node_id),
  )
  const settled = alike.filter(({ node_id, digest, effective }) => {
    const given = latest.get(node_id)
    return given?.isProven && settledGeneration({ config, digest, effective }, given) !== null
  })
  return new Set(settled.map(({ node_id }) => node_id))
}

const byWaveAndName = (a: Row, b: Row) => a.wave - b.wave || (a.nodeName < b.nodeName ? -1 : 1)
