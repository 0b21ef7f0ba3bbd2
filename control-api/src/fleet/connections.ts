// SPDX-License-Identifier: MIT
// Who is connected now, and who came or went since somebody looked last: so that nobody has to ask of ten thousand nodes to
// learn of a few.

/** Came and went: more than a large farm has nodes. */
const MOST_KEPT = 20_000

/** For who only looks. */
export type Connected = Pick<Connections, 'has' | 'mark' | 'changedSince'>

export class Connections {
  readonly #ids: Set<string>
  /** In their order, without those that are forgotten. */
  #changed: string[] = []
  #forgotten = 0

  constructor(ids: Iterable<string> = []) {
    this.#ids = new Set(ids)
  }

  has = (nodeId: string): boolean => this.#ids.has(nodeId)

  get size(): number {
    return this.#ids.size
  }

  add(nodeId: string): void {
    if (this.#ids.has(nodeId)) return
    this.#ids.add(nodeId)
    this.#note(nodeId)
  }

  delete(nodeId: string): void {
    if (this.#ids.delete(nodeId)) this.#note(nodeId)
  }

  clear(): void {
    for (const nodeId of [...this.#ids]) this.delete(nodeId)
  }

  /** Stands for what is so now. */
  get mark(): number {
    return this.#forgotten + this.#changed.length
  }

  /** Some perhaps more than once. null: that is too long ago to be known. */
  changedSince(mark: number): readonly string[] | null {
    return mark < this.#forgotten ? null : this.#changed.slice(mark - this.#forgotten)
  }

  #note(nodeId: string): void {
    this.#changed.push(nodeId)
    if (this.#changed.length <= MOST_KEPT) return
    const gone = this.#changed.length / 2
    this.#forgotten += Math.floor(gone)
    this.#changed = this.#changed.slice(Math.floor(gone))
  }
}
