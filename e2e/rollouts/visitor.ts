// SPDX-License-Identifier: MIT
// A visitor of one node who looks at every answer: its status, its length, all its bytes, and which version gave
// it. What goes wrong while the node is out of reach by our own doing is counted apart.
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode } from '../real-farm/node.ts'
import type { Random } from '../real-farm/random.ts'
import type { Page } from './sites.ts'

const ASK_EVERY_MS = 40
const ANSWER_WITHIN_MS = 5000

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
      const answer = await ask(node, random.pick(pages))
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

function ask(node: RealNode, { host, path, body }: Page): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const end = (label: string | null, trouble: string | null) =>
    resolve({ atMs: performance.now(), label, trouble })
  const options = {
    ...{ host: node.host, port: node.port, path, agent: false, timeout: ANSWER_WITHIN_MS },
    headers: { host },
  }
  const asked = get(options, (response) => {
    const label = String(response.headers['x-version'] ?? '') || null
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', (error) => end(label, error.message))
    response.on('end', () => {
      const got = Buffer.concat(chunks)
      const length = Number(response.headers['content-length'])
      if (response.statusCode !== 200) end(label, `${host}${path}: HTTP ${response.statusCode}`)
      else if (length !== body.length)
        end(label, `${host}${path}: ${length} of ${body.length} bytes`)
      else end(label, got.equals(body) ? null : `${host}${path}: other bytes than in the file`)
    })
  })
  asked.on('timeout', () => asked.destroy(new Error('no answer')))
  asked.on('error', (error) => end(null, error.message))
  return promise
}
