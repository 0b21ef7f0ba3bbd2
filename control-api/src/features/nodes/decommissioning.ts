// SPDX-License-Identifier: MIT
// The end of a node here, by a person or because it was away for longer than its token said.
import type { Kysely } from 'kysely'
import type { Fleet } from '../../agents/fleet.ts'
import type { Database } from '../../db/database.ts'
import type { Unit, Write } from '../../db/write.ts'
import type { RolloutEngine } from '../../ports.ts'
import { activeNode, decommission, longAway } from './store.ts'

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
}

export const createEndNode =
  ({ write, now, engine, fleet }: Deps) =>
  (id: string, { actor, data = {} }: End): Promise<void> =>
    write(async (unit: Unit) => {
      const node = await activeNode(unit, id)
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

type Forgetting = {
  db: Kysely<Database>
  now: () => number
  /** Since when nodes could be heard: what was not heard before says nothing. */
  listeningSinceMs: number
  isConnected: (nodeId: string) => boolean
  /** Restored and not confirmed, or no room on the disk: nothing is ended then. */
  isHeld: () => boolean
  endNode: EndNode
  onError: (error: unknown) => void
}

const LOOK_EVERY_MS = 60_000
/** After such a gap the machine slept or its clock was set: nobody could be heard meanwhile. */
const MOST_BETWEEN_LOOKS_MS = 5 * LOOK_EVERY_MS

/** Returns how to stop; resolves when nothing is under way. */
export function startForgetting(deps: Forgetting): () => Promise<void> {
  let looking = Promise.resolve()
  let { listeningSinceMs } = deps
  let lastLookMs = deps.now()
  const timer = setInterval(() => {
    const nowMs = deps.now()
    if (nowMs - lastLookMs > MOST_BETWEEN_LOOKS_MS) listeningSinceMs = nowMs
    lastLookMs = nowMs
    looking = looking.then(() => forgetLongAway({ ...deps, listeningSinceMs })).catch(deps.onError)
  }, LOOK_EVERY_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    return looking
  }
}

export async function forgetLongAway(deps: Forgetting): Promise<void> {
  const { db, now, listeningSinceMs, isConnected, isHeld, endNode } = deps
  if (isHeld()) return
  const away = await longAway(db, { nowMs: now(), listeningSinceMs })
  for (const { id, hours } of away.filter((node) => !isConnected(node.id))) {
    await endNode(id, { actor: null, data: { awayForHours: hours } })
  }
}
