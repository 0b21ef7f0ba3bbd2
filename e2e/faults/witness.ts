// SPDX-License-Identifier: MIT
// A visitor who never stops asking: every answer must be of a version that was given out and is good, and
// where nobody killed the node there must always be one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode } from '../real-farm/node.ts'

const ASK_EVERY_MS = 25

type Deps = {
  node: RealNode
  isGood: (label: string) => boolean
  /** Nobody has killed it since both sides agreed last. */
  mustAnswer: () => boolean
  wrong: (sentence: string) => void
}

/** Returns how to stop; resolves to how many answers were looked at. */
export function startWitness({ node, isGood, mustAnswer, wrong }: Deps) {
  let isOver = false
  let answers = 0
  const work = async () => {
    while (!isOver) {
      const had = mustAnswer()
      const { label, trouble } = await node.see()
      if (label !== null) {
        answers++
        if (!isGood(label)) wrong(`${node.name} served "${label}", which it was never to serve`)
      } else if (had && mustAnswer() && !isOver) {
        wrong(`${node.name} did not serve, though nobody had touched it: ${trouble}`)
      }
      await sleep(ASK_EVERY_MS)
    }
    return answers
  }
  const done = work()
  return () => {
    isOver = true
    return done
  }
}
