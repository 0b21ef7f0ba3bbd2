// SPDX-License-Identifier: MIT
// Where the farm lives and which ports it takes, from the environment.
import { resolve } from 'node:path'
import { root } from '../setup/paths.mjs'
import { Problem } from '../setup/problem.mjs'
import type { FarmPorts } from './farm.ts'

type Env = Record<string, string | undefined>

function port(text: string, variable: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= 65_535) return value
  throw new Problem(`${variable} must be a port (1–65535), got "${text}".`)
}

export function farmHome(env: Env): string {
  return resolve(root, env.FARMSTEAD_HOME || '.farm')
}

export function farmPorts(env: Env): FarmPorts {
  const nodes = (env.FARMSTEAD_NODE_PORTS || '8101,8102,8103').split(',')
  return {
    console: port(env.FARMSTEAD_PORT || '9700', 'FARMSTEAD_PORT'),
    agent: port(env.FARMSTEAD_AGENT_PORT || '9701', 'FARMSTEAD_AGENT_PORT'),
    nodes: nodes.map((text) => port(text.trim(), 'FARMSTEAD_NODE_PORTS')),
  }
}
