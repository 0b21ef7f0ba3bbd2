// SPDX-License-Identifier: MIT
// What is done while versions of releases are pushed, fetched, built, switched to and gone back from. After each of them, and
// the agreement that follows, every node must serve whole versions.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode, Step, Victim } from '../../real-farm/node.ts'
import type { Random } from '../../real-farm/random.ts'
import { type ReleaseFarm, untilBuilding } from '../release-farm.ts'
import { disksOf } from '../small-disk-farm.ts'

const VICTIMS: readonly Victim[] = ['serving process', 'parent', 'both']
const STEPS: readonly ('building' | Step)[] = [
  ...(['building', 'building', 'building'] as const),
  ...(['staged', 'swapped', 'confirmed'] as const),
]
const STEP_WITHIN_MS = 2500
/** To fetch what is new takes half a second. */
const LATEST_MS = 900
const PUSHED_WITHIN_MS = 250
const DOWN_FOR_MS = 500
/** A content is two calls or three, and a version has some fifteen new ones. */
const MOST_CALLS = { disk: 90, net: 120, plane: 120 }
const DEAD_WITHIN_MS = 4000
const POLL_MS = 10
const CUT_BYTES = 1_200_000
const CUT_FOR_MS = 2500
const WRONG_FOR_MS = 4000
/** A node was away for so many versions. */
const MISSED = 10
const MOST_PAGES = 7

export type Deed = (released: ReleaseFarm, random: Random) => Promise<void>

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
const some = async ({ www }: ReleaseFarm, random: Random): Promise<{ www: number }> =>
  random.chance(0.3) ? { www: 1 + random.below(www.newest) } : { www: await www.push(random) }

async function killNodes(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const numbers = await some(released, random)
  const kills = farm.nodes.map(async (node) => {
    const victim = random.pick(VICTIMS)
    const step = await point(node, random)
    farm.expectDown(node)
    if (node.kill(victim)) farm.injected(`killed: ${victim}, ${step}`)
  })
  await released.orderSomehow(numbers, random)
  await Promise.all(kills)
}

async function nodesDieAtCall(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const numbers = await some(released, random)
  for (const node of farm.nodes) {
    const where = random.chance(0.7) ? 'disk' : 'net'
    const when = random.chance(0.5) ? 'before' : 'after'
    farm.expectDown(node)
    node.preload.dieAt({ call: 1 + random.below(MOST_CALLS[where]), when, where })
  }
  await released.orderSomehow(numbers, random)
  await Promise.all(
    farm.nodes.map(async ({ preload }) => {
      const call = await diedAt(preload)
      if (call !== null) farm.injected(`killed: serving process, ${call.split(' ')[0]}`)
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
  const numbers = await some(released, random)
  const reached = point(random.pick(farm.nodes), random)
  // Which request it dies in is of no matter: there may be no version, no rollout, or both.
  const ordered = released.orderSomehow(numbers, random).catch(() => {})
  const step = await reached
  await farm.controlPlane.end('SIGKILL')
  farm.injected(`killed: control plane, ${step}`)
  await ordered
  await sleep(random.below(DOWN_FOR_MS))
  await farm.controlPlane.start()
}

async function planeDiesAtCall(released: ReleaseFarm, random: Random): Promise<void> {
  const numbers = await some(released, random)
  preparePlane(released, random)
  const ordered = released.orderSomehow(numbers, random).catch(() => {})
  await buryPlane(released, 'ordered')
  await ordered
  await released.farm.controlPlane.start()
}

/** While a version is pushed: there is one or none afterwards. Nodes take it in the end. */
async function planeDiesInPush(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const { controlPlane } = farm
  const isAtCall = random.chance(0.5)
  if (isAtCall) preparePlane(released, random)
  const www = await released.www.pushThrough(random, async () => {
    if (isAtCall) await buryPlane(released, 'pushed to')
    else {
      await sleep(random.below(PUSHED_WITHIN_MS))
      await controlPlane.end('SIGKILL')
      farm.injected('killed: control plane, pushed to')
    }
    await controlPlane.start()
  })
  await released.mustTake({ www })
}

function preparePlane({ farm }: ReleaseFarm, random: Random): void {
  const when = random.chance(0.5) ? 'before' : 'after'
  const call = 1 + random.below(MOST_CALLS.plane)
  farm.controlPlane.preload.dieAt({ call, when, where: 'disk' })
}

/** Where it does not die by itself it is killed. */
async function buryPlane({ farm }: ReleaseFarm, doing: string): Promise<void> {
  const at = await diedAt(farm.controlPlane.preload)
  farm.injected(`killed: control plane, ${doing}${at === null ? '' : `, ${at.split(' ')[0]}`}`)
  await farm.controlPlane.end('SIGKILL')
}

/** Closed, reset, half-open, held back, or a bit that is another. */
async function cut(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const www = await released.www.push(random)
  farm.proxy.beginFaults(random, (how) => farm.injected(`connection: ${how}`), CUT_BYTES)
  await released.orderSomehow({ www }, random)
  await sleep(random.below(CUT_FOR_MS))
  farm.proxy.endFaults()
}

const WRONGS = {
  'a byte changed': (bytes: Buffer, at: number) => {
    const wrong = Buffer.from(bytes)
    wrong[at] = (wrong[at] ?? 0) ^ 1
    return wrong
  },
  'cut short': (bytes: Buffer, at: number) => bytes.subarray(0, at),
  'too long': (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('?')]),
} as const
type Wrong = keyof typeof WRONGS

/**
 * The control plane's own disk has changed what it sends, until somebody puts it back or pushes it again: that is wrong on the
 * wire, and TLS cannot know. (Of what is too long it sends the right beginning.)
 */
async function wrongAtSource(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const before = await farm.served()
  const www = await released.www.push(random)
  const what = random.pick(['large', 'small', 'manifest'] as const)
  const how = random.pick(Object.keys(WRONGS) as Wrong[])
  const name = released.www.newDigestsOf(www)[what]
  const path = join(farm.controlPlane.dataDir, 'releases/blobs', name.slice(0, 2), name)
  const bytes = readFileSync(path)
  writeFileSync(path, WRONGS[how](bytes, random.below(bytes.length)))
  farm.injected(`wrong bytes: ${what}, ${how}`)
  await released.order({ www })
  await sleep(random.below(WRONG_FOR_MS))
  await released.requireWhole()
  const served = await farm.served()
  if (how !== 'too long' && served.join() !== before.join())
    farm.wrong(`wrong bytes (${what}, ${how}) were taken: ${before} → ${served}`)
  if (random.chance(0.5)) writeFileSync(path, bytes)
  else await released.www.sendAgain(www)
  if (!readFileSync(path).equals(bytes)) farm.wrong(`${what}, ${how}: was not put right`)
  await farm.untilAgreed(farm.nodes, performance.now(), `(wrong bytes: ${what}, ${how})`)
  await released.mustTake({ www })
}

/** Both releases go on in one order, and the next order comes while these are fetched. */
async function twoAtOnce(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm, docs, www } = released
  const both = { docs: await docs.push(random), www: await www.push(random) }
  const second = random.chance(0.5)
    ? { docs: 1 + random.below(docs.newest), www: 1 + random.below(www.newest) }
    : { docs: await docs.push(random), www: await www.push(random) }
  await released.orderSomehow(both, random)
  await sleep(random.below(LATEST_MS))
  const label = await released.order(second)
  farm.injected('two at once')
  await farm.untilAgreed(farm.nodes, performance.now(), '(two at once)')
  const served = await farm.served()
  if (served.some((one) => one !== label))
    farm.wrong(`${label} came last, and ${served} are served`)
}

/** It comes back to a version that it has never heard of, and what it lacks is of ten. */
async function away(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm, www } = released
  const node = random.pick(farm.nodes)
  const others = farm.nodes.filter((one) => one !== node)
  farm.expectDown(node)
  const signal = random.pick(['SIGTERM', 'SIGKILL'] as const)
  await node.stop(signal)
  for (let i = 0; i < MISSED; i++) {
    await released.order({ www: await www.push(random) })
    await farm.untilAgreed(others, performance.now(), '(one is away)')
  }
  farm.injected(`away for ${MISSED} versions: ${signal}`)
  node.start()
  await farm.untilAgreed([node], performance.now(), '(back again)')
  await released.mustTake({ www: www.newest })
}

/** The disk fills up to the last page or nearly, in the middle of it. */
export async function fillDisks(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const www = await released.www.push(random)
  const disks = disksOf(farm)
  const fills = farm.nodes.map(async (node, at) => {
    const pages = random.below(MOST_PAGES)
    const isKilled = random.chance(0.3)
    const forMs = random.below(LATEST_MS)
    const step = await point(node, random)
    disks[at]?.fill(pages)
    farm.injected(`disk full: ${pages} pages left, ${step}`)
    await sleep(forMs)
    if (isKilled) {
      farm.expectDown(node)
      node.kill('both')
      farm.injected(`disk full: and killed, ${step}`)
      await sleep(forMs)
    }
    disks[at]?.free()
  })
  await released.orderSomehow({ www }, random)
  await Promise.all(fills)
  await farm.untilAgreed(farm.nodes, performance.now(), '(disk full)')
  await released.requireWhole()
  await released.mustTake({ www })
}

export const DEEDS: readonly Deed[] = [
  ...[killNodes, cut, wrongAtSource, twoAtOnce, away],
  ...[killPlane, planeDiesAtCall, planeDiesInPush, nodesDieAtCall],
]
