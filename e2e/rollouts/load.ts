// SPDX-License-Identifier: MIT
// The load on a node: wrk, at a pace that leaves the machine room, which ends by itself whatever becomes of us.
import { once } from 'node:events'
import { join } from 'node:path'
import type { RealNode } from '../real-farm/node.ts'
import { Child, cleanEnv } from '../real-farm/processes.ts'
import type { Page } from './sites.ts'

const LONGEST = '1200s'
const CONNECTIONS = 2
const script = join(import.meta.dirname, 'load.lua')

/** refused: answers of 400 and above. broken: connections. late: no answer within two seconds. */
export type LoadResult = { requests: number; refused: number; broken: number; late: number }
export type Wish = {
  node: RealNode
  logFile: string
  /** Between two requests of a connection. */
  delayMs: number
  /** What is asked for, as load.lua says. */
  words: readonly string[]
  connections?: number
}

export const wordsOf = (pages: readonly Page[]) => pages.map(({ host, path }) => `${host}${path}`)

export class Load {
  readonly #child: Child
  /** Ended, and all it said has been read. */
  readonly #closed: Promise<unknown>
  #output = ''

  constructor({ node, logFile, delayMs, words, connections = CONNECTIONS }: Wish) {
    const how = ['-t1', `-c${connections}`, '-d', LONGEST, '-s', script]
    const url = `http://${node.host}:${node.port}/`
    this.#child = new Child({
      command: ['wrk', ...how, url, '--', String(delayMs), ...words],
      env: cleanEnv(),
      logFile,
      onOutput: (text) => {
        this.#output += text
      },
    })
    this.#closed = once(this.#child.process, 'close')
  }

  async stop(): Promise<LoadResult> {
    await this.#child.end('SIGINT')
    await this.#closed
    const result = /^RESULT (.*)$/m.exec(this.#output)?.[1]
    if (!result) throw new Error(`wrk said nothing of what it did: ${this.#output.slice(-500)}`)
    return JSON.parse(result)
  }
}
