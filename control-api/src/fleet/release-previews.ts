// SPDX-License-Identifier: MIT
// Versions of releases that nodes show under names of their own (decision 0192), and which nodes say that they were told.
// What there is stands in the database; here is what polls ask for.
import type { ReleasePreview, ReleaseVersion } from '../agent-protocol/messages.gen.ts'

export type ShownPreview = {
  id: string
  nodeId: string
  version: ReleaseVersion
  host: string
  keySha256: string
  endsAtMs: number
}

const NONE: readonly ShownPreview[] = []

type Deps = {
  now: () => number
  /** Ends its long poll. */
  wake: (nodeId: string) => void
}

export class ReleasePreviews {
  #byNode: ReadonlyMap<string, readonly ShownPreview[]> = new Map()
  /** By node that can show some: which it said last. */
  readonly #said = new Map<string, ReadonlySet<string>>()
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** These are all there are; whom it concerns is told. */
  set(all: readonly ShownPreview[]): void {
    const before = this.#byNode
    this.#byNode = Map.groupBy(all, ({ nodeId }) => nodeId)
    for (const nodeId of new Set([...before.keys(), ...this.#byNode.keys()])) {
      if (idsOf(before.get(nodeId)) !== idsOf(this.#byNode.get(nodeId))) this.#deps.wake(nodeId)
    }
  }

  /** What the node has to hold for them. */
  versionsFor(nodeId: string): readonly ReleaseVersion[] {
    return this.#standing(nodeId).map(({ version }) => version)
  }

  /** undefined: it cannot show any. */
  heard(nodeId: string, ids: readonly string[] | undefined): void {
    if (ids === undefined) this.#said.delete(nodeId)
    else this.#said.set(nodeId, new Set(ids))
  }

  /** Its process has to be told anew. */
  restarted(nodeId: string): void {
    if (this.#said.has(nodeId)) this.#said.set(nodeId, new Set())
  }

  /** The node is gone. */
  forget(nodeId: string): void {
    this.#said.delete(nodeId)
  }

  /** null: it cannot show any, or has not been heard since the start. */
  knows(nodeId: string, id: string): boolean | null {
    return this.#said.get(nodeId)?.has(id) ?? null
  }

  /** All of them, when the node names others; null: it has them. */
  newsFor(nodeId: string, said: readonly string[]): ReleasePreview[] | null {
    const standing = this.#standing(nodeId)
    const named = new Set(said)
    if (named.size === standing.length && standing.every(({ id }) => named.has(id))) return null
    const nowMs = this.#deps.now()
    return standing.map(({ id, version, host, keySha256, endsAtMs }) => ({
      ...{ id, name: version.name, manifestSha256: version.manifestSha256, host, keySha256 },
      endsInMs: endsAtMs - nowMs,
    }))
  }

  #standing(nodeId: string): readonly ShownPreview[] {
    const own = this.#byNode.get(nodeId)
    if (own === undefined) return NONE
    const nowMs = this.#deps.now()
    return own.filter(({ endsAtMs }) => endsAtMs > nowMs)
  }
}

const idsOf = (previews: readonly ShownPreview[] = NONE) =>
  previews
    .map(({ id }) => id)
    .toSorted()
    .join()
