// SPDX-License-Identifier: MIT
// Asks `farmstead-node` for its version: the proof that the binary whose `check` decides is there.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

async function askVersion(path: string): Promise<string | null> {
  try {
    const { stdout } = await run(path, ['version'], { timeout: 5000, maxBuffer: 4096 })
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? null
  } catch {
    return null
  }
}

export type NodeBinary = { path: string; version: () => Promise<string | null> }

const ASK_AGAIN_AFTER_MS = 15_000

/** Remembers the answer for a while: anybody may ask for our health, and each question is a process. */
export function createNodeBinary(path: string): NodeBinary {
  let answer: Promise<string | null> | undefined
  let askedAt = 0
  return {
    path,
    version() {
      if (answer === undefined || performance.now() - askedAt > ASK_AGAIN_AFTER_MS) {
        askedAt = performance.now()
        answer = askVersion(path)
      }
      return answer
    },
  }
}
