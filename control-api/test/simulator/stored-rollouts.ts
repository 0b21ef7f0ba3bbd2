// SPDX-License-Identifier: MIT
// The rollouts as the real database has them after a deed. Most deeds change one of twenty or none: a rollout is loaded
// again only when a byte of its row or of its tasks' rows is another one.
import type { RolloutRow } from '../../src/db/tables/rollouts.ts'
import { loadRollout } from '../../src/features/rollouts/store/rollouts.ts'
import { Connections } from '../../src/fleet/connections.ts'
import type { Services } from '../../src/process/services.ts'
import { type RolloutView, shown } from './view.ts'

const NOBODY = new Connections()

type TaskRow = Awaited<ReturnType<typeof taskRowsIn>>[number]
export type StoredRollout = {
  row: RolloutRow
  taskRows: readonly TaskRow[]
  /** As the store loads it. */
  view: RolloutView
}

const taskRowsIn = (db: Services['db']) =>
  db.selectFrom('node_tasks').selectAll().orderBy('node_id').execute()

type Known = { bytes: string; stored: StoredRollout }

export class StoredRollouts {
  #known = new Map<string, Known>()

  /** By id. */
  async read(db: Services['db']): Promise<StoredRollout[]> {
    const rows = await db.selectFrom('rollouts').selectAll().orderBy('id').execute()
    const tasks = Map.groupBy(await taskRowsIn(db), (task) => task.rollout_id)
    const known = new Map<string, Known>()
    for (const row of rows) {
      const taskRows = tasks.get(row.id) ?? []
      const bytes = JSON.stringify([row, taskRows])
      const before = this.#known.get(row.id)
      if (before?.bytes === bytes) {
        known.set(row.id, before)
        continue
      }
      const loaded = await loadRollout(db, row.id, NOBODY)
      if (!loaded) throw new Error(`${row.id} has a row and cannot be loaded`)
      const stored = { row, taskRows, view: shown(row.id, loaded.rollout) }
      known.set(row.id, { bytes, stored })
    }
    this.#known = known
    return [...known.values()].map(({ stored }) => stored)
  }
}
