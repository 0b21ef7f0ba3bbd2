// SPDX-License-Identifier: MIT
// All kinds of faults, the slowest first: they run side by side.

import type { Random } from '../../real-farm/random.ts'
import { type FarmDeps, FaultFarm } from '../farm.ts'
import { certificateRefused, certificateRenewed } from './certificate-renewed.ts'
import { clockOff } from './clock-off.ts'
import { clone } from './clone.ts'
import { connectionCut } from './connection-cut.ts'
import { controlPlaneDiesAtCall } from './control-plane-dies-at-call.ts'
import { controlPlaneKilled } from './control-plane-killed.ts'
import { diskFull } from './disk-full.ts'
import { nodeDiesAtCall } from './node-dies-at-call.ts'
import { nodeKilled } from './node-killed.ts'
import { oldDatabase } from './old-database.ts'
import { releaseDiskFull, releasePlaneFull, releases } from './releases.ts'

export type Kind = {
  name: string
  rounds: Rounds
  /** Machines of its own (machines.ts). */
  needsMachines?: boolean
  /** Makes a farm that suits it, has `work` done with it and ends it. */
  run: (deps: FarmDeps, work: (farm: FaultFarm) => Promise<void>) => Promise<void>
  round: (farm: FaultFarm, random: Random) => Promise<void>
}

/** Of each of its farms; `farms`: how many the full run has, as they mostly wait. 0: the small run has none. */
type Rounds = { small: number; full: number; farms: number }
type Simple = { name: string; nodes: number; round: Kind['round'] }

const onFarm = ({ name, nodes, round }: Simple, rounds: Rounds): Kind => ({
  name,
  rounds,
  round,
  async run(deps, work) {
    const farm = await FaultFarm.start(deps, nodes)
    try {
      await work(farm)
    } finally {
      await farm.stop()
    }
  },
})

export const KINDS: readonly Kind[] = [
  { ...onFarm(clone, { small: 1, full: 5, farms: 1 }), needsMachines: true },
  onFarm(certificateRenewed, { small: 1, full: 10, farms: 1 }),
  onFarm(certificateRefused, { small: 1, full: 10, farms: 1 }),
  onFarm(controlPlaneKilled, { small: 3, full: 40, farms: 3 }),
  onFarm(controlPlaneDiesAtCall, { small: 3, full: 40, farms: 3 }),
  { ...releases, rounds: { small: 3, full: 50, farms: 3 } },
  { ...releaseDiskFull, rounds: { small: 1, full: 30, farms: 1 }, needsMachines: true },
  { ...releasePlaneFull, rounds: { small: 1, full: 30, farms: 1 }, needsMachines: true },
  onFarm(oldDatabase, { small: 1, full: 12, farms: 1 }),
  { ...diskFull, rounds: { small: 4, full: 40, farms: 1 }, needsMachines: true },
  onFarm(nodeKilled, { small: 4, full: 60, farms: 1 }),
  onFarm(nodeDiesAtCall, { small: 5, full: 60, farms: 1 }),
  onFarm(connectionCut, { small: 4, full: 50, farms: 1 }),
  onFarm(clockOff, { small: 3, full: 40, farms: 1 }),
]
