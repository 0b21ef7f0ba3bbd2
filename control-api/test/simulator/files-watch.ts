// SPDX-License-Identifier: MIT
// R4: where files go first, nobody is given the new documents before each node that is there and can hold them does, refused
// them, or none came further for as long as the order says; or somebody skips it. By what is on the nodes' disks.
import {
  RECONCILIATION_GRACE_MS,
  type Rollout,
  type RolloutEvent,
} from '../../src/features/rollouts/reducer/model.ts'
import type { AheadSaid } from './messages.ts'
import type { SimNode } from './node.ts'
import { contentsOf } from './release-files.ts'

/** Time passes in ticks, the first of which began before. */
const TICK_MS = 10_000

export class FilesWatch {
  readonly #nodes: ReadonlyMap<string, SimNode[]>
  /** When each said last that it came further; of those that said anything since the control plane started. */
  readonly #furtherMs = new Map<string, number>()
  /** By node: what it said last that it refuses; that word may have been under way for long. */
  readonly #refused = new Map<string, ReadonlySet<string>>()
  /** By node: what it said last that it holds. */
  readonly #held = new Map<string, ReadonlySet<string>>()
  readonly #begunMs = new Map<string, number>()
  readonly #isOver = new Set<string>()
  #startedMs = 0

  constructor(nodes: ReadonlyMap<string, SimNode[]>) {
    this.#nodes = nodes
  }

  onStart(nowMs: number): void {
    this.#furtherMs.clear()
    this.#startedMs = nowMs
  }

  /** undefined: it cannot. */
  onHeard(nodeId: string, said: AheadSaid | undefined, nowMs: number): void {
    const saidOf = (wanted: string) =>
      new Set(said?.filter(({ state }) => state === wanted).map(({ digest }) => digest))
    this.#refused.set(nodeId, saidOf('refused'))
    this.#held.set(nodeId, saidOf('held'))
    if (said === undefined) this.#furtherMs.delete(nodeId)
    else if (!this.#furtherMs.has(nodeId)) this.#furtherMs.set(nodeId, nowMs)
  }

  onFurther(nodeId: string, nowMs: number): void {
    this.#furtherMs.set(nodeId, nowMs)
  }

  /** null: it may be. */
  whyNot(
    id: string,
    before: Rollout,
    event: RolloutEvent,
    { after, offers, nowMs }: { after: Rollout; offers: number; nowMs: number },
  ): string | null {
    if (before.policy.filesFirstMs === undefined) return null
    if (event.kind === 'started') this.#begunMs.set(id, nowMs)
    const isAtIt = before.progress.phase === 'files'
    if (isAtIt && after.progress.phase !== 'files') {
      this.#isOver.add(id)
      const early = event.kind === 'skip-gate' ? null : this.#whyEarly(id, before, nowMs)
      if (early !== null) return early
    }
    return offers > 0 && !this.#isOver.has(id) ? 'offers before its files were sent' : null
  }

  #whyEarly(id: string, { tasks, policy }: Rollout, nowMs: number): string | null {
    const isBehindStart = (this.#begunMs.get(id) ?? 0) < this.#startedMs
    if (isBehindStart && nowMs - this.#startedMs < RECONCILIATION_GRACE_MS - TICK_MS)
      return 'begins its first wave before nodes have been heard'
    const own = tasks.filter(
      ({ state, nodeId }) => state === 'pending' && this.#furtherMs.has(nodeId),
    )
    const lacking = own.find(({ nodeId, digest, isConnected }) => {
      const [node, clone] = this.#nodes.get(nodeId) ?? []
      return isConnected && node && !clone && !this.#isSettled(node, digest)
    })
    if (!lacking) return null
    const lastMs = Math.max(
      this.#begunMs.get(id) ?? 0,
      this.#startedMs,
      ...own.map(({ nodeId }) => this.#furtherMs.get(nodeId) ?? 0),
    )
    const isStill = nowMs - lastMs >= (policy.filesFirstMs ?? 0) - TICK_MS
    return isStill ? null : `begins its first wave, and ${lacking.nodeId} has not its files yet`
  }

  #isSettled({ id, disk, ahead = [] }: SimNode, digest: string): boolean {
    const isRefused = this.#refused.get(id)?.has(digest) ?? false
    // It held them, began anew, and was not told again yet to keep them: nobody can know that it did not.
    const isUntold = !ahead.some((one) => one.digest === digest)
    if (isUntold && this.#held.get(id)?.has(digest)) return true
    return isRefused || contentsOf(digest).length === 0 || disk.trees.has(digest)
  }
}
