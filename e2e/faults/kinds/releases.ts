// SPDX-License-Identifier: MIT
// A version of a release is pushed, fetched, built, switched to or gone back from while one of many things happens. Whatever
// it was, each node serves whole versions afterwards.
import type { Random } from '../../real-farm/random.ts'
import { type FarmDeps, FaultFarm } from '../farm.ts'
import { ReleaseFarm } from '../release-farm.ts'
import { onSmallDisks, onSmallPlaneDisk } from '../small-disk-farm.ts'
import { fillPlane } from './plane-disk-full.ts'
import { DEEDS, type Deed, fillDisks } from './release-deeds.ts'

const NODES = 2
/** A release is not begun where less than 64 MiB would be left. */
const DISK_BYTES = 96 * 1024 * 1024
/** The control plane takes nothing of releases where less than 512 MiB would be left. */
const PLANE_DISK_BYTES = 832 * 1024 * 1024

type Known = { released: ReleaseFarm; todo: Deed[] }
const farms = new WeakMap<FaultFarm, Known>()

async function knownOf(farm: FaultFarm, random: Random): Promise<Known> {
  const known = farms.get(farm) ?? { released: await ReleaseFarm.start(farm, random), todo: [] }
  farms.set(farm, known)
  return known
}

/** Its visitors go before its nodes do. */
const ending = (work: (farm: FaultFarm) => Promise<void>) => async (farm: FaultFarm) => {
  try {
    await work(farm)
  } finally {
    await farms.get(farm)?.released.end()
  }
}

export const releases = {
  name: 'releases',
  async run(deps: FarmDeps, work: (farm: FaultFarm) => Promise<void>): Promise<void> {
    const farm = await FaultFarm.start(deps, NODES)
    try {
      await ending(work)(farm)
    } finally {
      await farm.stop()
    }
  },
  /** Each deed once, in an order of its own, before any comes again. */
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { released, todo } = await knownOf(farm, random)
    if (todo.length === 0) todo.push(...DEEDS)
    const [deed] = todo.splice(random.below(todo.length), 1)
    if (!deed) return
    await deed(released, random)
    await farm.untilAgreed(farm.nodes, performance.now(), `(${deed.name})`)
    await released.requireWhole()
  },
}

export const releaseDiskFull = {
  name: 'release, disk full',
  run: (deps: FarmDeps, work: (farm: FaultFarm) => Promise<void>) =>
    onSmallDisks(deps, { nodes: NODES, bytes: DISK_BYTES }, ending(work)),
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { released } = await knownOf(farm, random)
    await fillDisks(released, random)
  },
}

export const releasePlaneFull = {
  name: 'release, control plane full',
  run: (deps: FarmDeps, work: (farm: FaultFarm) => Promise<void>) =>
    onSmallPlaneDisk(deps, { nodes: NODES, bytes: PLANE_DISK_BYTES }, ending(work)),
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { released } = await knownOf(farm, random)
    await fillPlane(released, random)
  },
}
