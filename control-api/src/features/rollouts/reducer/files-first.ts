// SPDX-License-Identifier: MIT
// The step before the first wave: the files of a release that is new go to all nodes, so that whoever gets its new page from
// one of them finds what belongs to it at any other (decision 0176). Nodes that refuse, are away or cannot hold files ahead
// are counted, and not waited for. Pure.
import * as because from './because.ts'
import type { FilesFirst, FilesNow, Rollout, Task } from './model.ts'
import { RECONCILIATION_GRACE_MS } from './model.ts'
import { which } from './places.ts'
import { type Reduction, setProgress, stay } from './reduction.ts'

/** How far a node is; null: it cannot hold files of what it does not run. */
export type FilesOf = (nodeId: string) => OfNode | null
type OfNode = {
  state: 'fetching' | 'held' | 'refused'
  error: { code: string; message: string } | null
  /** Grows when it comes further. */
  steps: number
}

const MOST_REFUSALS = 10

export function countFiles(tasks: readonly Task[], filesOf: FilesOf): FilesNow {
  const waiting: Task[] = []
  const refused: { task: Task; error: OfNode['error'] }[] = []
  const now = { heldNodes: 0, otherNodes: 0, steps: 0 }
  for (const task of which(tasks, isPending)) {
    const of = task.isConnected ? filesOf(task.nodeId) : null
    now.steps += of?.steps ?? 0
    if (of === null) now.otherNodes++
    else if (of.state === 'held') now.heldNodes++
    else if (of.state === 'refused') refused.push({ task, error: of.error })
    else waiting.push(task)
  }
  const refusals = refused.slice(0, MOST_REFUSALS).map(({ task, error }) => ({
    node: because.nodeOf(task),
    errorCode: error?.code ?? '',
    message: error?.message ?? '',
  }))
  return { ...now, refusedNodes: refused.length, refusals, waiting: because.nodesOf(waiting) }
}

const isPending = ({ state }: Task) => state === 'pending'

const UNKNOWN: FilesFirst = { now: null, stillMs: 0, unheardMs: 0 }

const filesIn = ({ rollout: { progress } }: Reduction): FilesFirst => progress.files ?? UNKNOWN

/** False: it waits; true: the first wave is next. */
export function awaitFiles(reduction: Reduction): boolean {
  setProgress(reduction, { files: asOfNow(filesIn(reduction), reduction.rollout) })
  if (!isOver(reduction)) return stay(reduction, 'running', because.filesFirst(reduction.rollout))
  goOnWithoutFiles(reduction)
  return true
}

function asOfNow(before: FilesFirst, { filesNow }: Rollout): FilesFirst {
  if (!filesNow) return before
  const isFurther = filesNow.steps !== before.now?.steps
  return { ...before, now: filesNow, ...(isFurther && { stillMs: 0 }) }
}

function isOver(reduction: Reduction): boolean {
  const { now, stillMs, unheardMs } = filesIn(reduction)
  if (unheardMs > 0) return false
  const isNobodyWaitedFor = now !== null && now.waiting.nodes.length === 0
  return isNobodyWaitedFor || stillMs >= (reduction.rollout.policy.filesFirstMs ?? 0)
}

/** A change window may have closed meanwhile: who begins a wave looks. */
export function goOnWithoutFiles(reduction: Reduction): void {
  const [from, to] = ['files', 'wave-0']
  reduction.transitions.push({ nodeId: null, from, to, cause: reduction.cause, isWave: true })
  setProgress(reduction, { phase: 'waiting' })
}

export function filesStandStill(reduction: Reduction, ms: number): void {
  const files = filesIn(reduction)
  const { stillMs, unheardMs } = files
  const passed =
    unheardMs > 0 ? { unheardMs: Math.max(0, unheardMs - ms) } : { stillMs: stillMs + ms }
  setProgress(reduction, { files: { ...files, ...passed } })
}

/** After a start nobody is there until they speak. */
export function filesAnew(reduction: Reduction): void {
  const unheardMs = RECONCILIATION_GRACE_MS
  setProgress(reduction, { files: { ...filesIn(reduction), stillMs: 0, unheardMs } })
}
