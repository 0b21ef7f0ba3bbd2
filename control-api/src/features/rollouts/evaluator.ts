// SPDX-License-Identifier: MIT
// Gathers the evidence of rollouts that wait for it, and tells the engine. Measurements are read outside the
// transaction: a verdict carries the wave it is of, and comes again a few seconds later.
import type { Metrics, Sample } from '../../ports.ts'
import { addShares, shareOf } from './bootstrap.ts'
import type { Engine } from './engine.ts'
import { type Group, judgeGates, MAX_GAP_SECONDS, withSilent } from './gates.ts'
import type { Rollout, Task } from './model.ts'
import { gatedRollouts, type Reader } from './store.ts'

type Deps = {
  db: Reader
  now: () => number
  isConnected: (nodeId: string) => boolean
  engine: Pick<Engine, 'evaluated' | 'ill'>
  samplesOf: Metrics['samples']
  /** Of those that were measured in that time. */
  latencySummaries: Metrics['latencySummaries']
}

/** As far back as measurements are at hand. */
const WINDOW_MS = 120_000
/** Of one node: of fewer answers its 5xx say nothing. */
const FEWEST_ANSWERS = 50
const SERVING: readonly Task['state'][] = ['confirmed', 'healthy', 'done']

export function createEvaluator(deps: Deps) {
  const { db, now, isConnected, engine, samplesOf, latencySummaries } = deps
  const samplesSince = (tasks: readonly Task[], sinceMs: number) =>
    samplesOf(
      tasks.map(({ nodeId }) => nodeId),
      sinceMs,
    )

  async function watchNodes(id: string, { tasks, policy }: Rollout): Promise<void> {
    const gate = policy.gates.find(({ metric }) => metric === 'errors5xx')
    const serving = tasks.filter(({ state, offers }) => offers > 0 && SERVING.includes(state))
    if (!gate || serving.length === 0) return
    const samples = samplesSince(tasks, now() - WINDOW_MS)
    const usual = shareOf(errorsOf(samples.filter((sample) => !hasVersion(tasks, sample))))
    for (const { nodeId, nodeName } of serving) {
      const ours = samples.filter((one) => one.nodeId === nodeId && hasVersion(tasks, one))
      const errors = errorsOf(ours)
      const isBad = shareOf(errors) > usual + gate.max && errors.part > 1
      if (errors.whole < FEWEST_ANSWERS || !isBad) continue
      const message = `${errors.part} of ${errors.whole} answers of ${nodeName} are 5xx`
      await engine.ill(id, { nodeId, gate: gate.metric, message })
    }
  }

  async function judge(id: string, { tasks, policy, progress }: Rollout): Promise<void> {
    if (progress.phase !== 'soaking') return
    const inWave = tasks.filter((task) => task.wave === progress.wave && task.state === 'healthy')
    const sinceMs = now() - Math.min(WINDOW_MS, progress.soakedMs)
    const canary = groupOf(samplesSince(inWave, sinceMs), (one) => hasVersion(tasks, one))
    const { gates, minSamples } = policy
    const control = controlOf(tasks, progress.wave, sinceMs)
    const seed = [...id].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, progress.wave)
    const judged = judgeGates({ gates, minSamples, canary, control, seed })
    const { onFail, ...evidence } = withSilent(judged, await silentOf(inWave))
    await engine.evaluated(id, { wave: progress.wave, onFail, evidence })
  }

  async function silentOf(tasks: readonly Task[]): Promise<string[]> {
    const watched = tasks.filter(({ isExcused }) => !isExcused)
    const ids = watched.map(({ nodeId }) => nodeId)
    const measured = await latencySummaries(ids, MAX_GAP_SECONDS)
    return watched.filter(({ nodeId }) => !measured.has(nodeId)).map(({ nodeName }) => nodeName)
  }

  /** Nodes whose turn has not come; when none is left, those of earlier waves, which were compared to such. */
  function controlOf(tasks: readonly Task[], wave: number, sinceMs: number): Group {
    const later = tasks.filter((task) => task.wave > wave && isConnected(task.nodeId))
    const before = groupOf(samplesSince(later, sinceMs), (one) => !hasVersion(tasks, one))
    if (before.nodes > 0) return before
    const earlier = tasks.filter((task) => task.wave < wave && task.state === 'done')
    return groupOf(samplesSince(earlier, sinceMs), (one) => hasVersion(tasks, one))
  }

  return {
    async evaluate(): Promise<void> {
      for (const { row, rollout } of await gatedRollouts(db, isConnected)) {
        await watchNodes(row.id, rollout)
        await judge(row.id, rollout)
      }
    },
  }
}

const hasVersion = (tasks: readonly Task[], sample: Sample): boolean =>
  tasks.some(
    ({ nodeId, generation }) => nodeId === sample.nodeId && generation === sample.generation,
  )

function groupOf(samples: readonly Sample[], isIn: (sample: Sample) => boolean): Group {
  const chosen = samples.filter(isIn)
  return { nodes: new Set(chosen.map(({ nodeId }) => nodeId)).size, samples: chosen }
}

const errorsOf = (samples: readonly Sample[]) =>
  samples
    .map(({ counters }) => ({ part: counters.responses5xx ?? 0, whole: counters.requests ?? 0 }))
    .reduce(addShares, { part: 0, whole: 0 })
