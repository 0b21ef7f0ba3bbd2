// SPDX-License-Identifier: MIT
// What happens to machines, networks, disks and clocks on a game day. Each resolves when it is over: what follows is recovery.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Victim } from '../real-farm/node.ts'
import type { Random } from '../real-farm/random.ts'
import type { GameFarm, Member } from './farm.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** Beyond the end of every certificate that the farm has. */
const AFTER_ALL_CERTIFICATES = 400 * DAY
const VICTIMS: readonly Victim[] = ['serving process', 'parent', 'both']
const CLOCKS = [-DAY, -HOUR, HOUR, DAY]
const AWAY_MS = 6000
const CONTROL_PLANE_AWAY_MS = 12_000
const DOWN_MS = 3000
const FULL_MS = 3000
const CLOCK_MS = 5000
const MOST_PAGES_LEFT = 7
const POLL_MS = 50

/** `about`: what exactly was done. `push`: what is rolled out in its midst. */
export type Deed = {
  name: string
  push: 'good' | 'bad' | 'none'
  run: (farm: GameFarm, random: Random) => Promise<string>
}

const nodeKilled: Deed = {
  name: 'node killed',
  push: 'good',
  async run(farm, random) {
    const member = random.pick(farm.members)
    const victim = random.pick(VICTIMS)
    await sleep(random.below(200))
    const before = member.node.servingPid
    member.node.kill(victim)
    // Without its parent it serves on until it finds out.
    while (member.node.servingPid === null || member.node.servingPid === before)
      await sleep(POLL_MS)
    await farm.untilServing(member)
    return `${member.node.name}, ${victim}`
  },
}

const nodeDown: Deed = {
  name: 'node down for a while',
  push: 'good',
  async run(farm, random) {
    const member = random.pick(farm.members)
    const forMs = random.below(AWAY_MS)
    member.node.kill('both')
    await member.node.stop('SIGKILL')
    await sleep(forMs)
    member.node.start()
    await farm.untilServing(member)
    return `${member.node.name}, ${forMs} ms`
  },
}

const cableUnplugged: Deed = {
  name: 'cable unplugged',
  push: 'good',
  async run(farm, random) {
    const { node, cable } = random.pick(farm.members)
    const forMs = random.below(AWAY_MS)
    cable.unplug()
    await sleep(forMs)
    cable.plug()
    return `${node.name}, ${forMs} ms`
  },
}

type Doing = { mostMs: number; begin: (member: Member) => void; end: (member: Member) => void }

/** To about half of the nodes, for a while. */
async function onSome(
  { members }: GameFarm,
  random: Random,
  { mostMs, begin, end }: Doing,
): Promise<string> {
  const some = members.filter(() => random.chance(0.5))
  const forMs = random.below(mostMs)
  for (const member of some) begin(member)
  await sleep(forMs)
  for (const member of some) end(member)
  return `${some.length} nodes, ${forMs} ms`
}

const controlPlaneLost: Deed = {
  name: 'way to the control plane lost',
  push: 'good',
  run: (farm, random) =>
    onSome(farm, random, {
      mostMs: CONTROL_PLANE_AWAY_MS,
      begin: ({ cable }) => cable.loseControlPlane(),
      end: ({ cable }) => cable.findControlPlane(),
    }),
}

/** Visitors must not notice any of these. */
function controlPlaneEnds(name: string, signal: NodeJS.Signals): Deed {
  return {
    name,
    push: 'good',
    async run(farm, random) {
      await sleep(random.below(1000))
      const forMs = random.below(DOWN_MS)
      farm.isControlPlaneDown = true
      await farm.controlPlane.end(signal)
      await sleep(forMs)
      await farm.controlPlane.start()
      farm.isControlPlaneDown = false
      return `for ${forMs} ms and its start`
    },
  }
}

const diskFull: Deed = {
  name: 'disk full',
  push: 'good',
  async run(farm, random) {
    const pages = random.below(MOST_PAGES_LEFT)
    const told = await onSome(farm, random, {
      mostMs: FULL_MS,
      begin: ({ disk }) => disk.fill(pages),
      end: ({ disk }) => disk.free(),
    })
    return `${told}, ${pages} pages left`
  },
}

const clockOff: Deed = {
  name: 'clock off',
  push: 'good',
  run: (farm, random) =>
    onSome(farm, random, {
      mostMs: CLOCK_MS,
      begin: ({ node }) => node.preload.setClock(random.pick(CLOCKS)),
      end: ({ node }) => node.preload.setClock(0),
    }),
}

const certificatesExpired: Deed = {
  name: 'certificates expired',
  push: 'good',
  async run(farm, random) {
    const member = random.pick(farm.members)
    const forMs = random.below(CLOCK_MS)
    // All that it believes is over then: its own, the control plane's, the CA's. It has to come anew, too.
    member.node.kill('serving process')
    member.node.preload.setClock(AFTER_ALL_CERTIFICATES)
    await sleep(forMs)
    member.node.preload.setClock(0)
    await farm.untilServing(member)
    return `for ${member.node.name}, by its clock, ${forMs} ms`
  },
}

const badVersion: Deed = {
  name: 'version that nodes must refuse',
  push: 'bad',
  run: async () => 'it listens where no node can',
}

/** Nothing is in the way: what the others are compared with. */
const nothing: Deed = { name: 'nothing but a rollout', push: 'good', run: async () => '' }

export const DEEDS: readonly Deed[] = [
  ...[nodeKilled, nodeDown, cableUnplugged, controlPlaneLost],
  controlPlaneEnds('control plane killed', 'SIGKILL'),
  controlPlaneEnds('control plane ended in order', 'SIGTERM'),
  ...[diskFull, clockOff, certificatesExpired, badVersion, nothing],
]
