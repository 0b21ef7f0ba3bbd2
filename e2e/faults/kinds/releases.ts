// SPDX-License-Identifier: MIT
// A version of a release is fetched, built, switched to or gone back from while one of many things happens. Whatever it
// was, each node serves one whole version afterwards.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode, Step, Victim } from '../../real-farm/node.ts'
import type { Random } from '../../real-farm/random.ts'
import { type FarmDeps, FaultFarm } from '../farm.ts'
import { ReleaseFarm, untilBuilding } from '../release-farm.ts'
import { disksOf, onSmallDisks } from '../small-disk-farm.ts'

const NODES = 2
const VICTIMS: readonly Victim[] = ['serving process', 'parent', 'both']
const STEPS: readonly ('building' | Step)[] = [
  ...(['building', 'building', 'building'] as const),
  ...(['staged', 'swapped', 'confirmed'] as const),
]
const STEP_WITHIN_MS = 2500
/** To fetch what is new takes half a second. */
const LATEST_MS = 900
const DOWN_FOR_MS = 500
/** A content is two calls or three, and a version has some fifteen new ones. */
const MOST_CALLS = { disk: 90, net: 120, plane: 120 }
const DEAD_WITHIN_MS = 4000
const POLL_MS = 10
const CUT_BYTES = 600_000
const CUT_FOR_MS = 2500
const MOST_MISSED = 4
/** A release is not begun where less than 64 MiB would be left. */
const DISK_BYTES = 96 * 1024 * 1024
const MOST_PAGES = 7

type Deed = (released: ReleaseFarm, random: Random) => Promise<void>

/** Some point on the way to what was ordered. */
async function point(node: RealNode, random: Random): Promise<string> {
  const step = random.pick(STEPS)
  const delayMs = random.chance(0.5) ? random.below(10) : random.below(LATEST_MS)
  if (step === 'building') await untilBuilding(node, STEP_WITHIN_MS)
  else {
    const signal = AbortSignal.timeout(STEP_WITHIN_MS)
    await once(node.steps, step, { signal }).catch(() => {})
  }
  await sleep(delayMs)
  return step
}

/** A new version, or one of those before. */
const some = async (released: ReleaseFarm, random: Random): Promise<number> =>
  random.chance(0.3) ? 1 + random.below(released.newest) : await released.push(random)

async function killNodes(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const number = await some(released, random)
  const kills = farm.nodes.map(async (node) => {
    const victim = random.pick(VICTIMS)
    const step = await point(node, random)
    farm.expectDown(node)
    if (node.kill(victim)) farm.injected(`${victim} killed, ${step}`)
  })
  await released.order(number)
  await Promise.all(kills)
}

async function nodesDieAtCall(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const number = await some(released, random)
  for (const node of farm.nodes) {
    const where = random.chance(0.7) ? 'disk' : 'net'
    const when = random.chance(0.5) ? 'before' : 'after'
    farm.expectDown(node)
    node.preload.dieAt({ call: 1 + random.below(MOST_CALLS[where]), when, where })
  }
  await released.order(number)
  await Promise.all(
    farm.nodes.map(async ({ preload }) => {
      const call = await diedAt(preload)
      if (call !== null) farm.injected(`node dies at ${call.split(' ')[0]}`)
    }),
  )
}

/** null: it did not come that far. */
async function diedAt(preload: RealNode['preload']): Promise<string | null> {
  const deadline = performance.now() + DEAD_WITHIN_MS
  while (preload.diedAt() === null && performance.now() < deadline) await sleep(POLL_MS)
  preload.spare()
  return preload.diedAt()
}

async function killPlane(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const number = await some(released, random)
  const reached = point(random.pick(farm.nodes), random)
  // Which request it dies in is of no matter: there may be no version, no rollout, or both.
  const ordered = released.order(number).catch(() => {})
  const step = await reached
  await farm.controlPlane.end('SIGKILL')
  farm.injected(`control plane killed, ${step}`)
  await ordered
  await sleep(random.below(DOWN_FOR_MS))
  await farm.controlPlane.start()
}

async function planeDiesAtCall(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const { controlPlane } = farm
  const number = await some(released, random)
  const when = random.chance(0.5) ? 'before' : 'after'
  const call = 1 + random.below(MOST_CALLS.plane)
  controlPlane.preload.dieAt({ call, when, where: 'disk' })
  const ordered = released.order(number).catch(() => {})
  const at = await diedAt(controlPlane.preload)
  farm.injected(at === null ? 'control plane killed' : `control plane dies at ${at.split(' ')[0]}`)
  await controlPlane.end('SIGKILL')
  await ordered
  await controlPlane.start()
}

/** Closed, reset, half-open, held back, or a bit that is another. */
async function cut(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const number = await released.push(random)
  farm.proxy.beginFaults(random, (how) => farm.injected(`connection: ${how}`), CUT_BYTES)
  await released.order(number)
  await sleep(random.below(CUT_FOR_MS))
  farm.proxy.endFaults()
}

/** The control plane's own disk has changed a content: what it sends is wrong, and TLS cannot know. */
async function wrongAtSource(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const before = await farm.served()
  const number = await released.push(random)
  const name = released.newContentOf(number)
  const path = join(farm.controlPlane.dataDir, 'releases/blobs', name.slice(0, 2), name)
  const bytes = readFileSync(path)
  const wrong = Buffer.from(bytes)
  wrong.write('?', random.below(wrong.length))
  writeFileSync(path, wrong)
  farm.injected('wrong bytes sent')
  await released.order(number)
  await farm.untilAgreed(farm.nodes, performance.now(), '(wrong bytes sent)')
  await released.requireWhole()
  const served = await farm.served()
  if (served.join() !== before.join()) farm.wrong(`wrong bytes were taken: ${before} → ${served}`)
  writeFileSync(path, bytes)
  await released.mustTake(number)
}

/** The second is ordered while the first is fetched. */
async function twoAtOnce(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const first = await released.push(random)
  const second = await some(released, random)
  await released.order(first)
  await sleep(random.below(LATEST_MS))
  const label = await released.order(second)
  farm.injected('a second one ordered')
  await farm.untilAgreed(farm.nodes, performance.now(), '(two at once)')
  const served = await farm.served()
  if (served.some((one) => one !== label))
    farm.wrong(`${label} came last, and ${served} are served`)
}

/** It comes back to a version that it has never heard of, and what it lacks is of several. */
async function away(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const node = random.pick(farm.nodes)
  const others = farm.nodes.filter((one) => one !== node)
  farm.expectDown(node)
  await node.stop(random.pick(['SIGTERM', 'SIGKILL']))
  const missed = 2 + random.below(MOST_MISSED - 1)
  for (let i = 0; i < missed; i++) {
    await released.order(await released.push(random))
    await farm.untilAgreed(others, performance.now(), '(one is away)')
  }
  farm.injected(`away for ${missed} versions`)
  node.start()
  await farm.untilAgreed([node], performance.now(), '(back again)')
  await released.mustTake(released.newest)
}

const DEEDS: readonly Deed[] = [
  ...[killNodes, cut, wrongAtSource, killPlane, nodesDieAtCall, twoAtOnce, away, planeDiesAtCall],
]

type Known = { released: ReleaseFarm; todo: Deed[] }
const farms = new WeakMap<FaultFarm, Known>()

async function knownOf(farm: FaultFarm, random: Random): Promise<Known> {
  const known = farms.get(farm) ?? { released: await ReleaseFarm.start(farm, random), todo: [] }
  farms.set(farm, known)
  return known
}

/** Its visitors go before its nodes do. */
const ending = (work: (farm: FaultFarm) => Promise<void>) => async (farm: FaultFarm) => {
  try {
    await work(farm)
  } finally {
    await farms.get(farm)?.released.end()
  }
}

export const releases = {
  name: 'releases',
  async run(deps: FarmDeps, work: (farm: FaultFarm) => Promise<void>): Promise<void> {
    const farm = await FaultFarm.start(deps, NODES)
    try {
      await ending(work)(farm)
    } finally {
      await farm.stop()
    }
  },
  /** Each deed once, in an order of its own, before any comes again. */
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { released, todo } = await knownOf(farm, random)
    if (todo.length === 0) todo.push(...DEEDS)
    const [deed] = todo.splice(random.below(todo.length), 1)
    if (!deed) return
    await deed(released, random)
    await farm.untilAgreed(farm.nodes, performance.now(), `(${deed.name})`)
    await released.requireWhole()
  },
}

/** The disk fills up to the last page or nearly, in the middle of it. */
export const releaseDiskFull = {
  name: 'release, disk full',
  run: (deps: FarmDeps, work: (farm: FaultFarm) => Promise<void>) =>
    onSmallDisks(deps, { nodes: NODES, bytes: DISK_BYTES }, ending(work)),
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { released } = await knownOf(farm, random)
    const number = await released.push(random)
    const disks = disksOf(farm)
    const fills = farm.nodes.map(async (node, at) => {
      const pages = random.below(MOST_PAGES)
      const isKilled = random.chance(0.3)
      const forMs = random.below(LATEST_MS)
      const step = await point(node, random)
      disks[at]?.fill(pages)
      farm.injected(`${pages === 0 ? 'no page' : `${pages} pages`} left, ${step}`)
      await sleep(forMs)
      if (isKilled) {
        farm.expectDown(node)
        node.kill('both')
        farm.injected('… and killed')
        await sleep(forMs)
      }
      disks[at]?.free()
    })
    await released.order(number)
    await Promise.all(fills)
    await farm.untilAgreed(farm.nodes, performance.now(), '(disk full)')
    await released.requireWhole()
    await released.mustTake(number)
  },
}
