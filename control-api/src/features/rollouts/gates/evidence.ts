// SPDX-License-Identifier: MIT
// What measurements say of a rollout: who is compared with whom, and which node is not well. Pure, given how
// measurements are read: the simulation asks it too.
import type { Metrics, Sample } from '../../../metrics-store/metrics.ts'
import type { Rollout, Task } from '../reducer/model.ts'
import type { NodeRef } from '../shapes/reason.ts'
import type { GateMetric } from '../shapes/schema.ts'
import { addShares, shareOf } from './bootstrap.ts'
import { type Group, judgeGates } from './gates.ts'

export type Measured = {
  nowMs: number
  samplesOf: Metrics['samples']
  isConnected: (nodeId: string) => boolean
}
/** Who is compared, and what they did. */
export type Side = { tasks: readonly Task[]; group: Group }
export type Ill = { nodeId: string; gate: string; message: string }

/** As far back as measurements are at hand. */
export const WINDOW_MS = 120_000
/** Of one node: of fewer answers what it answers says nothing. */
const FEWEST_ANSWERS = 50
const SERVING: readonly Task['state'][] = ['confirmed', 'healthy', 'done']
/** Shares of answers that say of one node alone that it is not well. */
const ILL: readonly { metric: GateMetric; counter: string; what: string; isNeverUsual: boolean }[] =
  [
    { metric: 'errors5xx', counter: 'responses5xx', what: '5xx', isNeverUsual: true },
    { metric: 'errors4xx', counter: 'responses4xx', what: '4xx', isNeverUsual: false },
    { metric: 'errors404', counter: 'responses404', what: '404', isNeverUsual: false },
  ]

/** Those that serve the version worse than what others serve, and than they did themselves. */
export function illOf({ tasks, policy }: Rollout, { nowMs, samplesOf }: Measured): Ill[] {
  const asked = ILL.flatMap((one) => {
    const gate = policy.gates.find(({ metric }) => metric === one.metric)
    return gate ? [{ ...one, max: gate.max }] : []
  })
  const serving = tasks.filter(({ state, offers }) => offers > 0 && SERVING.includes(state))
  if (asked.length === 0 || serving.length === 0) return []
  const samples = samplesOf(idsOf(tasks), nowMs - WINDOW_MS)
  const others = samples.filter((sample) => !hasVersion(tasks, sample))
  return serving.flatMap(({ nodeId, nodeName }) => {
    const ours = samples.filter((one) => one.nodeId === nodeId && hasVersion(tasks, one))
    const found = asked.find((one) => isWorse(ours, others, one))
    if (!found) return []
    const { part, whole } = answersOf(ours, found.counter)
    const message = `${part} of ${whole} answers of ${nodeName} are ${found.what}`
    return [{ nodeId, gate: found.metric, message }]
  })
}

type Asked = { counter: string; isNeverUsual: boolean; max: number }

function isWorse(
  ours: readonly Sample[],
  others: readonly Sample[],
  { counter, isNeverUsual, max }: Asked,
): boolean {
  const errors = answersOf(ours, counter)
  const usual = answersOf(others, counter)
  // A site may have many 4xx for ever: without anything to compare with nobody is to blame.
  const isKnown = isNeverUsual || usual.whole >= FEWEST_ANSWERS
  const isBad = shareOf(errors) > shareOf(usual) + max && errors.part > 1
  return isKnown && errors.whole >= FEWEST_ANSWERS && isBad
}

/** The wave that soaks against those without the version; null: none soaks. */
export function judgeWave(id: string, rollout: Rollout, measured: Measured) {
  const { tasks, policy, progress } = rollout
  if (progress.phase !== 'soaking') return null
  const inWave = tasks.filter((task) => task.wave === progress.wave && task.state === 'healthy')
  const read = (of: readonly Task[]) =>
    measured.samplesOf(idsOf(of), measured.nowMs - Math.min(WINDOW_MS, progress.soakedMs))
  const canary = sideOf(inWave, read(inWave), (one) => hasVersion(tasks, one))
  const control = controlOf(rollout, read, measured.isConnected)
  const { gates, minSamples } = policy
  const seed = [...id].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, progress.wave)
  const sides = { canary: canary.group, control: control.group }
  return { canary, control, judged: judgeGates({ gates, minSamples, ...sides, seed }) }
}

/** Nodes whose turn has not come; when none is left, those of earlier waves, which were compared to such. */
function controlOf(
  { tasks, progress: { wave } }: Rollout,
  read: (tasks: readonly Task[]) => Sample[],
  isConnected: Measured['isConnected'],
): Side {
  const later = tasks.filter((task) => task.wave > wave && isConnected(task.nodeId))
  const before = sideOf(later, read(later), (one) => !hasVersion(tasks, one))
  if (before.group.nodes > 0) return before
  const earlier = tasks.filter((task) => task.wave < wave && task.state === 'done')
  const after = sideOf(earlier, read(earlier), (one) => hasVersion(tasks, one))
  return after.group.nodes > 0 || later.length === 0 ? after : before
}

/** Those of whom nothing was measured. */
export const silentOf = (
  tasks: readonly Task[],
  measured: { has: (nodeId: string) => boolean },
): NodeRef[] =>
  tasks
    .filter(({ nodeId, isExcused }) => !isExcused && !measured.has(nodeId))
    .map(({ nodeId, nodeName }) => ({ id: nodeId, name: nodeName }))

export const namesOf = (nodes: readonly NodeRef[]) => nodes.map(({ name }) => name)

export const answersOf = (samples: readonly Sample[], counter: string) =>
  samples
    .map(({ counters }) => ({ part: counters[counter] ?? 0, whole: counters.requests ?? 0 }))
    .reduce(addShares, { part: 0, whole: 0 })

export const idsOf = (tasks: readonly Task[]) => tasks.map(({ nodeId }) => nodeId)

const hasVersion = (tasks: readonly Task[], sample: Sample): boolean =>
  tasks.some(
    ({ nodeId, generation }) => nodeId === sample.nodeId && generation === sample.generation,
  )

function sideOf(
  tasks: readonly Task[],
  samples: readonly Sample[],
  isIn: (sample: Sample) => boolean,
): Side {
  const chosen = samples.filter(isIn)
  const nodes = new Set(chosen.map(({ nodeId }) => nodeId)).size
  return { tasks, group: { nodes, samples: chosen } }
}
