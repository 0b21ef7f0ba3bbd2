// SPDX-License-Identifier: MIT
// The control plane dies at one exact call of a rollout: right before or right after it wrote to, synced
// or cut one of its files.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'

const NODES = 4
/** About as many as a rollout to so many nodes makes. */
const MOST_CALLS = 120
const DEAD_WITHIN_MS = 3000
const POLL_MS = 10

export const controlPlaneDiesAtCall = {
  name: 'control plane dies at a call',
  nodes: NODES,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { controlPlane } = farm
    const call = 1 + random.below(MOST_CALLS)
    const when = random.chance(0.5) ? 'before' : 'after'
    controlPlane.preload.dieAt({ call, when, where: 'disk' })
    // Which request it dies in is of no matter: there may be no version, no rollout, or both.
    const pushed = farm.push().catch(() => {})
    const deadline = performance.now() + DEAD_WITHIN_MS
    while (controlPlane.preload.diedAt() === null && performance.now() < deadline) {
      await sleep(POLL_MS)
    }
    const at = controlPlane.preload.diedAt()
    controlPlane.preload.spare()
    farm.injected(at?.trim() ?? 'killed after all of it')
    await controlPlane.end('SIGKILL')
    await pushed
    await controlPlane.start()
    await farm.untilAgreed(farm.nodes, performance.now(), `(${when} call ${call}, ${at})`)
  },
}
