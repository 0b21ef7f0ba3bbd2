// SPDX-License-Identifier: MIT
// Asks `farmstead-node` for its version: the proof that the binary whose `check` decides is there.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export async function nodeBinaryVersion(path: string): Promise<string | null> {
  try {
    const { stdout } = await run(path, ['version'], { timeout: 5000, maxBuffer: 4096 })
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? null
  } catch {
    return null
  }
}
