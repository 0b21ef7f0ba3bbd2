// SPDX-License-Identifier: MIT
// Wall clocks are off by up to a day either way, and jump while a version is rolled out: of nodes, and of
// the control plane. Some nodes are killed and start with a wrong clock.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'

const NODES = 4
const HOUR = 3600
const OFFSETS = [-24 * HOUR, 24 * HOUR, -24 * HOUR, 24 * HOUR, -HOUR, HOUR, 0]
const LATEST_MS = 300
const KILLED = 0.3
const CONTROL_PLANE_TOO = 0.3

const say = (seconds: number) => `${seconds < 0 ? '−' : '+'}${Math.abs(seconds) / HOUR} h`

export const clockOff = {
  name: 'clock off',
  nodes: NODES,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { controlPlane } = farm
    const plans = farm.nodes.map((node) => ({
      node,
      offset: random.pick(OFFSETS),
      afterMs: random.below(LATEST_MS),
      isKilled: random.chance(KILLED),
    }))
    const theirs = random.chance(CONTROL_PLANE_TOO) ? random.pick(OFFSETS) : null
    const done = plans.map(async ({ node, offset, afterMs, isKilled }) => {
      await sleep(afterMs)
      node.preload.setClock(offset)
      farm.injected(`node’s ${say(offset)}`)
      if (!isKilled) return
      farm.expectDown(node)
      if (node.kill(random.pick(['serving process', 'both']))) farm.injected('… and killed')
    })
    await farm.push()
    if (theirs !== null) {
      controlPlane.preload.setClock(theirs)
      farm.injected(`control plane’s ${say(theirs)}`)
      // A session that is a day old has ended.
      await controlPlane.signInAgain()
    }
    await Promise.all(done)
    const told = plans.map(({ node, offset }) => `${node.name} ${say(offset)}`).join(', ')
    await farm.untilAgreed(farm.nodes, performance.now(), `(${told}; theirs ${theirs})`)
  },
}
