// SPDX-License-Identifier: MIT
// Rollouts while nodes are killed, cut off and brought back, or while the control plane is killed, at random. Any
// end is a good one that says why, as long as no promise is broken on the way and the farm converges afterwards.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rollout } from '../client/api.ts'
import type { Victim } from '../real-farm/node.ts'
import type { Random } from '../real-farm/random.ts'
import { type Member, RolloutFarm } from './farm.ts'
import {
  ANSWERS,
  describe,
  requireRight,
  type Scenario,
  type Size,
  strategyOf,
  watch,
  withFarm,
} from './scenarios.ts'
import { rootOf } from './sites.ts'

const PAUSE_MS = { least: 500, most: 3000 }
const POLL_MS = 50
const AWAY_MS = 6000
const DOWN_MS = 2000
/** Faults for so long; a rollout that takes longer goes on undisturbed. */
const FAULTS_MS = { least: 8_000, most: 30_000 }
/** The longest that anything waits for: grace after a start, deadlines of ack, apply and confirmation. */
const REST_WITHIN_MS = 240_000
/** Whoever pauses and goes on by itself, when a node is back, has done so by then. */
const STILL_MS = 20_000
const BAD = 0.3
const VICTIMS: readonly Victim[] = ['serving process', 'parent', 'both']
/** Of the nodes that may be away at a time. */
const AWAY_SHARE = 0.35

type Fault = (farm: RolloutFarm, random: Random) => Promise<void>

const NODE_FAULTS: readonly ((member: Member, random: Random) => [string, () => Promise<void>])[] =
  [
    ({ node }, random) => {
      const victim = random.pick(VICTIMS)
      return [
        `${victim} killed`,
        async () => {
          const before = node.servingPid
          node.kill(victim)
          // Without its parent it serves on until it finds out.
          while (node.servingPid === null || node.servingPid === before) await sleep(POLL_MS)
        },
      ]
    },
    ({ node }, random) => {
      const forMs = random.below(AWAY_MS)
      return [
        'node killed and down for a while',
        async () => {
          node.kill('both')
          await node.stop('SIGKILL')
          await sleep(forMs)
          node.start()
        },
      ]
    },
    ({ cable }, random) => {
      const forMs = random.below(AWAY_MS)
      return [
        'cable unplugged',
        async () => {
          cable.unplug()
          await sleep(forMs)
          cable.plug()
        },
      ]
    },
  ]

/** Visitors must not notice this one. */
async function loseControlPlane({ cable }: Member, random: Random): Promise<void> {
  const forMs = random.below(2 * AWAY_MS)
  cable.loseControlPlane()
  await sleep(forMs)
  cable.findControlPlane()
}

function nodeFaults(): Fault {
  const away = new Set<Member>()
  return async (farm, random) => {
    const near = farm.members.filter((member) => !away.has(member))
    if (away.size >= Math.ceil(farm.members.length * AWAY_SHARE)) return
    const member = random.pick(near)
    away.add(member)
    if (random.chance(0.3)) {
      farm.injected('cut off from the control plane')
      await loseControlPlane(member, random)
    } else {
      const [what, work] = random.pick(NODE_FAULTS)(member, random)
      farm.injected(what)
      farm.expectDown(member.node)
      await work()
      await farm.expectBack(member.node)
    }
    away.delete(member)
  }
}

async function killControlPlane(farm: RolloutFarm, random: Random): Promise<void> {
  await farm.controlPlane.end('SIGKILL')
  farm.injected('control plane killed')
  await sleep(random.below(DOWN_MS))
  await farm.controlPlane.start()
}

/** Injects until its time is over; resolves when nothing is broken any more. */
async function injectFor(farm: RolloutFarm, fault: Fault, random: Random): Promise<void> {
  const endsAt =
    performance.now() + FAULTS_MS.least + random.below(FAULTS_MS.most - FAULTS_MS.least)
  const underWay: Promise<void>[] = []
  const isOneAtATime = fault === killControlPlane
  while (performance.now() < endsAt) {
    await sleep(PAUSE_MS.least + random.below(PAUSE_MS.most - PAUSE_MS.least))
    const work = fault(farm, random)
    underWay.push(work)
    if (isOneAtATime) await work
  }
  await Promise.all(underWay)
}

/** Ended, or it has been paused, or half gone back, for a while with nothing in the way. */
function restAfter(faults: Promise<void>): (view: Rollout) => boolean {
  let isQuiet = false
  let same = { what: '', sinceMs: performance.now() }
  const startedAt = performance.now()
  faults.then(() => {
    isQuiet = true
    same = { what: '', sinceMs: performance.now() }
  })
  return ({ state, reason, endedAt }) => {
    const now = performance.now()
    if (now - startedAt > REST_WITHIN_MS) throw new Error(`not at rest: ${state}: ${reason}`)
    if (endedAt !== null) return isQuiet
    const what = `${state} ${reason}`
    if (what !== same.what) same = { what, sinceMs: now }
    const mayStand = state === 'paused' || state === 'revert_incomplete'
    return isQuiet && mayStand && now - same.sinceMs > STILL_MS
  }
}

async function round(farm: RolloutFarm, size: Size, { fault, random }: Chaos): Promise<void> {
  const isBad = random.chance(BAD)
  const version = isBad ? { roots: { 'second.example': rootOf(farm.home, 'nothing') } } : {}
  // Evidence takes the whole of a soak; without it rollouts get further before the faults end.
  const gates = isBad || random.chance(0.3) ? ANSWERS : []
  const more = { gates, soakSeconds: gates.length > 0 ? 8 : 2 }
  const ordered = await farm.order(version, strategyOf(size, more))
  const faults = injectFor(farm, fault, random)
  const view = await watch(farm, ordered, restAfter(faults))
  farm.note(`${isBad ? 'bad' : 'good'} ${ordered.label} ended ${describe(view)}`)
  if (isBad && view.state === 'succeeded') farm.wrong(`the bad ${ordered.label} succeeded`)
  if (isBad) farm.bad.add(ordered.label)
}

/** With nothing in the way any more, the next version reaches every node. */
async function converge(farm: RolloutFarm): Promise<void> {
  const { label } = await farm.order({})
  await farm.untilAgreed()
  const served = await Promise.all(farm.members.map(async ({ node }) => (await node.see()).label))
  if (served.some((one) => one !== label)) farm.wrong(`${label} was pushed, ${served} are served`)
}

type Chaos = { fault: Fault; random: Random }

const chaos = (name: string, makeFault: () => Fault): Scenario => ({
  name,
  run: async (deps, size) =>
    withFarm(await RolloutFarm.start(deps, size.nodes), async (farm) => {
      farm.loadAll()
      const how = { fault: makeFault(), random: deps.randomFor('faults') }
      for (let i = 0; i < size.rounds; i++) await round(farm, size, how)
      await converge(farm)
      requireRight(farm, ...farm.bad)
      await farm.endLoad()
    }),
})

export const nodesComeAndGo = chaos('nodes come and go', nodeFaults)
export const controlPlaneKilled = chaos('control plane killed', () => killControlPlane)
