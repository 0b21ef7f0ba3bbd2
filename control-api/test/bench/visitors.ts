// SPDX-License-Identifier: MIT
// Who visits nodes while something is done to them: each over a connection of its own, so many times a second, and
// every answer is read and compared with what may be served there.
import { createHash } from 'node:crypto'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** `sha256`: of all bytes that may be served under it. */
export type Page = { path: string; sha256: ReadonlySet<string> }
export type Seen = { ms: number[]; failed: string[] }

const SILENT_MS = 10_000

export class Visitors {
  readonly #pages: readonly Page[]
  readonly #agents: Agent[] = []
  readonly #working: Promise<void>[]
  #seen: Seen = { ms: [], failed: [] }
  #isOver = false

  /** One to each of `ports`. */
  constructor(ports: readonly number[], pages: readonly Page[], everyMs: number) {
    this.#pages = pages
    this.#working = ports.map((port, at) => this.#visit(port, everyMs, at))
  }

  /** Since this was called last. */
  take(): Seen {
    const seen = this.#seen
    this.#seen = { ms: [], failed: [] }
    return seen
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#working)
    for (const agent of this.#agents) agent.destroy()
  }

  async #visit(port: number, everyMs: number, first: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    this.#agents.push(agent)
    let due = performance.now() + (first * everyMs) / Math.max(1, this.#pages.length)
    for (let asked = first; !this.#isOver; asked++) {
      due = Math.max(due + everyMs, performance.now())
      await sleep(Math.max(0, due - performance.now()))
      const page = this.#pages[asked % this.#pages.length]
      if (!page) return
      const from = performance.now()
      const trouble = await askFor(agent, port, page)
      this.#seen.ms.push(performance.now() - from)
      if (trouble !== null) this.#seen.failed.push(`${port} /${page.path}: ${trouble}`)
    }
  }
}

/** null: it was answered, with what may be there. */
function askFor(agent: Agent, port: number, page: Page): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const options = { agent, host: '127.0.0.1', port, path: `/${page.path}`, timeout: SILENT_MS }
  const request = get(options, (response) => {
    const hash = createHash('sha256')
    response.on('data', (bytes) => hash.update(bytes))
    response.on('error', ({ message }) => resolve(message))
    response.on('end', () => {
      if (response.statusCode !== 200) resolve(`HTTP ${response.statusCode}`)
      else resolve(page.sha256.has(hash.digest('hex')) ? null : 'other bytes')
    })
  })
  request.on('timeout', () => request.destroy(new Error(`silent for ${SILENT_MS} ms`)))
  request.on('error', ({ message }) => resolve(message))
  return promise
}
