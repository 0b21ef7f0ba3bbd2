// SPDX-License-Identifier: MIT
// A farm whose nodes have their state folders on disks of their own, which can be filled.
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
