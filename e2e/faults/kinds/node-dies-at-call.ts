// SPDX-License-Identifier: MIT
// The process that serves dies at one exact call of an apply: right before or right after it opened,
// wrote, synced, renamed or removed a file of its state, or sent or received bytes.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode } from '../../real-farm/node.ts'
import type { Death } from '../../real-farm/preload.ts'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'

const NODES = 4
/** About as many as an apply makes. */
const CALLS = { disk: 16, net: 40 }
const ON_DISK = 0.7
const DEAD_WITHIN_MS = 2500
const POLL_MS = 10
const PARENT_TOO = 0.3

function draw(random: Random): Death {
  const where = random.chance(ON_DISK) ? 'disk' : 'net'
  const when = random.chance(0.5) ? 'before' : 'after'
  return { call: 1 + random.below(CALLS[where]), when, where }
}

async function untilDead(farm: FaultFarm, node: RealNode, parentToo: boolean): Promise<void> {
  const deadline = performance.now() + DEAD_WITHIN_MS
  while (node.preload.diedAt() === null && performance.now() < deadline) await sleep(POLL_MS)
  const call = node.preload.diedAt()
  node.preload.spare()
  if (call === null) return
  farm.injected(call.trim())
  if (parentToo && node.kill('parent')) farm.injected('… and the parent')
}

export const nodeDiesAtCall = {
  name: 'node dies at a call',
  nodes: NODES,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const plans = farm.nodes.map((node) => ({
      node,
      death: draw(random),
      parentToo: random.chance(PARENT_TOO),
    }))
    for (const { node, death } of plans) {
      farm.expectDown(node)
      node.preload.dieAt(death)
    }
    await farm.push()
    await Promise.all(plans.map(({ node, parentToo }) => untilDead(farm, node, parentToo)))
    const told = plans
      .map(({ node, death: { when, call, where } }) => `${node.name} ${when} ${where} ${call}`)
      .join(', ')
    await farm.untilAgreed(farm.nodes, performance.now(), `(${told})`)
  },
}
