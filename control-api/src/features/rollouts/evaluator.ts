// SPDX-License-Identifier: MIT
// Gathers the evidence of rollouts that wait for it, and tells the engine. Measurements are read outside the
// transaction: a verdict carries the wave it is of, and comes again a few seconds later. Where too little was
// measured and the order says what to fetch, has nodes fetch it.
import type { ProbeOrder } from '../../agents/probe-orders.ts'
import type { Metrics, Sample } from '../../ports.ts'
import { addShares, shareOf } from './bootstrap.ts'
import type { Engine } from './engine.ts'
import { nodesThatProbe } from './fleet-store.ts'
import { type Group, judgeGates, MAX_GAP_SECONDS, withSilent } from './gates.ts'
import type { Rollout, Task } from './model.ts'
import { probedWithinMs, whatToProbe } from './probing.ts'
import { gatedRollouts, type Reader } from './store.ts'

type Deps = {
  db: Reader
  now: () => number
  isConnected: (nodeId: string) => boolean
  engine: Pick<Engine, 'evaluated' | 'ill'>
  samplesOf: Metrics['samples']
  /** Of those that were measured in that time. */
  latencySummaries: Metrics['latencySummaries']
  probe: (nodeId: string, order: ProbeOrder) => void
}
/** Who is compared, and what they did. */
type Side = { tasks: readonly Task[]; group: Group }
/** In time of that wave's soak, which begins anew when it is watched anew. */
type Probed = { wave: number; fromMs: number; untilMs: number }

/** As far back as measurements are at hand. */
const WINDOW_MS = 120_000
/** Of one node: of fewer answers its 5xx say nothing. */
const FEWEST_ANSWERS = 50
const SERVING: readonly Task['state'][] = ['confirmed', 'healthy', 'done']

export function createEvaluator(deps: Deps) {
  const { db, now, isConnected, engine, samplesOf, latencySummaries, probe } = deps
  /** By rollout: what nodes were asked to fetch last. */
  const probed = new Map<string, Probed>()

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

  async function judge(id: string, rollout: Rollout): Promise<void> {
    const { tasks, policy, progress } = rollout
    if (progress.phase !== 'soaking') return
    const inWave = tasks.filter((task) => task.wave === progress.wave && task.state === 'healthy')
    const sinceMs = now() - Math.min(WINDOW_MS, progress.soakedMs)
    const canary = sideOf(inWave, sinceMs, (one) => hasVersion(tasks, one))
    const control = controlOf(tasks, progress.wave, sinceMs)
    const { gates, minSamples } = policy
    const seed = [...id].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, progress.wave)
    const sides = { canary: canary.group, control: control.group }
    const judged = judgeGates({ gates, minSamples, ...sides, seed })
    const { onFail, ...evidence } = withSilent(judged, await silentOf(canary.tasks))
    await engine.evaluated(id, { wave: progress.wave, onFail, evidence })
    await askForMore(id, rollout, { canary, control })
  }

  async function silentOf(tasks: readonly Task[]): Promise<string[]> {
    const watched = tasks.filter(({ isExcused }) => !isExcused)
    const ids = watched.map(({ nodeId }) => nodeId)
    const measured = await latencySummaries(ids, MAX_GAP_SECONDS)
    return watched.filter(({ nodeId }) => !measured.has(nodeId)).map(({ nodeName }) => nodeName)
  }

  const sideOf = (
    tasks: readonly Task[],
    sinceMs: number,
    isIn: (sample: Sample) => boolean,
  ): Side => ({ tasks, group: groupOf(samplesSince(tasks, sinceMs), isIn) })

  /** Nodes whose turn has not come; when none is left, those of earlier waves, which were compared to such. */
  function controlOf(tasks: readonly Task[], wave: number, sinceMs: number): Side {
    const later = tasks.filter((task) => task.wave > wave && isConnected(task.nodeId))
    const before = sideOf(later, sinceMs, (one) => !hasVersion(tasks, one))
    if (before.group.nodes > 0) return before
    const earlier = tasks.filter((task) => task.wave < wave && task.state === 'done')
    const after = sideOf(earlier, sinceMs, (one) => hasVersion(tasks, one))
    return after.group.nodes > 0 || later.length === 0 ? after : before
  }

  async function askForMore(
    id: string,
    { state, policy, progress }: Rollout,
    { canary, control }: { canary: Side; control: Side },
  ): Promise<void> {
    if (policy.probes.length === 0 || state !== 'running') return
    if (isUnderWay(probed.get(id), progress)) return
    const able = await nodesThatProbe(db, id)
    const sideOfThose = ({ tasks, group }: Side) => ({
      nodeIds: tasks.map(({ nodeId }) => nodeId).filter((one) => isConnected(one) && able.has(one)),
      requests: errorsOf(group.samples).whole,
    })
    const [ours, theirs] = [sideOfThose(canary), sideOfThose(control)]
    const { minSamples, probes } = policy
    const wanted = whatToProbe({ canary: ours, control: theirs, minSamples })
    if (!wanted) return
    const { nodeIds, count, perSecond } = wanted
    const { wave, soakedMs } = progress
    probed.set(id, { wave, fromMs: soakedMs, untilMs: soakedMs + probedWithinMs(wanted) })
    for (const nodeId of nodeIds) probe(nodeId, { count, perSecond, paths: [...probes] })
  }

  return {
    async evaluate(): Promise<void> {
      const gated = await gatedRollouts(db, isConnected)
      for (const id of probed.keys()) if (gated.every(({ row }) => row.id !== id)) probed.delete(id)
      for (const { row, rollout } of gated) {
        await watchNodes(row.id, rollout)
        await judge(row.id, rollout)
      }
    },
  }
}

const isUnderWay = (last: Probed | undefined, { wave, soakedMs }: Rollout['progress']) =>
  last !== undefined && last.wave === wave && last.fromMs <= soakedMs && soakedMs < last.untilMs

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
