// SPDX-License-Identifier: MIT
// Versions of releases whose files nodes are to hold before they serve them, and how far each node is (decision 0176). In
// memory: what is wanted follows from the rollouts that are under way, and nodes say anew what they hold with each question.
import type { AheadStates, Fetching, ReleaseVersion } from '../agent-protocol/messages.gen.ts'

/** By node. */
export type Wanted = ReadonlyMap<string, readonly ReleaseVersion[]>
export type HeldState = {
  state: AheadStates[number]['state']
  error: { code: string; message: string } | null
  /** Grows when the node comes further. */
  steps: number
}
type Said = {
  states: AheadStates
  steps: number
  /** Of those that it is to hold, which were settled once: who has to begin anew has not come further. */
  settled: ReadonlySet<string>
  /** What it fetches, and the most of it that it had. */
  fetching: Pick<Fetching, 'manifestSha256' | 'bytesDone'>
}

const NOTHING: Said = {
  ...{ states: [], steps: 0, settled: new Set<string>() },
  fetching: { manifestSha256: '', bytesDone: 0 },
}
/** As many as one answer holds. */
const MOST = 8
const NONE: readonly ReleaseVersion[] = []
/** More at once would have all of a large farm ask in the same second: the others do so by themselves, with their next question. */
const WOKEN_AT_ONCE = 200

type Deps = {
  /** Ends its long poll. */
  wake: (nodeId: string) => void
  /** What it shows under names of their own, and has to hold for that. */
  previewed?: (nodeId: string) => readonly ReleaseVersion[]
}

export class ReleasesAhead {
  /** By rollout, the oldest first. null: it is not known yet which there are. */
  #lists: Map<string, Wanted> | null = null
  /** By node, which can hold files ahead: what it said last. */
  readonly #said = new Map<string, Said>()
  readonly #deps: Required<Deps>

  constructor(deps: Deps) {
    this.#deps = { previewed: () => NONE, ...deps }
  }

  knows(rolloutId: string): boolean {
    return this.#lists?.has(rolloutId) ?? false
  }

  /** These are all there are; what is new of it is told. */
  set(lists: ReadonlyMap<string, Wanted>): void {
    const before = this.#lists
    this.#lists = new Map([...lists].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const added = [...lists].filter(([id]) => !before?.has(id)).map(([, wanted]) => wanted)
    const nodeIds = new Set(added.flatMap((wanted) => [...wanted.keys()]))
    for (const nodeId of [...nodeIds].slice(0, WOKEN_AT_ONCE)) this.#deps.wake(nodeId)
  }

  /**
   * All that the node is to hold, by name and number; of more than one answer holds, what it shows by itself and those of the
   * oldest rollouts.
   */
  wantedBy(nodeId: string): readonly ReleaseVersion[] {
    const previewed = this.#deps.previewed(nodeId)
    let wanted = previewed.length > 1 ? together(NONE, previewed) : previewed
    for (const list of this.#lists?.values() ?? []) {
      const own = list.get(nodeId) ?? NONE
      wanted = wanted.length === 0 ? own : together(wanted, own)
    }
    return wanted
  }

  /** undefined: it cannot hold files ahead. */
  heard(nodeId: string, states: AheadStates | undefined): void {
    if (states === undefined) {
      this.#said.delete(nodeId)
      return
    }
    const before = this.#said.get(nodeId) ?? NOTHING
    const now = states.filter(isSettled).map(({ manifestSha256 }) => manifestSha256)
    const isFurther = now.some((manifest) => !before.settled.has(manifest))
    const wanted = this.wantedBy(nodeId)
    const kept = [...before.settled].filter((manifest) => isIn(wanted, manifest))
    const settled = new Set([...kept, ...now])
    this.#said.set(nodeId, { ...before, states, settled, steps: before.steps + Number(isFurther) })
  }

  /** What it held its process has to be told anew. */
  restarted(nodeId: string): void {
    const said = this.#said.get(nodeId)
    if (said) this.#said.set(nodeId, { ...said, states: [] })
  }

  /** Its report says so of one that it is to hold, or to run. */
  fetching(nodeId: string, fetching: Fetching | undefined): void {
    const said = this.#said.get(nodeId)
    if (!said || !fetching) return
    const { manifestSha256, bytesDone } = fetching
    const isOther = manifestSha256 !== said.fetching.manifestSha256
    if (!isOther && bytesDone <= said.fetching.bytesDone) return
    const steps = said.steps + Number(bytesDone > 0)
    this.#said.set(nodeId, { ...said, fetching: { manifestSha256, bytesDone }, steps })
  }

  /** It waits for a neighbour that comes further. */
  waits(nodeId: string): void {
    const said = this.#said.get(nodeId)
    if (said) this.#said.set(nodeId, { ...said, steps: said.steps + 1 })
  }

  /** The node is gone. */
  forget(nodeId: string): void {
    this.#said.delete(nodeId)
  }

  /** The whole list, when it is another than the node names; null: it has it, or nobody knows yet. */
  newsFor(nodeId: string, said: AheadStates): ReleaseVersion[] | null {
    if (this.#lists === null) return null
    const wanted = this.wantedBy(nodeId)
    const named = new Set(said.map(({ manifestSha256 }) => manifestSha256))
    const isSame =
      named.size === wanted.length && wanted.every((one) => named.has(one.manifestSha256))
    return isSame ? null : [...wanted]
  }

  /** How far it is with this one; null: it has not said. */
  stateOfManifest(nodeId: string, manifest: string): AheadStates[number] | null {
    return stateIn(this.#said.get(nodeId)?.states ?? [], manifest) ?? null
  }

  /** How far it is with what that rollout wants of it; null: it cannot. */
  stateOf(rolloutId: string, nodeId: string): HeldState | null {
    const said = this.#said.get(nodeId)
    if (!said) return null
    const own = this.#lists?.get(rolloutId)?.get(nodeId) ?? NONE
    const isAll = this.#lists?.size === 1 && this.#deps.previewed(nodeId).length === 0
    const told = isAll ? own : this.wantedBy(nodeId)
    let state: HeldState['state'] = 'held'
    let error: HeldState['error'] = null
    for (const { manifestSha256 } of own) {
      if (!isIn(told, manifestSha256)) continue
      const one = stateIn(said.states, manifestSha256)
      error ??= one?.error ?? null
      if (one === undefined || one.state === 'fetching') state = 'fetching'
      else if (one.state === 'refused' && state === 'held') state = 'refused'
    }
    return { state, error, steps: said.steps }
  }
}

const isIn = (versions: readonly ReleaseVersion[], manifest: string) =>
  versions.some(({ manifestSha256 }) => manifestSha256 === manifest)

const stateIn = (states: AheadStates, manifest: string) =>
  states.find(({ manifestSha256 }) => manifestSha256 === manifest)

const isSettled = ({ state }: AheadStates[number]) => state !== 'fetching'

function together(
  first: readonly ReleaseVersion[],
  others: readonly ReleaseVersion[],
): readonly ReleaseVersion[] {
  const added = others.filter(({ manifestSha256 }) => !isIn(first, manifestSha256))
  return [...first, ...added].slice(0, MOST).toSorted(byName)
}

const byName = (a: ReleaseVersion, b: ReleaseVersion) =>
  a.name === b.name ? a.number - b.number : a.name < b.name ? -1 : 1
