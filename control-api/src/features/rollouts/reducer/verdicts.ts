// SPDX-License-Identifier: MIT
// What evidence says of a wave. Pure; gates/ gathers it.
import * as because from './because.ts'
import { react } from './endings.ts'
import { type Evaluated, isHeldByGate, isTerminal } from './model.ts'
import { passed, put, type Reduction, setProgress } from './reduction.ts'
import { failsGate, GATE_FAILED } from './task-states.ts'

/** Evidence against it counts at any time, evidence for it only once the wave is whole. */
export function takeVerdict(
  reduction: Reduction,
  { wave, verdict, onFail, ...said }: Evaluated,
): void {
  const { state, progress } = reduction.rollout
  if (isTerminal(state) || progress.goesBack !== null) return
  const isOfNow = wave === progress.wave && progress.phase === 'soaking'
  const silent = said.silent && because.nodesOf(said.silent)
  const { message } = said
  if (verdict === 'fail') {
    noteFailedGate(reduction, wave)
    const finding = { text: message, silent: silent ?? null }
    react(reduction, onFail, 'gate_failed', { cause: 'gate', finding })
    return
  }
  if (!isOfNow) return
  setProgress(reduction, { verdict: { verdict, message, ...(silent && { silent }) } })
  // What it was held for stays, until somebody has it watched anew.
  if (verdict === 'pass' && !isHeldByGate(progress)) {
    for (const task of reduction.rollout.tasks.filter(failsGate)) put(reduction, task, passed(task))
  }
}

/** Without numbers: they are of others too, whom not everybody may see. */
function noteFailedGate(reduction: Reduction, wave: number): void {
  const message = 'its wave fails a gate: see the evidence'
  for (const task of reduction.rollout.tasks) {
    const isWatched = task.wave === wave && task.state === 'healthy' && task.offers > 0
    if (isWatched && !failsGate(task)) put(reduction, task, { ...task, code: GATE_FAILED, message })
  }
}
