// SPDX-License-Identifier: MIT
// What of a rollout ends by time, and how much of it is left. Pure.
import type { Progress, Rollout } from './reducer/model.ts'
import { isProgressSuspended } from './reducer/time.ts'
import type { Reason } from './shapes/reason.ts'
import type { RolloutTimer } from './shapes/timer-schema.ts'

type Known = Pick<Rollout, 'state' | 'policy' | 'reason'> & {
  progress: Progress
  startAtMs: number | null
  /** When the next change window opens; null: it need not be waited for. */
  opensAtMs: number | null
  /** The one of its nodes whose time is over first; null: none is awaited. */
  node: { nodeId: string; nodeName: string; state: string; leftMs: number } | null
  nowMs: number
}

export function timersOf(rollout: Known): RolloutTimer[] {
  const timers = [...beforeStart(rollout), ...ofWindow(rollout), ...ofNode(rollout)]
  if (rollout.progress.goesBack !== null) return timers
  return [...timers, ...ofFiles(rollout), ...ofSoak(rollout), ...ofProgress(rollout)]
}

const timer = (kind: RolloutTimer['kind'], leftMs: number, isRunning = true): RolloutTimer => ({
  kind,
  leftSeconds: Math.max(0, leftMs) / 1000,
  isRunning,
  node: null,
})

function beforeStart({ state, reason, startAtMs, nowMs }: Known): RolloutTimer[] {
  const untilMs = approvedUntilMs(reason)
  if (untilMs !== null) return [timer('approval', untilMs - nowMs)]
  return state === 'scheduled' && startAtMs !== null ? [timer('start', startAtMs - nowMs)] : []
}

const approvedUntilMs = (reason: Reason): number | null =>
  reason.code === 'awaiting_approval' ? Date.parse(reason.until) : null

const ofWindow = ({ opensAtMs, nowMs }: Known): RolloutTimer[] =>
  opensAtMs === null ? [] : [timer('window', opensAtMs - nowMs)]

function ofNode({ node }: Known): RolloutTimer[] {
  if (node === null) return []
  const { leftMs, ...of } = node
  return [{ ...timer('node', leftMs), node: of as RolloutTimer['node'] }]
}

function ofFiles({ state, policy, progress }: Known): RolloutTimer[] {
  const { phase, files, hold } = progress
  if (phase !== 'files' || hold !== null || policy.filesFirstMs === undefined) return []
  const leftMs = policy.filesFirstMs - (files?.stillMs ?? 0)
  return [timer('files', leftMs, state === 'running' && !files?.unheardMs)]
}

function ofSoak({ state, policy, progress }: Known): RolloutTimer[] {
  const { phase, soakedMs, hold } = progress
  if (phase !== 'soaking' || hold !== null) return []
  const isRunning = state === 'running'
  if (soakedMs < policy.soakMs) return [timer('soak', policy.soakMs - soakedMs, isRunning)]
  if (policy.gates.length === 0) return []
  return [timer('evidence', policy.maxSoakMs - soakedMs, isRunning)]
}

function ofProgress({ state, progress }: Known): RolloutTimer[] {
  const { progressLeftMs } = progress
  if (progressLeftMs === null || (state !== 'running' && state !== 'paused')) return []
  return [timer('progress', progressLeftMs, !isProgressSuspended(progress))]
}
