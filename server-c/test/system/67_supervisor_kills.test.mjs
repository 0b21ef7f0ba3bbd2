// SPDX-License-Identifier: MIT
// Whichever of the two processes is killed, whenever, the node comes back with a config that is known to be good.
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  confirmedGeneration,
  control,
  crash,
  node,
  serving,
  start,
} from '../support/supervised-node.mjs'

test('killed at any moment, again and again, it serves what was confirmed', async (t) => {
  await serving('v0')
  const kills = Number(process.env.FARMSTEAD_KILLS ?? 12)
  const seen = { parent: 0, child: 0 }
  for (let i = 1; i <= kills; i++) {
    const { generation } = control.assign(node.config(`v${i}`))
    await sleep(Math.random() * 20)
    if (i % 3 === 0) {
      await node.stop('SIGKILL')
      start()
      seen.parent++
    } else {
      await crash('SIGKILL')
      seen.child++
    }
    // What was cut off between ack and confirmation is offered anew, as a rollout would do.
    await control.until('an outcome', () => {
      const told = control.of('hello').at(-1)?.body.lastResult
      return confirmedGeneration() === generation || told?.generation === generation
    })
    if (confirmedGeneration() !== generation) {
      if (control.of('hello').at(-1).body.lastResult.outcome === 'reverted')
        control.assign(node.config(`v${i}`))
      await node.untilConfirmed(control.assignment.generation)
    }
    await node.untilVersion(`v${i}`)
  }
  t.diagnostic(`${seen.parent} kills of the parent, ${seen.child} of the serving process`)
})
