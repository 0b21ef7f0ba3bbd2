// SPDX-License-Identifier: MIT
// A real node beside a bench's service: joined, and running until it is ended.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { givingPolicy, openPolicy } from '../../../scripts/testing/node-policy.mjs'

export const NODE_BINARY =
  process.env.FARMSTEAD_NODE ??
  resolve(import.meta.dirname, '../../../server-c/build/release/farmstead-node')

const run = promisify(execFile)

type Wish = {
  home: string
  name: string
  agentPort: number
  token: string
  /** As "127.0.0.1:8444": there it gives others releases. */
  givesAt?: string | undefined
}

/** Its state is in `home`, as `name`. The token says where it listens. */
export async function startRealNode({
  home,
  name,
  agentPort,
  token,
  givesAt,
}: Wish): Promise<ChildProcess> {
  const state = join(home, name)
  const url = `https://127.0.0.1:${agentPort}`
  const words = ['join', url, '--token', token, '--state', state, '--name', name]
  const policy = givesAt === undefined ? openPolicy(home) : givingPolicy(home, givesAt)
  await run(NODE_BINARY, [...words, ...policy])
  return spawn(NODE_BINARY, ['run', '--state', state, ...policy], { stdio: 'ignore' })
}
