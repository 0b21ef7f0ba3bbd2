// SPDX-License-Identifier: MIT
// What was found out lately, bounded by number and by bytes: what was asked for least lately goes first.

type Bounds = { most?: number; mostBytes?: number }

export class Kept<V> {
  readonly #bounds: Required<Bounds>
  /** The one that was asked for last is the last. */
  readonly #kept = new Map<string, { value: V; bytes: number }>()
  #bytes = 0

  constructor({ most = Number.POSITIVE_INFINITY, mostBytes = Number.POSITIVE_INFINITY }: Bounds) {
    this.#bounds = { most, mostBytes }
  }

  get(key: string): V | undefined {
    const entry = this.#kept.get(key)
    if (!entry) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, entry)
    return entry.value
  }

  set(key: string, value: V, bytes = 0): void {
    this.delete(key)
    this.#kept.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#bounds.most && this.#bytes <= this.#bounds.mostBytes) break
      this.delete(oldest)
    }
  }

  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
  }

  delete(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}

/** To be called when there are too many only: to find the first, a map steps over all that were taken out before it. */
export function deleteOldest<K>(map: Map<K, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
