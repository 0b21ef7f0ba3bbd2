// SPDX-License-Identifier: MIT
// Something was written of a node: told at once, by triggers (changed-nodes.ts), so that what was read of it need not be
// read again for each of its messages.

/** Of better-sqlite3. */
type Connection = {
  function(name: string, call: (nodeId: string) => void): unknown
  prepare(sql: string): { pluck(): { get(): unknown } }
}
export type NodeWrites = ReturnType<typeof createNodeWrites>

/** What the triggers call. */
export const NODE_WRITTEN = 'node_written'

export function createNodeWrites() {
  const told: ((nodeId: string) => void)[] = []
  let count = 0
  let isWatched = false
  let readVersion = (): unknown => 0
  let version: unknown
  let isOfThisTurn = false
  return {
    attach(sqlite: Connection): void {
      sqlite.function(NODE_WRITTEN, (nodeId: string) => {
        count++
        for (const tell of told) tell(nodeId)
      })
      const asked = sqlite.prepare('pragma data_version').pluck()
      readVersion = () => asked.get()
    },
    /** From now on all that is written is told. */
    watched(): void {
      isWatched = true
    },
    isWatched: () => isWatched,
    /** Of this process, whether it was committed or not. */
    count: () => count,
    /** Another one when another process has committed something. Looked at once in a turn of the loop: who asks in it was there before. */
    foreign(): unknown {
      if (isOfThisTurn) return version
      isOfThisTurn = true
      setImmediate(() => {
        isOfThisTurn = false
      })
      version = readVersion()
      return version
    },
    /** Before it is committed: who reads then waits for that. */
    onWrite: (tell: (nodeId: string) => void) => void told.push(tell),
  }
}

/** What was read of each node, until something is written of it. It is shared by all who ask: nobody changes it. */
export class NodeMemo<Value> {
  readonly #writes: NodeWrites
  readonly #kept = new Map<string, Value>()
  #foreign: unknown = null

  constructor(writes: NodeWrites) {
    this.#writes = writes
    writes.onWrite((nodeId) => this.#kept.delete(nodeId))
  }

  known(nodeId: string): Value | undefined {
    this.#look()
    return this.#kept.get(nodeId)
  }

  /** Nobody knows what others wrote. */
  #look(): void {
    const foreign = this.#writes.foreign()
    if (foreign === this.#foreign) return
    this.#kept.clear()
    this.#foreign = foreign
  }

  /** What `read` finds is kept, unless something was written meanwhile. `nodeId`: of whom it is. */
  async keep<Read extends Value>(
    read: () => Promise<Read>,
    nodeId: (value: Read) => string,
  ): Promise<Read> {
    this.#look()
    const [count, foreign] = [this.#writes.count(), this.#foreign]
    const value = await read()
    this.#look()
    const isOfNow = count === this.#writes.count() && foreign === this.#foreign
    if (isOfNow && this.#writes.isWatched()) this.#kept.set(nodeId(value), value)
    return value
  }
}
