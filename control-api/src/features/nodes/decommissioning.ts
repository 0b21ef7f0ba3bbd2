// SPDX-License-Identifier: MIT
// The end of a node here, by a person or because it was away for too long (forgetting.ts).
import type { Unit, Write } from '../../audit/write.ts'
import type { RolloutEngine } from '../../fleet/agent-ports.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { activeNode, decommission, type NodeRow } from '../../node-identity/store/nodes.ts'

type Deps = {
  write: Write
  now: () => number
  engine: Pick<RolloutEngine, 'onAgentEvent'>
  fleet: Pick<Fleet, 'forget'>
}
export type EndNode = ReturnType<typeof createEndNode>
type End = {
  /** null: nobody, but its time. */
  actor: string | null
  data?: Record<string, unknown>
  /** Asked in the same transaction: what was found before may be over. */
  isStill?: (unit: Unit, node: NodeRow) => Promise<boolean>
}

export const createEndNode =
  ({ write, now, engine, fleet }: Deps) =>
  (id: string, { actor, data = {}, isStill }: End): Promise<void> =>
    write(async (unit: Unit) => {
      const node = await activeNode(unit, id)
      if (isStill && !(await isStill(unit, node))) return
      await decommission(unit, id, now())
      await unit.emit({
        kind: 'node',
        id,
        action: 'decommissioned',
        ...(actor !== null && { actor }),
        data: { name: node.name, ...data },
      })
      await engine.onAgentEvent(unit, { kind: 'decommissioned', nodeId: id })
      unit.afterCommit(() => fleet.forget(id))
    })
