// SPDX-License-Identifier: MIT
// Where the farm lives and which ports it takes, from the environment.
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { root } from '../setup/paths.mjs'
import { Problem } from '../setup/problem.mjs'
import type { FarmPorts } from './farm.ts'
import { isOpenToOthers } from './node-user.ts'

type Env = Record<string, string | undefined>

function port(text: string, variable: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= 65_535) return value
  throw new Problem(`${variable} must be a port (1–65535), got "${text}".`)
}

/** In the checkout, unless root has it where the nodes' user may not go (/root): then in /var/lib. */
export function farmHome(env: Env, checkout = root, uid = process.getuid?.()): string {
  if (env.FARMSTEAD_HOME) return resolve(checkout, env.FARMSTEAD_HOME)
  if (uid !== 0 || isOpenToOthers(checkout)) return resolve(checkout, '.farm')
  const which = createHash('sha256').update(checkout).digest('hex').slice(0, 8)
  return `/var/lib/farmstead-farm-${which}`
}

export function farmPorts(env: Env): FarmPorts {
  const nodes = (env.FARMSTEAD_NODE_PORTS || '8101,8102,8103').split(',')
  return {
    console: port(env.FARMSTEAD_PORT || '9700', 'FARMSTEAD_PORT'),
    agent: port(env.FARMSTEAD_AGENT_PORT || '9701', 'FARMSTEAD_AGENT_PORT'),
    nodes: nodes.map((text) => port(text.trim(), 'FARMSTEAD_NODE_PORTS')),
  }
}
