// SPDX-License-Identifier: MIT
// The end of a node here, by a person or because it was away for too long (forgetting.ts).
import type { Unit, Write } from '../../audit/write.ts'
import type { RolloutEngine } from '../../fleet/agent-ports.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { activeNode, decommission, type NodeRow } from '../../node-identity/store/nodes.ts'

type Ending = {
  now: () => number
  engine: Pick<RolloutEngine, 'onNodesChanged'>
  fleet: Pick<Fleet, 'forget'>
}
type End = {
  /** null: nobody, but its time. */
  actor: string | null
  data?: Record<string, unknown>
}
export type EndNodesIn = ReturnType<typeof createEndNodesIn>

/** Within a transaction that does more. */
export const createEndNodesIn =
  ({ now, engine, fleet }: Ending) =>
  async (unit: Unit, nodes: readonly NodeRow[], { actor, data = {} }: End): Promise<void> => {
    const nodeIds = nodes.map(({ id }) => id)
    await decommission(unit, nodeIds, now())
    await unit.emitAll(
      nodes.map(({ id, name }) => ({
        ...{ kind: 'node', id, action: 'decommissioned' },
        ...(actor !== null && { actor }),
        data: { name, ...data },
      })),
    )
    await engine.onNodesChanged(unit, { kind: 'decommissioned', nodeIds })
    unit.afterCommit(() => {
      for (const id of nodeIds) fleet.forget(id)
    })
  }

type Deps = Ending & { write: Write }
export type EndNode = ReturnType<typeof createEndNode>
type EndStill = End & {
  /** Asked in the same transaction: what was found before may be over. */
  isStill?: (unit: Unit, node: NodeRow) => Promise<boolean>
}

export const createEndNode = ({ write, ...deps }: Deps) => {
  const endNodesIn = createEndNodesIn(deps)
  return (id: string, { isStill, ...end }: EndStill): Promise<void> =>
    write(async (unit: Unit) => {
      const node = await activeNode(unit.trx, id)
      if (isStill && !(await isStill(unit, node))) return
      await endNodesIn(unit, [node], end)
    })
}
