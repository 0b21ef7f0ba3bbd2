// SPDX-License-Identifier: MIT
// kill -9 of the control plane at some point of a rollout. Nobody's visitors may notice.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode, Step } from '../../real-farm/node.ts'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'

const NODES = 4
const STEPS: readonly ('pushing' | Step)[] = ['pushing', 'staged', 'swapped', 'confirmed']
const STEP_WITHIN_MS = 1500
const LATEST_MS = 150
const DOWN_FOR_MS = 500

export const controlPlaneKilled = {
  name: 'control plane killed',
  nodes: NODES,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { controlPlane } = farm
    const step = random.pick(STEPS)
    const node = random.pick<RealNode>(farm.nodes)
    const delayMs = random.chance(0.5) ? random.below(10) : random.below(LATEST_MS)
    const downMs = random.below(DOWN_FOR_MS)
    const signal = AbortSignal.timeout(STEP_WITHIN_MS)
    const reached =
      step === 'pushing' ? Promise.resolve() : once(node.steps, step, { signal }).catch(() => {})
    // Which request it dies in is of no matter: there may be no version, no rollout, or both.
    const pushed = farm.push().catch(() => {})
    await reached
    await sleep(delayMs)
    await controlPlane.end('SIGKILL')
    farm.injected(`after ${step}`)
    await pushed
    await sleep(downMs)
    await controlPlane.start()
    const about = `(${step} of ${node.name} + ${delayMs} ms, down for ${downMs} ms)`
    await farm.untilAgreed(farm.nodes, performance.now(), about)
  },
}
