// SPDX-License-Identifier: MIT
// A visitor of one node who looks at every answer: its status, its length, all its bytes, and which version gave
// it. What goes wrong while the node is out of reach by our own doing is counted apart.
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, type Broken, type Whole } from '../real-farm/ask.ts'
import type { RealNode } from '../real-farm/node.ts'
import type { Random } from '../real-farm/random.ts'
import type { Page } from './sites.ts'

const ASK_EVERY_MS = 40

/** `label`: the version's, in a header of every answer. */
export type Answer = { atMs: number; label: string | null; trouble: string | null }
type Deps = {
  node: RealNode
  pages: readonly Page[]
  random: Random
  /** It is out of reach, for that is what is done to it. */
  isDown: () => boolean
  /** How often that was begun: it may be over again before a question is. */
  timesDown: () => number
  onAnswer: (answer: Answer, wasDown: boolean) => void
}

/** Returns how to stop. */
export function startVisitor({ node, pages, random, isDown, timesDown, onAnswer }: Deps) {
  const stop = new AbortController()
  const visit = async () => {
    while (!stop.signal.aborted) {
      const wasDown = isDown()
      const before = timesDown()
      const answer = await look(node, random.pick(pages))
      if (!stop.signal.aborted) onAnswer(answer, wasDown || timesDown() !== before)
      await sleep(ASK_EVERY_MS)
    }
  }
  const done = visit()
  return () => {
    stop.abort()
    return done
  }
}

async function look(node: RealNode, { host, path, body }: Page): Promise<Answer> {
  const answer = await ask(node, path, host)
  const { label } = answer
  return { atMs: performance.now(), label, trouble: troubleOf(answer, `${host}${path}`, body) }
}

function troubleOf(answer: Whole | Broken, what: string, body: Buffer): string | null {
  if ('trouble' in answer) return answer.trouble
  if (answer.status !== 200) return `${what}: HTTP ${answer.status}`
  if (answer.length !== body.length) return `${what}: ${answer.length} of ${body.length} bytes`
  return answer.body.equals(body) ? null : `${what}: other bytes than in the file`
}
