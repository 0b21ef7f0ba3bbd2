// SPDX-License-Identifier: MIT
// The same change of many nodes at once: so many in a transaction, each with its own result and its own row in the audit. Who means
// more asks part by part, and so knows how far it came.
import type { Kysely } from 'kysely'
import { isWithin, type Labels, scopeOf } from '../../access/scope.ts'
import { DryRunQuerySchema } from '../../api-shapes/common.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { RolloutEngine } from '../../fleet/agent-ports.ts'
import type { NodesImpact, ReadGrouping } from '../../fleet/config-ports.ts'
import { cordonOf } from '../../fleet/cordon.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { App } from '../../http/app-types.ts'
import type { Grouping } from '../../labels/grouping.ts'
import { type NodeRow, relabelNodes, setCordon } from '../../node-identity/store/nodes.ts'
import { type BulkView, type Decision, decide } from './bulk-rules.ts'
import {
  BulkAnswerSchema,
  type BulkChange,
  BulkOrderSchema,
  type BulkResult,
  MOST_NODES,
} from './bulk-schema.ts'
import type { EndNodesIn } from './decommissioning.ts'
import { NoSuchGroup } from './errors.ts'
import { nodesOf } from './store.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  fleet: Pick<Fleet, 'presence'>
  engine: Pick<RolloutEngine, 'onNodesChanged'>
  endNodesIn: EndNodesIn
  readGrouping: ReadGrouping
  impactOf: NodesImpact
}
type Asked = { ids: readonly string[]; change: BulkChange; scope: BulkView['scope'] }
type Decided = { id: string; row: NodeRow | null; decision: Decision }

export const nodeBulkRoutes = (deps: Deps) => async (app: App) => {
  const { db, write } = deps

  async function decideAll(reader: Kysely<Database>, { ids, change, scope }: Asked) {
    const grouping = await deps.readGrouping(reader)
    const view = { grouping, scope, target: targetOf(change, grouping) }
    const rows = new Map((await nodesOf(reader, ids)).map((row) => [row.id, row]))
    return ids.map((id): Decided => {
      const row = rows.get(id) ?? null
      const labels = row && JSON.parse(row.labels)
      // Of a node outside the scope not even its name is said.
      if (row === null || !isWithin(scope, labels)) return { id, row: null, decision: NOT_FOUND }
      const { name } = row
      const { connected } = deps.fleet.presence(id)
      const decision = decide(change, { name, labels, cordon: cordonOf(row), connected }, view)
      return { id, row, decision }
    })
  }

  app.post(
    '/nodes/actions/change',
    {
      config: {
        permission: 'nodes:write',
        scope: 'nodes',
        heavy: 'dryRun',
        errors: [NoSuchGroup],
      },
      schema: {
        operationId: 'changeNodes',
        tags: ['nodes'],
        summary: 'The same change of many nodes; with dryRun=1 say what it would do to each',
        description: `Up to ${MOST_NODES} nodes, in one transaction; for more, ask again with the others. One that is refused keeps no other back: \`results\` says of each what became of it. \`impact\` comes with a dry run of a change of labels, and says which nodes would be in another group or get another text. Repeated, it changes nothing that is so already.`,
        querystring: DryRunQuerySchema,
        body: BulkOrderSchema,
        response: { 200: BulkAnswerSchema },
      },
    },
    async ({ body, query, user }) => {
      const { nodeIds: ids, change } = body
      const asked = { ids, change, scope: scopeOf(user) }
      if (query.dryRun === '1') {
        const decided = await decideAll(db, asked)
        return { results: decided.map(resultOf), impact: await impactOf(deps, decided) }
      }
      const actor = user?.username ?? ''
      const decided = await write(async (unit) => {
        const all = await decideAll(unit.trx, asked)
        await actAll(deps, unit, { decided: all, change, actor })
        return all
      })
      return { results: decided.map(resultOf), impact: null }
    },
  )
}

const NOT_FOUND: Decision = {
  ...{ outcome: 'refused', code: 'node_not_found' },
  message: 'There is no such node, or it is outside your scope.',
}

function targetOf(change: BulkChange, { selectors }: Grouping): BulkView['target'] {
  if (change.kind !== 'move') return []
  const selector = selectors.get(change.group)
  if (selector === undefined) throw new NoSuchGroup(change.group)
  return selector
}

function resultOf({ id, row, decision }: Decided): BulkResult {
  const { outcome, message } = decision
  return {
    ...{ nodeId: id, nodeName: row?.name ?? null, outcome, message },
    code: outcome === 'refused' ? decision.code : null,
    labels: outcome === 'changed' ? decision.labels : null,
  }
}

async function impactOf(deps: Deps, decided: readonly Decided[]) {
  const labels = new Map<string, { labels: string }>()
  for (const { id, decision } of decided) {
    if (decision.outcome !== 'changed' || decision.labels === null) continue
    labels.set(id, { labels: JSON.stringify(decision.labels) })
  }
  return labels.size === 0 ? null : await deps.impactOf(labels)
}

type ActAll = { decided: readonly Decided[]; change: BulkChange; actor: string }
type Changed = { row: NodeRow; labels: Labels }

/** As the routes of a single node do it, with the same events; each statement, and each rollout's work, once for all of them. */
async function actAll(deps: Deps, unit: Unit, { decided, change, actor }: ActAll): Promise<void> {
  const changed = decided.flatMap(({ row, decision }): Changed[] =>
    row !== null && decision.outcome === 'changed' ? [{ row, labels: { ...decision.labels } }] : [],
  )
  if (changed.length === 0) return
  const rows = changed.map(({ row }) => row)
  const ids = rows.map(({ id }) => id)
  const tell = (action: string, dataOf: (one: Changed) => Record<string, unknown>) =>
    unit.emitAll(
      changed.map((one) => ({
        ...{ kind: 'node', id: one.row.id, action, actor, data: dataOf(one) },
      })),
    )
  switch (change.kind) {
    case 'label':
    case 'move':
      await relabelNodes(
        unit,
        changed.map(({ row, labels }) => ({ id: row.id, labels })),
      )
      await tell('changed', ({ row: { name, labels: before }, labels }) => ({
        before: { name, labels: JSON.parse(before) },
        after: { name, labels },
      }))
      break
    case 'cordon': {
      const cordon = { by: actor, reason: change.reason, atMs: deps.now() }
      await setCordon(unit, ids, cordon)
      await tell('cordoned', ({ row }) => ({
        before: { cordon: cordonOf(row) },
        after: { cordon },
      }))
      await deps.engine.onNodesChanged(unit, { kind: 'cordoned', nodeIds: ids })
      break
    }
    case 'uncordon':
      await setCordon(unit, ids, null)
      await tell('uncordoned', ({ row }) => ({
        before: { cordon: cordonOf(row) },
        after: { cordon: null },
      }))
      break
    case 'decommission':
      await deps.endNodesIn(unit, rows, { actor })
  }
}
