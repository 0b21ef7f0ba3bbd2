// SPDX-License-Identifier: MIT
// Farms whose nodes have their state folders on disks of their own, or whose control plane has its data on one: these can be
// filled.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FarmDeps, FaultFarm } from './farm.ts'
import { SmallDisk } from './machines.ts'

const disks = new WeakMap<FaultFarm, SmallDisk[]>()

/** In the order of its nodes. */
export const disksOf = (farm: FaultFarm): readonly SmallDisk[] => disks.get(farm) ?? []

export async function onSmallDisks(
  deps: FarmDeps,
  { nodes, bytes }: { nodes: number; bytes: number },
  work: (farm: FaultFarm) => Promise<void>,
): Promise<void> {
  const made: SmallDisk[] = []
  const farm = await FaultFarm.start(deps, nodes, async (name) => {
    const dir = join(deps.home, 'disks', name)
    const disk = await SmallDisk.make(dir, bytes, join(deps.home, `logs/${name}-disk.log`))
    made.push(disk)
    const stateDir = join(dir, 'state')
    return { stateDir, wrap: disk.wrap, visibleStateDir: () => disk.seen(stateDir) }
  })
  disks.set(farm, made)
  try {
    await work(farm)
  } finally {
    await farm.stop()
    for (const disk of made) await disk.end()
  }
}

const planeDisks = new WeakMap<FaultFarm, SmallDisk>()

export function planeDiskOf(farm: FaultFarm): SmallDisk {
  const disk = planeDisks.get(farm)
  if (disk === undefined) throw new Error('the control plane has no disk of its own')
  return disk
}

export async function onSmallPlaneDisk(
  deps: FarmDeps,
  { nodes, bytes }: { nodes: number; bytes: number },
  work: (farm: FaultFarm) => Promise<void>,
): Promise<void> {
  const dir = join(deps.home, 'disk')
  const logs = join(deps.home, 'logs')
  mkdirSync(logs, { recursive: true })
  const planeDisk = await SmallDisk.make(dir, bytes, join(logs, 'disk.log'))
  try {
    const farm = await FaultFarm.start({ ...deps, planeDisk }, nodes)
    planeDisks.set(farm, planeDisk)
    try {
      await work(farm)
    } finally {
      await farm.stop()
    }
  } finally {
    await planeDisk.end()
  }
}
