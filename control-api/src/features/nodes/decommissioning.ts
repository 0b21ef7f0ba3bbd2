// SPDX-License-Identifier: MIT
// The end of a node here, by a person or because it was away for too long (forgetting.ts).
import type { Unit, Write } from '../../audit/write.ts'
import type { RolloutEngine } from '../../fleet/agent-ports.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { activeNode, decommission, type NodeRow } from '../../node-identity/store/nodes.ts'

type Ending = {
  now: () => number
  engine: Pick<RolloutEngine, 'onAgentEvent'>
  fleet: Pick<Fleet, 'forget'>
}
type End = {
  /** null: nobody, but its time. */
  actor: string | null
  data?: Record<string, unknown>
}
export type EndNodeIn = ReturnType<typeof createEndNodeIn>

/** Within a transaction that does more. */
export const createEndNodeIn =
  ({ now, engine, fleet }: Ending) =>
  async (unit: Unit, { id, name }: NodeRow, { actor, data = {} }: End): Promise<void> => {
    await decommission(unit, id, now())
    await unit.emit({
      kind: 'node',
      id,
      action: 'decommissioned',
      ...(actor !== null && { actor }),
      data: { name, ...data },
    })
    await engine.onAgentEvent(unit, { kind: 'decommissioned', nodeId: id })
    unit.afterCommit(() => fleet.forget(id))
  }

type Deps = Ending & { write: Write }
export type EndNode = ReturnType<typeof createEndNode>
type EndStill = End & {
  /** Asked in the same transaction: what was found before may be over. */
  isStill?: (unit: Unit, node: NodeRow) => Promise<boolean>
}

export const createEndNode = ({ write, ...deps }: Deps) => {
  const endNodeIn = createEndNodeIn(deps)
  return (id: string, { isStill, ...end }: EndStill): Promise<void> =>
    write(async (unit: Unit) => {
      const node = await activeNode(unit, id)
      if (isStill && !(await isStill(unit, node))) return
      await endNodeIn(unit, node, end)
    })
}
