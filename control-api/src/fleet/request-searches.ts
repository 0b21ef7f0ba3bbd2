// SPDX-License-Identifier: MIT
// What people search for among the requests of nodes, for a while: each node is told the filters, and says each second
// what it found. In memory: nothing of it is kept. Bounded in every direction: searches, nodes, requests a second, and
// requests that wait for whoever asks.
import { performance } from 'node:perf_hooks'
import type { RequestFound, RequestSearch, SamplesRequest } from '../agent-protocol/messages.gen.ts'
import { HeavyHitters } from '../base/heavy-hitters.ts'
import { newId } from '../base/ids.ts'
import { WeightedTimes } from '../base/weighted-times.ts'
import { placeRequest } from '../metrics-store/windows.ts'

/** Of everybody. */
export const MOST_SEARCHES = 12
/** Who begins one more ends their oldest: nobody is kept out by tabs of their own. */
const MOST_OF_ONE = 3
/** Of one search; of more some are chosen by chance. */
export const MOST_NODES = 50
/** Of all searches together: each says something every second. */
const MOST_NODES_TOGETHER = 100
/** The protocol's. */
const MOST_OF_NODE = 4
/** Of one search, from all its nodes. */
export const MOST_PER_SECOND = 250
const MOST_PER_SECOND_OF_NODE = 50
/** The newest; who asks each second misses none. */
const KEPT_REQUESTS = 2_000
/** After the last question. */
const UNASKED_MS = 15_000
/** What was found can be read for so long after the end. */
const KEPT_MS = 300_000
/** A node that was told and says nothing for so long is told again. */
const TELL_AGAIN_MS = 3_000
/** Of each kind; the ten that come most often are shown. */
const COUNTED_KEYS = 500
/** More than any node serves between two messages: one that claims more would outweigh all others. */
const MOST_MATCHED = 10_000_000

export type Filter = RequestSearch['filter']
export type FoundRequest = {
  number: number
  nodeId: string
  request: Omit<RequestFound, 'startedUs'> & { startedAtUs: number }
}
type SearchedNode = { name: string; toldMs: number; heardMs: number }
type SearchOrder = {
  owner: string
  filter: Filter
  tellsClients: boolean
  nodes: readonly { id: string; name: string }[]
  forMs: number
}
export type Search = Omit<SearchOrder, 'nodes' | 'forMs'> & {
  readonly id: string
  nodes: Map<string, SearchedNode>
  /** Chosen, but they are searched for others already. */
  nodesBusy: number
  mostOfNode: number
  endsMs: number
  isOver: boolean
  end: NodeJS.Timeout
  unasked: NodeJS.Timeout
  /** Requests that the nodes looked at, that the filter is for, and that they sent. */
  seen: number
  matched: number
  received: number
  found: FoundRequest[]
  paths: HeavyHitters
  clients: HeavyHitters
  times: WeightedTimes
}

export class RequestSearches {
  readonly #searches = new Map<string, Search>()
  readonly #ofNode = new Map<string, Set<Search>>()
  readonly #owed = new Set<string>()
  readonly #wake: (nodeId: string) => void
  readonly #monotonicMs: () => number
  #lastNumber = 0

  constructor(wake: (nodeId: string) => void, monotonicMs = () => performance.now()) {
    this.#wake = wake
    this.#monotonicMs = monotonicMs
  }

  /** 'full': as many search as may. */
  begin({ nodes, forMs, ...order }: SearchOrder): Search | 'full' {
    const surplus = this.#surplusOf(order.owner)
    const others = [...this.#searches.values()].filter((one) => !one.isOver && !surplus.has(one))
    if (others.length >= MOST_SEARCHES) return 'full'
    for (const one of surplus) this.#forget(one)
    const chosen = this.#withRoom(nodes.slice(0, MOST_NODES))
    const never = Number.NEGATIVE_INFINITY
    const search: Search = {
      ...order,
      id: newId('search'),
      nodes: new Map(chosen.map(({ id, name }) => [id, { name, toldMs: never, heardMs: never }])),
      nodesBusy: Math.min(nodes.length, MOST_NODES) - chosen.length,
      mostOfNode: Math.min(
        MOST_PER_SECOND_OF_NODE,
        Math.max(1, Math.floor(MOST_PER_SECOND / Math.max(1, chosen.length))),
      ),
      endsMs: this.#monotonicMs() + forMs,
      isOver: false,
      end: setTimeout(() => this.end(search), forMs).unref(),
      unasked: setTimeout(() => this.end(search), UNASKED_MS).unref(),
      ...{ seen: 0, matched: 0, received: 0, found: [] },
      paths: new HeavyHitters(COUNTED_KEYS),
      clients: new HeavyHitters(COUNTED_KEYS),
      times: new WeightedTimes(),
    }
    this.#searches.set(search.id, search)
    for (const nodeId of search.nodes.keys()) {
      this.#ofNode.set(nodeId, (this.#ofNode.get(nodeId) ?? new Set()).add(search))
    }
    this.#tellSilent(search)
    return search
  }

  /** One's own; somebody asks for it now. */
  ask(id: string, owner: string): Search | undefined {
    const search = this.#searches.get(id)
    if (search?.owner !== owner) return undefined
    if (search.isOver) return search
    search.unasked.refresh()
    this.#tellSilent(search)
    return search
  }

  isLive(search: Search, nodeId: string): boolean {
    const heardMs = search.nodes.get(nodeId)?.heardMs ?? Number.NEGATIVE_INFINITY
    return !search.isOver && this.#monotonicMs() - heardMs < TELL_AGAIN_MS
  }

  leftMs = ({ isOver, endsMs }: Search): number =>
    isOver ? 0 : Math.max(0, Math.round(endsMs - this.#monotonicMs()))

  /** What it found stays for a while. */
  end(search: Search): void {
    if (search.isOver) return
    clearTimeout(search.end)
    clearTimeout(search.unasked)
    search.isOver = true
    search.end = setTimeout(() => this.#searches.delete(search.id), KEPT_MS).unref()
    for (const nodeId of search.nodes.keys()) {
      const others = this.#ofNode.get(nodeId)
      others?.delete(search)
      if (others?.size === 0) this.#ofNode.delete(nodeId)
    }
  }

  /** Whether the node is to be told. Asked at every poll of every node. */
  takeOwed(nodeId: string): boolean {
    return this.#owed.size > 0 && this.#owed.delete(nodeId)
  }

  /** All that is searched for there, as it is told. */
  of(nodeId: string): RequestSearch[] {
    const nowMs = this.#monotonicMs()
    return [...(this.#ofNode.get(nodeId) ?? [])].map((search) => {
      const node = search.nodes.get(nodeId)
      if (node) node.toldMs = nowMs
      const { id, mostOfNode: most, tellsClients, filter } = search
      return { id, forMs: this.leftMs(search), most, tellsClients, filter }
    })
  }

  heard(
    nodeId: string,
    { searches = [], uptimeUs }: Pick<SamplesRequest, 'searches' | 'uptimeUs'>,
    receivedAtMs: number,
  ): void {
    for (const { id, seen, matched, requests } of searches) {
      const search = this.#searches.get(id)
      const node = search?.nodes.get(nodeId)
      if (!search || !node || search.isOver) continue
      node.heardMs = this.#monotonicMs()
      // What the node was not asked for it is not believed.
      const some = requests.slice(0, search.mostOfNode)
      const all = Math.min(Math.max(matched, some.length), MOST_MATCHED)
      search.seen += Math.max(seen, all)
      search.matched += all
      search.received += some.length
      for (const one of some) {
        const { client, ...rest } = one
        const told = search.tellsClients && client !== undefined ? { ...rest, client } : rest
        this.#keep(search, nodeId, placeRequest<RequestFound>(told, uptimeUs, receivedAtMs))
        count(search, told, all / some.length)
      }
    }
  }

  #keep({ found }: Search, nodeId: string, request: FoundRequest['request']): void {
    found.push({ number: ++this.#lastNumber, nodeId, request })
    if (found.length > KEPT_REQUESTS) found.splice(0, found.length - KEPT_REQUESTS)
  }

  #withRoom<Node extends { id: string }>(nodes: readonly Node[]): Node[] {
    let together = this.#ofNode.size
    return nodes.filter(({ id }) => {
      const searches = this.#ofNode.get(id)
      if (searches) return searches.size < MOST_OF_NODE
      return together < MOST_NODES_TOGETHER && ++together > 0
    })
  }

  /** What of theirs goes when they begin one more. */
  #surplusOf(owner: string): Set<Search> {
    const own = [...this.#searches.values()].filter((search) => search.owner === owner)
    return new Set(own.slice(0, Math.max(0, own.length - MOST_OF_ONE + 1)))
  }

  #forget(search: Search): void {
    this.end(search)
    clearTimeout(search.end)
    this.#searches.delete(search.id)
  }

  #tellSilent(search: Search): void {
    const nowMs = this.#monotonicMs()
    for (const [nodeId, node] of search.nodes) {
      const isSilent = nowMs - Math.max(node.heardMs, node.toldMs) >= TELL_AGAIN_MS
      if (!isSilent || this.#owed.has(nodeId)) continue
      this.#owed.add(nodeId)
      this.#wake(nodeId)
    }
  }
}

/** It stands for as many as its node found for each that it sent. */
function count(search: Search, request: Omit<RequestFound, 'startedUs'>, weight: number): void {
  const { path, host, client, reason, stageSeconds } = request
  search.paths.add(search.filter.site === undefined ? `${host}${path}` : path, weight)
  if (client !== undefined) search.clients.add(client, weight)
  // One that was given up ended when its client wished.
  if (reason === null && stageSeconds.total !== undefined) {
    search.times.add(stageSeconds.total, weight)
  }
}
