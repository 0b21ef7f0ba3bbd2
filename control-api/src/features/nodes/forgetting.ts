// SPDX-License-Identifier: MIT
// Looks for nodes that were away for longer than their token or their group allows, and ends them.
import type { Kysely } from 'kysely'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import { nextTurn } from '../../base/slices.ts'
import type { Database } from '../../db/database.ts'
import type { ReadGrouping } from '../../fleet/config-ports.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import {
  type AbsenceOf,
  type ForgetRule,
  overdueRule,
  SHORTEST_MS,
} from '../../fleet/forgetting.ts'
import { type Grouping, targetOf } from '../../labels/grouping.ts'
import type { EndNode } from './decommissioning.ts'
import { type Silent, silentNodes } from './store.ts'

type Forgetting = {
  db: Kysely<Database>
  now: () => number
  absenceOf: AbsenceOf
  fleet: Pick<Fleet, 'connectedIds'>
  readGrouping: ReadGrouping
  /** Restored and not confirmed, or no room on the disk: nothing is ended then. */
  isHeld: () => boolean
  endNode: EndNode
  onError: (error: unknown) => void
}
type Looking = Forgetting & {
  /** Nobody could be heard until now: the machine slept, or its clock was set. */
  onGap: (nowMs: number) => void
}

const LOOK_EVERY_MS = 60_000
const MOST_BETWEEN_LOOKS_MS = 5 * LOOK_EVERY_MS
/** Ten thousand that are away take 30 ms: other requests get their turn in between. */
const NODES_PER_TURN = 1000

/** `look` is called each minute; `stop` resolves when nothing is under way. */
export function startForgetting(deps: Looking) {
  let looking = Promise.resolve()
  const look = (): Promise<void> => {
    looking = looking.then(() => forgetLongAway(deps)).catch(deps.onError)
    return looking
  }
  let lastLookMs = deps.now()
  const timer = setInterval(() => {
    const nowMs = deps.now()
    if (nowMs - lastLookMs > MOST_BETWEEN_LOOKS_MS) deps.onGap(nowMs)
    lastLookMs = nowMs
    void look()
  }, LOOK_EVERY_MS)
  timer.unref()
  const stop = (): Promise<void> => {
    clearInterval(timer)
    return looking
  }
  return { look, stop }
}

export async function forgetLongAway(deps: Forgetting): Promise<void> {
  const { db, now, fleet, readGrouping, isHeld } = deps
  if (isHeld()) return
  const grouping = await readGrouping(db)
  const silent = await silentNodes(db, {
    heardBeforeMs: now() - SHORTEST_MS,
    connectedIds: fleet.connectedIds(),
    isByTokenOnly: !grouping.forgets,
  })
  for (const [i, node] of silent.entries()) {
    if (i % NODES_PER_TURN === 0) await nextTurn()
    const rule = overdue(deps, grouping, node)
    if (rule) await forget(deps, node.id, rule)
  }
}

function overdue(
  { now, absenceOf }: Pick<Forgetting, 'now' | 'absenceOf'>,
  grouping: Grouping,
  node: Silent,
): ForgetRule | null {
  const { group } = targetOf(grouping, node)
  const said = { token: node.forget_after_hours, group: group.forgetAfterHours }
  return overdueRule(said, node, { ...absenceOf(node.id), nowMs: now() })
}

/** It may have come back, or got other labels, or its group another rule, since it was found. */
async function forget(deps: Forgetting, id: string, { afterHours, by }: ForgetRule): Promise<void> {
  try {
    await deps.endNode(id, {
      actor: null,
      data: { awayForHours: afterHours, by },
      isStill: async ({ trx }, node) =>
        !deps.isHeld() && overdue(deps, await deps.readGrouping(trx), node) !== null,
    })
  } catch (error) {
    // The next one is not to stay because of this one.
    if (!(error instanceof NodeNotFound)) deps.onError(error)
  }
}
