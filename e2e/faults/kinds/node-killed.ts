// SPDX-License-Identifier: MIT
// kill -9 of the process that serves, of its parent, or of both, at some point of an apply.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode, Step, Victim } from '../../real-farm/node.ts'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'

const NODES = 4
const VICTIMS: readonly Victim[] = ['serving process', 'serving process', 'parent', 'both']
const STEPS: readonly ('pushed' | Step)[] = ['pushed', 'staged', 'swapped', 'confirmed']
/** A step that never comes (the version was refused) is not waited for. */
const STEP_WITHIN_MS = 1500
const LATEST_MS = 60
const AGAIN_WITHIN_MS = 250
const BAD = 0.15

type Plan = { step: 'pushed' | Step; delayMs: number; victim: Victim; again: number | null }

const draw = (random: Random): Plan => ({
  step: random.pick(STEPS),
  // Half of the points lie right behind a step.
  delayMs: random.chance(0.5) ? random.below(4) : random.below(LATEST_MS),
  victim: random.pick(VICTIMS),
  again: random.chance(0.25) ? random.below(AGAIN_WITHIN_MS) : null,
})

/** Resolves to when it was killed last. */
async function kill(farm: FaultFarm, node: RealNode, plan: Plan, pushed: Promise<unknown>) {
  const { step, delayMs, victim, again } = plan
  await (step === 'pushed'
    ? pushed
    : once(node.steps, step, { signal: AbortSignal.timeout(STEP_WITHIN_MS) }).catch(() => {}))
  await sleep(delayMs)
  farm.expectDown(node)
  if (node.kill(victim)) farm.injected(`${victim} after ${step}`)
  if (again !== null) {
    await sleep(again)
    farm.expectDown(node)
    if (node.kill('serving process')) farm.injected('serving process again')
  }
}

export const nodeKilled = {
  name: 'node killed',
  nodes: NODES,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const plans = farm.nodes.map((node) => ({ node, plan: draw(random) }))
    const isBad = random.chance(BAD)
    const pushed = Promise.withResolvers<void>()
    const kills = plans.map(({ node, plan }) => kill(farm, node, plan, pushed.promise))
    await (isBad ? farm.pushBad() : farm.push())
    pushed.resolve()
    await Promise.all(kills)
    const told = plans.map(({ node, plan }) => `${node.name} ${JSON.stringify(plan)}`).join(', ')
    await farm.untilAgreed(farm.nodes, performance.now(), `(${isBad ? 'bad' : 'good'}; ${told})`)
  },
}
