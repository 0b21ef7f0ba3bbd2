// SPDX-License-Identifier: MIT
// Something was written of a node: told with each write, so that what was read of it need not be read again for each of its
// messages. The database says so by triggers, so nobody who writes has to think of it.

/** The tables by which a node is judged, and their column with its id. */
export const WATCHED = { nodes: 'id', assignments: 'node_id', node_certificates: 'node_id' }

/** How a database tells. */
export type WriteSource = {
  /** From when it resolves each write of this process is told before anybody else reads; of what is undone, too. */
  watch(tell: (nodeId: string) => void): Promise<void>
  /** Another one when another process has committed something. */
  foreign(): unknown
  /** Something was written that is not told yet. */
  isPending(): boolean
}
/** `all`: another process wrote, or nobody asked before. */
export type ChangedNodes = { all: true } | { all: false; ids: string[] }
export type NodeWrites = ReturnType<typeof createNodeWrites>

export function createNodeWrites(source: WriteSource) {
  const told: ((nodeId: string) => void)[] = []
  let count = 0
  let isWatched = false
  let version: unknown
  let isOfThisTurn = false
  /** Looked at once in a turn of the loop: who asks in it was there before. */
  const foreign = (): unknown => {
    if (isOfThisTurn) return version
    isOfThisTurn = true
    setImmediate(() => {
      isOfThisTurn = false
    })
    version = source.foreign()
    return version
  }
  return {
    /** From now on all that is written is told. */
    async watch(): Promise<void> {
      await source.watch((nodeId) => {
        count++
        for (const tell of told) tell(nodeId)
      })
      isWatched = true
    },
    isWatched: () => isWatched,
    /** Of this process, whether it was committed or not. */
    count: () => count,
    foreign,
    isPending: source.isPending,
    /** Before it is committed, or before who waits for the commit reads. */
    onWrite: (tell: (nodeId: string) => void) => void told.push(tell),
    /** Of which nodes something was written since it was asked last. */
    taker(): () => ChangedNodes {
      const ids = new Set<string>()
      told.push((nodeId) => ids.add(nodeId))
      let seen: { version: unknown } | null = null
      return () => {
        const before = seen
        seen = { version: source.foreign() }
        const changed = [...ids]
        ids.clear()
        return before?.version === seen.version ? { all: false, ids: changed } : { all: true }
      }
    },
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
    // Who reads waits until it is told.
    return this.#writes.isPending() ? undefined : this.#kept.get(nodeId)
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
