// SPDX-License-Identifier: MIT
// How far nodes are with fetching a release, as their reports say it. What counts is that it goes on: so it is kept in
// memory, and the rollouts are told of many nodes at once, of each only now and then.
import type { Fetching } from '../agent-protocol/messages.gen.ts'
import { inSlices, nextTurn } from '../base/slices.ts'
import type { Fetched } from '../fleet/agent-ports.ts'

/** Of as many nodes a transaction tells. */
const AT_ONCE = 200
/** Between two lots. */
const EVERY_MS = 1_000
/** Of one node, at most each so often: of a large farm 500 nodes a second, and far within the time that a node has for more. */
const AGAIN_MS = { least: 4_000, perNode: 2, most: 20_000 }
/** Who says nothing for so long does not fetch any more. */
const FORGOTTEN_MS = 600_000

type Known = { said: Fetching; heardAtMs: number; toldAtMs: number | null }
type Deps = {
  /** In one transaction. */
  tell: (nodes: readonly Fetched[]) => Promise<void>
  /** What was not told comes again with the node's next report. */
  onError: (error: unknown) => void
  monotonicMs?: () => number
}

export function watchFetching({ tell, onError, monotonicMs = () => performance.now() }: Deps) {
  /** Of those that fetch now; who was heard last comes last. */
  const known = new Map<string, Known>()
  const untold = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let work: Promise<void> | null = null
  let isClosed = false

  const againMs = () =>
    Math.min(AGAIN_MS.most, Math.max(AGAIN_MS.least, known.size * AGAIN_MS.perNode))

  function forgetSilent(nowMs: number): void {
    for (const [nodeId, { heardAtMs }] of known) {
      if (nowMs - heardAtMs < FORGOTTEN_MS) return
      known.delete(nodeId)
    }
  }

  async function tellAll(): Promise<void> {
    const due = [...untold]
    untold.clear()
    forgetSilent(monotonicMs())
    for (const nodeIds of inSlices(due, AT_ONCE)) {
      const nodes = nodeIds.flatMap((nodeId) => {
        const one = known.get(nodeId)
        if (!one) return []
        one.toldAtMs = monotonicMs()
        return [{ nodeId, files: one.said.files, filesDone: one.said.filesDone }]
      })
      try {
        if (nodes.length > 0) await tell(nodes)
      } catch (error) {
        for (const { nodeId } of nodes) {
          const one = known.get(nodeId)
          if (one) one.toldAtMs = null
        }
        onError(error)
      }
      await nextTurn()
    }
  }

  /** The first at once; who is heard meanwhile with the next lot. */
  function begin(): void {
    if (work !== null || timer !== null || isClosed || untold.size === 0) return
    work = tellAll().finally(() => {
      work = null
      timer = setTimeout(() => {
        timer = null
        begin()
      }, EVERY_MS)
      timer.unref()
    })
  }

  return {
    /** What a node's report says of it; undefined: it fetches nothing. */
    heard(nodeId: string, said: Fetching | undefined): void {
      const before = known.get(nodeId)
      known.delete(nodeId)
      if (said === undefined) {
        untold.delete(nodeId)
        return
      }
      const nowMs = monotonicMs()
      const isOther = before?.said.manifestSha256 !== said.manifestSha256
      const toldAtMs = isOther ? null : (before?.toldAtMs ?? null)
      known.set(nodeId, { said, heardAtMs: nowMs, toldAtMs })
      if (!isOther && !hasComeFurther(before.said, said)) return
      if (toldAtMs === null || nowMs - toldAtMs >= againMs()) untold.add(nodeId)
      begin()
    },
    /** It waits for a neighbour that comes further: its time does not run out meanwhile. */
    waits(nodeId: string): void {
      const one = known.get(nodeId)
      if (!one) return
      if (one.toldAtMs === null || monotonicMs() - one.toldAtMs >= againMs()) untold.add(nodeId)
      begin()
    },
    async close(): Promise<void> {
      isClosed = true
      await work
    },
  }
}

const hasComeFurther = (before: Fetching, { filesDone, bytesDone }: Fetching) =>
  filesDone > before.filesDone || bytesDone > before.bytesDone
