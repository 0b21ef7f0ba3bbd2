// SPDX-License-Identifier: MIT
// Nodes that a process speaks for, with certificates of the farm's CA: the crowd around the real ones.
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { heard } from '../../control-api/test/bench/heard.ts'
import type { Counted, ToAgents } from '../../control-api/test/bench/many-agents.ts'
import type { Spoken } from '../../control-api/test/bench/spoken-node.ts'
import { root } from '../../scripts/setup/paths.mjs'

const BENCH = join(root, 'control-api/test/bench')
/** Of what is printed of a node, some thousand bytes. */
const MOST_PRINTED_BYTES = 64 * 1024 * 1024
/** Of them all, how many lose their connection, begin anew, or refuse, all day long. */
const TROUBLED = 0.1
const CONDUCTS = ['flapping', 'crashing', 'slow'] as const

type Made = { nodes: Spoken[]; key: string; ca: string }

export class SimulatedNodes {
  readonly #made: Made
  readonly #process: ChildProcess

  private constructor(made: Made) {
    this.#made = made
    this.#process = fork(join(BENCH, 'many-agents.ts'), { execArgv: [] })
  }

  /** Into the database of a control plane that rests; all run `text`. */
  static make(dataDir: string, count: number, text: string): SimulatedNodes {
    const file = join(dataDir, 'simulated.jsonc')
    writeFileSync(file, text)
    const words = [join(BENCH, 'make-nodes.ts'), dataDir, String(count), file]
    const printed = execFileSync(process.execPath, words, { maxBuffer: MOST_PRINTED_BYTES })
    return new SimulatedNodes(JSON.parse(printed.toString('utf8')))
  }

  get size(): number {
    return this.#made.nodes.length
  }

  /** What one of them shows: for whoever misuses it. */
  get identity(): { key: string; ca: string; certificate: string } {
    const { key, ca, nodes } = this.#made
    return { key, ca, certificate: nodes[0]?.certificate ?? '' }
  }

  /** Resolves when all have said hello; some give trouble from then on. */
  async connect(port: number): Promise<void> {
    this.#tell({ kind: 'connect', port, ...this.#made })
    await heard(this.#process, 'connected')
    // The first is left well: its identity is borrowed by hostile agents.
    const ids = this.#made.nodes.slice(1).map(({ id }) => id)
    const share = Math.floor((ids.length * TROUBLED) / CONDUCTS.length)
    for (const conduct of CONDUCTS)
      this.#tell({ kind: 'conduct', conduct, ids: ids.splice(0, share) })
  }

  async count(): Promise<Counted> {
    const counted = heard(this.#process, 'counted')
    this.#tell({ kind: 'count' })
    return await counted
  }

  stop(): void {
    this.#process.kill('SIGTERM')
  }

  #tell(message: ToAgents): void {
    this.#process.send(message)
  }
}
