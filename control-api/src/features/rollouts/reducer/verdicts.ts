// SPDX-License-Identifier: MIT
// What evidence says of a wave. Pure; gates/ gathers it. What follows for the rollout is decided at once; that its nodes show it
// is noted for some with each event, as they are by then. Who is settled before that is settled as if they showed it.
import * as because from './because.ts'
import { react } from './endings.ts'
import {
  type Evaluated,
  isHeldByGate,
  isTerminal,
  type Marking,
  type Rollout,
  type Task,
} from './model.ts'
import { which, whichOfWave } from './places.ts'
import { mayOneMore, put, type Reduction, setProgress } from './reduction.ts'
import { failsGate, isWatched, markedFailed, passed } from './task-states.ts'

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
    // An earlier pass is not the newest any more: who held it by hand resumes to be judged anew.
    setProgress(reduction, { marking: { verdict, wave }, ...(isOfNow && { verdict: null }) })
    react(reduction, onFail, 'gate_failed', {
      cause: 'gate',
      finding: { text: message, silent: silent ?? null },
    })
    markMore(reduction)
    return
  }
  if (!isOfNow) return
  setProgress(reduction, { verdict: { verdict, message, ...(silent && { silent }) } })
  // What it was held for stays, until somebody has it watched anew.
  if (verdict !== 'pass' || isHeldByGate(progress)) return
  setProgress(reduction, { marking: { verdict, wave } })
  markMore(reduction)
}

/** The next of those whom an event before did not come to. Who goes back, or has ended, is not marked: they are settled. */
export function markMore(reduction: Reduction): void {
  const { marking, ...progress } = reduction.rollout.progress
  if (!marking || isTerminal(reduction.rollout.state) || progress.goesBack !== null) return
  for (const task of yetToBeMarked(reduction.rollout, marking)) {
    if (!mayOneMore(reduction)) return
    put(reduction, task, marking.verdict === 'fail' ? markedFailed(task) : passed(task))
  }
  reduction.rollout = { ...reduction.rollout, progress }
}

const yetToBeMarked = ({ tasks }: Rollout, { verdict, wave }: Marking) =>
  verdict === 'fail' ? whichOfWave(tasks, wave, isUnmarked) : which(tasks, failsGate)

const isUnmarked = (task: Task) => isWatched(task) && !failsGate(task)
