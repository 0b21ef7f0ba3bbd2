// SPDX-License-Identifier: MIT
import type { ChildProcess } from 'node:child_process'
import type { FromAgents } from './many-agents.ts'

/** What a process that speaks for nodes says next of this kind. Rejects when it ends before. */
export function heard<K extends FromAgents['kind']>(agent: ChildProcess, kind: K) {
  return new Promise<Extract<FromAgents, { kind: K }>>((resolve, reject) => {
    const over = (code: number | null) => reject(new Error(`the nodes' process ended with ${code}`))
    const take = (message: FromAgents) => {
      if (message.kind !== kind) return
      agent.off('message', take).off('exit', over)
      resolve(message as Extract<FromAgents, { kind: K }>)
    }
    agent.on('message', take).once('exit', over)
  })
}
