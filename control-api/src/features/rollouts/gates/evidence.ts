// SPDX-License-Identifier: MIT
// What measurements say of a rollout: who is compared with whom, and which node is not well. Pure, given how
// measurements are read: the simulation asks it too.

import { seedOf } from '../../../base/seeded-random.ts'
import { addShares, type Share, shareOf } from '../../../metrics-store/bootstrap.ts'
import type { Metrics, Sample } from '../../../metrics-store/metrics.ts'
import type { Rollout, Task } from '../reducer/model.ts'
import type { NodeRef } from '../shapes/reason.ts'
import type { GateMetric } from '../shapes/schema.ts'
import { type Group, judgeGates, readBy } from './gates.ts'
import type { Looked } from './looks.ts'
import { createWindows, type Window } from './windows.ts'

export type Measured = {
  nowMs: number
  samplesOf: Metrics['samples']
  isConnected: (nodeId: string) => boolean
  /** What nodes answered for files of releases. Left out: nobody asked them. */
  lookedOf?: (id: string, rollout: Rollout) => Looked | null
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

/** How many nodes are looked at before somebody else may have a turn. */
const AT_A_TIME = 100
/** Gives way now and then; what it returns is the answer. */
export type InParts<T> = Generator<undefined, T, undefined>

/** For who is alone: the simulation. */
export function atOnce<T>(parts: InParts<T>): T {
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
  }
}

export const illOf = (rollout: Rollout, measured: Measured): Ill[] =>
  atOnce(findIll(rollout, measured))
export const judgeWave = (id: string, rollout: Rollout, measured: Measured) =>
  atOnce(judgeWaveInParts(id, rollout, measured))

/** Those that serve the version worse than what others serve, and than they did themselves. */
export function* findIll(
  { tasks, policy }: Rollout,
  { nowMs, samplesOf }: Measured,
): InParts<Ill[]> {
  const asked = ILL.flatMap((one) => {
    // What is said of one path says nothing of a node's whole traffic.
    const gate = policy.gates.find(
      ({ metric, path }) => metric === one.metric && path === undefined,
    )
    return gate ? [{ ...one, max: gate.max }] : []
  })
  const serving = tasks.filter(({ state, offers }) => offers > 0 && SERVING.includes(state))
  if (asked.length === 0 || serving.length === 0) return []
  const counters = asked.map(({ counter }) => counter)
  const ours = new Map(serving.map(({ nodeId }) => [nodeId, createAnswers(counters)]))
  const others = createAnswers(counters)
  for (const [i, task] of tasks.entries()) {
    if (i % AT_A_TIME === AT_A_TIME - 1) yield
    const own = ours.get(task.nodeId)
    for (const sample of samplesOf([task.nodeId], nowMs - WINDOW_MS)) {
      if (hasVersion(task, sample)) own?.add(sample)
      else others.add(sample)
    }
  }
  return serving.flatMap(({ nodeId, nodeName }) => {
    const own = ours.get(nodeId)
    const found = own && asked.find((one) => isWorse(own, others, one))
    if (!found) return []
    const { part, whole } = own.of(found.counter)
    const message = `${part} of ${whole} answers of ${nodeName} are ${found.what}`
    return [{ nodeId, gate: found.metric, message }]
  })
}

type Answers = { add: (sample: Sample) => void; of: (counter: string) => Share }

function createAnswers(counters: readonly string[]): Answers {
  const parts = new Map(counters.map((counter) => [counter, 0]))
  let whole = 0
  return {
    add({ counters: said }) {
      whole += said.requests ?? 0
      for (const counter of counters)
        parts.set(counter, (parts.get(counter) ?? 0) + (said[counter] ?? 0))
    },
    of: (counter) => ({ part: parts.get(counter) ?? 0, whole }),
  }
}

type Asked = { counter: string; isNeverUsual: boolean; max: number }

function isWorse(ours: Answers, others: Answers, { counter, isNeverUsual, max }: Asked): boolean {
  const errors = ours.of(counter)
  const usual = others.of(counter)
  // A site may have many 4xx for ever: without anything to compare with nobody is to blame.
  const isKnown = isNeverUsual || usual.whole >= FEWEST_ANSWERS
  const isBad = shareOf(errors) > shareOf(usual) + max && errors.part > 1
  return isKnown && errors.whole >= FEWEST_ANSWERS && isBad
}

/** The wave that soaks against those without the version; null: none soaks. */
export function* judgeWaveInParts(id: string, rollout: Rollout, measured: Measured) {
  const { tasks, policy, progress } = rollout
  if (progress.phase !== 'soaking') return null
  const inWave = tasks.filter((task) => task.wave === progress.wave && task.state === 'healthy')
  const canary = yield* sideOf(inWave, { rollout, measured, isIn: hasVersion })
  const control = yield* controlOf(rollout, measured)
  const { gates, minSamples } = policy
  const seed = seedOf(id, progress.wave)
  const sides = { canary: canary.group, control: control.group, isBefore: isAlone(rollout) }
  const looked = measured.lookedOf?.(id, rollout) ?? null
  return { canary, control, judged: judgeGates({ gates, minSamples, ...sides, looked, seed }) }
}

/** Nodes whose turn has not come; when none is left, those of earlier waves, which were compared to such. */
function* controlOf(rollout: Rollout, measured: Measured): InParts<Side> {
  const { tasks, progress } = rollout
  const { wave } = progress
  // Nobody else is there: what it did before, as long as it is remembered.
  if (isAlone(rollout)) {
    const isIn = (task: Task, sample: Sample) => !hasVersion(task, sample)
    return yield* sideOf(tasks, { rollout, measured, isIn, sinceMs: measured.nowMs - WINDOW_MS })
  }
  const later = tasks.filter((task) => task.wave > wave && measured.isConnected(task.nodeId))
  const hasNot = (task: Task, sample: Sample) => !hasVersion(task, sample)
  const before = yield* sideOf(later, { rollout, measured, isIn: hasNot })
  if (before.group.nodes > 0) return before
  const earlier = tasks.filter((task) => task.wave < wave && task.state === 'done')
  const after = yield* sideOf(earlier, { rollout, measured, isIn: hasVersion })
  return after.group.nodes > 0 || later.length === 0 ? after : before
}

type Chosen = {
  rollout: Rollout
  measured: Measured
  isIn: (task: Task, sample: Sample) => boolean
  /** Left out: since the wave soaks. */
  sinceMs?: number
}

/** With gates that the order names: without, time lets it through (policy.isAlone). */
const isAlone = ({ tasks, policy }: Rollout) => tasks.length === 1 && !policy.isAlone

function* sideOf(
  tasks: readonly Task[],
  { rollout: { policy, progress }, measured, isIn, sinceMs }: Chosen,
): InParts<Side> {
  const since = sinceMs ?? measured.nowMs - Math.min(WINDOW_MS, progress.soakedMs)
  const { counters, stages } = readBy(policy.gates)
  const windows = createWindows(counters, stages)
  let nodes = 0
  for (const [i, task] of tasks.entries()) {
    if (i % AT_A_TIME === AT_A_TIME - 1) yield
    const chosen = measured.samplesOf([task.nodeId], since).filter((one) => isIn(task, one))
    if (chosen.length > 0) nodes++
    for (const one of chosen) windows.add(one)
  }
  return { tasks, group: { nodes, samples: windows.all() } }
}

const hasVersion = ({ generation }: Task, sample: Sample) => generation === sample.generation

/** Those of whom nothing was measured. */
export const silentOf = (
  tasks: readonly Task[],
  measured: { has: (nodeId: string) => boolean },
): NodeRef[] =>
  tasks
    .filter(({ nodeId, isExcused }) => !isExcused && !measured.has(nodeId))
    .map(({ nodeId, nodeName }) => ({ id: nodeId, name: nodeName }))

export const namesOf = (nodes: readonly NodeRef[]) => nodes.map(({ name }) => name)

export const answersOf = (samples: readonly Window[], counter: string): Share =>
  samples
    .map(({ counters }) => ({ part: counters[counter] ?? 0, whole: counters.requests ?? 0 }))
    .reduce(addShares, { part: 0, whole: 0 })

export const idsOf = (tasks: readonly Task[]) => tasks.map(({ nodeId }) => nodeId)
