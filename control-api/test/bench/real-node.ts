// SPDX-License-Identifier: MIT
// A real node beside a bench's service: joined, and running until it is ended.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { openPolicy } from '../../../scripts/testing/node-policy.mjs'

export const NODE_BINARY =
  process.env.FARMSTEAD_NODE ??
  resolve(import.meta.dirname, '../../../server-c/build/release/farmstead-node')

type Wish = { home: string; name: string; agentPort: number; token: string }

/** Its state is in `home`, as `name`. The token says where it listens. */
export function startRealNode({ home, name, agentPort, token }: Wish): ChildProcess {
  const state = join(home, name)
  const url = `https://127.0.0.1:${agentPort}`
  const words = ['join', url, '--token', token, '--state', state, '--name', name]
  const policy = openPolicy(home)
  execFileSync(NODE_BINARY, [...words, ...policy], { stdio: 'ignore' })
  return spawn(NODE_BINARY, ['run', '--state', state, ...policy], { stdio: 'ignore' })
}
