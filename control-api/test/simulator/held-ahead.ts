// SPDX-License-Identifier: MIT
// What a node of the simulation holds ahead of its turn: told by the control plane, fetched content by content when nothing
// that it is to run is on its way. Known to its process alone; the trees stay on its disk.
import type { Disk } from './disk.ts'
import type { AheadSaid } from './messages.ts'
import { contentsOf, firstMissing } from './release-files.ts'
import type { Chance } from './scheduler.ts'

export const FETCH_MS = [500, 6_000] as const
/** Of so many versions that it is to hold. */
const REFUSED = 0.1

type Deps = {
  disk: Disk
  chance: Chance
  /** An assignment goes before. */
  isBusy: () => boolean
  write: (change: () => void) => void
  later: (least: number, most: number, work: () => void) => void
  /** It has come further. */
  told: () => void
}

export class HeldAhead {
  readonly #deps: Deps
  #states = new Map<string, AheadSaid[number]['state']>()
  #isGoing = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get said(): AheadSaid {
    return [...this.#states].map(([digest, state]) => ({ digest, state }))
  }

  /** These, and no others. */
  hold(digests: readonly string[]): void {
    this.#states = new Map(
      digests.map((digest) => [digest, this.#states.get(digest) ?? this.#begun(digest)]),
    )
    this.#go()
  }

  #begun(digest: string): AheadSaid[number]['state'] {
    const { disk, chance } = this.#deps
    if (disk.trees.has(digest)) return 'held'
    return chance.is(REFUSED) ? 'refused' : 'fetching'
  }

  #go(): void {
    if (this.#isGoing || !this.said.some(({ state }) => state === 'fetching')) return
    this.#isGoing = true
    this.#deps.later(...FETCH_MS, () => {
      this.#isGoing = false
      try {
        if (!this.#deps.isBusy()) this.#fetch()
      } finally {
        this.#go()
      }
    })
  }

  #fetch(): void {
    const { disk, write, told } = this.#deps
    const digest = this.said.find(({ state }) => state === 'fetching')?.digest
    if (digest === undefined) return
    const next = firstMissing(disk.contents, digest)
    if (next !== undefined) {
      write(() => {
        disk.contents = new Map([...disk.contents, [next, true]])
      })
    } else {
      write(() => {
        disk.trees = new Map([...disk.trees, [digest, contentsOf(digest)]])
      })
      this.#states.set(digest, 'held')
    }
    told()
  }
}
