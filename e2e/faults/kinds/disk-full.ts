// SPDX-License-Identifier: MIT
// The disk of the node's state folder is full, to the last page or nearly, before or in the middle of an
// apply; perhaps it is killed meanwhile.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Step } from '../../real-farm/node.ts'
import type { Random } from '../../real-farm/random.ts'
import type { FarmDeps, FaultFarm } from '../farm.ts'
import { disksOf, onSmallDisks } from '../small-disk-farm.ts'

const NODES = 2
const DISK_BYTES = 256 * 1024
const MOST_PAGES = 7
const STEPS: readonly ('before' | Step)[] = ['before', 'before', 'staged', 'swapped']
const STEP_WITHIN_MS = 1500
const LONGEST_MS = 2000
const KILLED = 0.4

export const diskFull = {
  name: 'disk full',
  run: (deps: FarmDeps, work: (farm: FaultFarm) => Promise<void>) =>
    onSmallDisks(deps, { nodes: NODES, bytes: DISK_BYTES }, work),

  async round(farm: FaultFarm, random: Random): Promise<void> {
    const all = disksOf(farm)
    const plans = farm.nodes.map((node, i) => ({
      node,
      disk: all[i],
      pages: random.below(MOST_PAGES),
      step: random.pick(STEPS),
      forMs: random.below(LONGEST_MS),
      isKilled: random.chance(KILLED),
    }))
    const pushed = Promise.withResolvers<void>()
    const done = plans.map(async ({ node, disk, pages, step, forMs, isKilled }) => {
      const signal = AbortSignal.timeout(STEP_WITHIN_MS)
      if (step !== 'before') await once(node.steps, step, { signal }).catch(() => {})
      disk?.fill(pages)
      farm.injected(`${pages === 0 ? 'no page' : `${pages} pages`} left, ${step}`)
      await pushed.promise
      await sleep(forMs)
      if (isKilled) {
        farm.expectDown(node)
        node.kill('both')
        farm.injected('… and killed')
        await sleep(forMs)
      }
      disk?.free()
    })
    await farm.push()
    pushed.resolve()
    await Promise.all(done)
    const told = plans
      .map(({ node, pages, step, isKilled }) => `${node.name} ${step} ${pages} ${isKilled}`)
      .join(', ')
    await farm.untilAgreed(farm.nodes, performance.now(), `(${told})`)
  },
}
