// SPDX-License-Identifier: MIT
// What is rolled out, and what must come of it.
import type { Gate, Rollout, Strategy } from '../client/api.ts'
import { type FarmDeps, RolloutFarm } from './farm.ts'
import { brokenBy, servedUnasked } from './promises.ts'
import { rootOf } from './sites.ts'
import { SlowDisk } from './slow-disk.ts'

/** `minutes`: of what can go on for as long as one likes; 0: its rounds alone. */
export type Size = {
  nodes: number
  waves: NonNullable<Strategy['waves']>
  rounds: number
  minutes: number
}
export type Scenario = {
  name: string
  /** Why it cannot be had here; null: it can. */
  whyNot?: () => string | null
  /** Only where it is named, or with all in full. */
  isOnRequest?: boolean
  run: (deps: FarmDeps, size: Size) => Promise<void>
}
type Ordered = Awaited<ReturnType<RolloutFarm['order']>>

/** Three windows of five seconds on each side are the least that gates compare. */
export const STRATEGY = {
  minHealthySeconds: 2,
  soakSeconds: 8,
  maxSoakSeconds: 180,
  progressDeadlineSeconds: 600,
  maxParallel: 3,
  minSamples: 200,
}
export const ANSWERS: Gate[] = [
  { metric: 'errors5xx', max: 0.01, onFail: 'revert' },
  { metric: 'errors404', max: 0.01, onFail: 'revert' },
]
/** Far more than a busy machine makes of it, and far less than one thread for all reads. */
const SLOWER = 4
const READS: Gate[] = [
  { metric: 'readWaitP99', max: SLOWER, onFail: 'revert' },
  { metric: 'firstByteP99', max: SLOWER, onFail: 'revert' },
]
const ENOUGH_READS = 40
const COLD_CONNECTIONS = 4

export const strategyOf = (size: Size, more: Strategy): Strategy => ({
  ...STRATEGY,
  waves: size.waves,
  ...more,
})

const hasEnded = ({ endedAt, state }: Rollout) =>
  endedAt !== null || state === 'revert_incomplete' || state === 'paused'

/** To its end, with the promises looked at all the way. */
export async function watch(
  farm: RolloutFarm,
  { label, rollout: { id } }: Ordered,
  isEnough = hasEnded,
): Promise<Rollout> {
  const broken = new Set<string>()
  const view = await farm.follow(id, (seen) => {
    const found = brokenBy(seen)
    if (found !== null) broken.add(found)
    return isEnough(seen)
  })
  for (const sentence of broken) farm.wrong(`${label}: ${sentence}`)
  const tasks = await farm.tasks(id)
  const unasked = servedUnasked(tasks, label, farm.availability)
  if (unasked.length > 0) farm.wrong(`${unasked} served ${label}, which was never offered to them`)
  return view
}

export async function withFarm(
  farm: RolloutFarm,
  work: (farm: RolloutFarm) => Promise<void>,
): Promise<void> {
  try {
    await work(farm)
  } finally {
    farm.note(farm.availability.asText)
    await farm.stop()
  }
}

export const describe = ({ state, reason, evidence }: Rollout) =>
  `${state}: ${reason}${evidence ? ` (${evidence.message})` : ''}`

async function rollOutGood(farm: RolloutFarm, size: Size): Promise<void> {
  farm.loadAll()
  const startedAt = performance.now()
  const ordered = await farm.order({}, strategyOf(size, { gates: ANSWERS }))
  const view = await watch(farm, ordered)
  if (view.state !== 'succeeded') farm.wrong(`the good version ended ${describe(view)}`)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  farm.note(`${ordered.label} reached ${farm.members.length} nodes in ${seconds} s`)
  await farm.untilAgreed()
  const { refused, broken, late, requests } = await farm.endLoad()
  if (requests === 0) farm.wrong('wrk got no answer')
  if (refused + broken + late > 0) {
    farm.wrong(`wrk: of ${requests} requests ${refused} refused, ${broken} broken, ${late} late`)
  }
  requireRight(farm)
}

/** No visitor got anything wrong, but from who served one of `bad`. */
export function requireRight(farm: RolloutFarm, ...bad: string[]): void {
  const others = farm.availability.wrong.filter(
    ({ label }) => label === null || !bad.includes(label),
  )
  const [first] = others
  if (first) farm.wrong(`${others.length} answers were wrong: ${first.node} ${first.trouble}`)
}

/** It must be taken back, and nobody but the first wave may ever have served it. */
async function requireReverted(farm: RolloutFarm, ordered: Ordered): Promise<void> {
  const { label } = ordered
  let revertingMs: number | null = null
  const view = await watch(farm, ordered, (seen) => {
    if (revertingMs === null && /^revert/.test(seen.state)) revertingMs = performance.now()
    return hasEnded(seen)
  })
  if (view.state !== 'reverted') farm.wrong(`the bad version ended ${describe(view)}`)
  await farm.untilAgreed()
  const tasks = await farm.tasks(ordered.rollout.id)
  const canaries = tasks.filter(({ wave }) => wave === 0).map(({ nodeName }) => nodeName)
  const served = [...farm.availability.servedBy(label)]
  const beyond = served.filter((name) => !canaries.includes(name))
  if (beyond.length > 0) farm.wrong(`${beyond} served ${label}, and only ${canaries} were to`)
  if (served.length === 0) farm.wrong(`nobody ever served ${label}`)
  const labels = await Promise.all(farm.members.map(async ({ node }) => (await node.see()).label))
  if (labels.includes(label)) farm.wrong(`${label} is still served`)
  farm.note(`${label} was served by ${served.length} of ${labels.length} nodes: ${describe(view)}`)
  if (revertingMs !== null) tellTimes(farm, label, revertingMs)
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

function tellTimes(farm: RolloutFarm, label: string, revertingMs: number): void {
  const wrong = farm.availability.wrongSpan(label)
  const span = wrong ?? farm.availability.span(label)
  if (!span) return
  const first = wrong ? 'bad answer' : 'answer with it'
  const [back, last] = [revertingMs - span.firstMs, span.lastMs - span.firstMs].map(inSeconds)
  farm.note(`from the first ${first}: ${back} to the way back, ${last} to the last such answer`)
}

export const goodChange: Scenario = {
  name: 'good change',
  run: async (deps, size) =>
    withFarm(await RolloutFarm.start(deps, size.nodes), (farm) => rollOutGood(farm, size)),
}

export const wrongRoot: Scenario = {
  name: 'wrong root',
  run: async (deps, size) =>
    withFarm(await RolloutFarm.start(deps, size.nodes), async (farm) => {
      farm.loadAll()
      const roots = { 'second.example': rootOf(farm.home, 'nothing') }
      const ordered = await farm.order({ roots }, strategyOf(size, { gates: ANSWERS }))
      await requireReverted(farm, ordered)
      requireRight(farm, ordered.label)
      await farm.endLoad()
    }),
}

export const oneReadThread: Scenario = {
  name: 'one read thread',
  whyNot: SlowDisk.whyNot,
  async run(deps, size) {
    const disk = SlowDisk.open(deps.home, size.nodes)
    try {
      const version = (readThreads: number) => ({
        roots: { 'second.example': disk.root },
        settings: { io: { readThreads } },
      })
      const hosts = ['first.example' as const]
      const first = { wrap: disk.wrap, hosts, ...version(COLD_CONNECTIONS * 2) }
      const farm = await RolloutFarm.start(deps, size.nodes, first)
      await withFarm(farm, async () => {
        farm.loadAll()
        disk.hold()
        for (const [i, { node }] of farm.members.entries()) {
          farm.load(node, disk.wordsOf('second.example', i), COLD_CONNECTIONS)
        }
        const more = { gates: READS, minSamples: ENOUGH_READS }
        await requireReverted(farm, await farm.order(version(1), strategyOf(size, more)))
        disk.lift()
        requireRight(farm)
        await farm.endLoad()
      })
    } finally {
      disk.close()
    }
  },
}
