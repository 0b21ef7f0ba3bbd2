// SPDX-License-Identifier: MIT
// Something was written of a node: told with each write, so that what was read of it need not be read again for each of its
// messages. The database says so by triggers, so nobody who writes has to think of it.

/** The columns of `nodes` by which who speaks is judged: most of what is written of a node changes none of them. */
export const SPEAKS_BY = [
  ...(['id', 'name', 'incarnation', 'past_incarnations', 'clone', 'effective'] as const),
  ...(['drift', 'ca_bundle', 'credential_digest', 'labels', 'decommissioned_at_ms'] as const),
] as const

/** The tables by which a node is judged, and their column with its id. */
export const WATCHED = {
  nodes: 'id',
  assignments: 'node_id',
  node_certificates: 'node_id',
} as const
/** What was written of a node. speaker: one of the columns that say who speaks has another value now. */
export type Written = keyof typeof WATCHED | 'speaker'
/** `what` null: the database does not tell, so it may be anything. */
type Tell = (nodeId: string, what: Written | null) => void

/** How a database tells. */
export type WriteSource = {
  /** From when it resolves each write of this process is told before anybody else reads; of what is undone, too. */
  watch(tell: Tell): Promise<void>
  /** Another one when another process has committed something. */
  foreign(): unknown
  /** Something was written that is not told yet. */
  isPending(): boolean
}
/** `all`: another process wrote, or nobody asked before. */
export type ChangedNodes = { all: true } | { all: false; ids: string[] }
export type NodeWrites = ReturnType<typeof createNodeWrites>

export function createNodeWrites(source: WriteSource) {
  const told: Tell[] = []
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
      await source.watch((nodeId, what) => {
        for (const tell of told) tell(nodeId, what)
      })
      isWatched = true
    },
    isWatched: () => isWatched,
    foreign,
    isPending: source.isPending,
    /** Before it is committed, or before who waits for the commit reads. */
    onWrite: (tell: Tell) => void told.push(tell),
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

/** What was read of each node, until something is written of that. It is shared by all who ask: nobody changes it. */
export class NodeMemo<Value> {
  readonly #writes: NodeWrites
  readonly #kept = new Map<string, Value>()
  #foreign: unknown = null
  /** Of what it rests on, of any node, whether it was committed or not. */
  #writesSeen = 0

  constructor(writes: NodeWrites, restsOn: Written) {
    this.#writes = writes
    writes.onWrite((nodeId, what) => {
      if (what !== null && what !== restsOn) return
      this.#writesSeen++
      this.#kept.delete(nodeId)
    })
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
    const [seen, foreign] = [this.#writesSeen, this.#foreign]
    const value = await read()
    this.#look()
    const isOfNow = seen === this.#writesSeen && foreign === this.#foreign
    if (isOfNow && this.#writes.isWatched()) this.#kept.set(nodeId(value), value)
    return value
  }
}
