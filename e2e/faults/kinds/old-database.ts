// SPDX-License-Identifier: MIT
// control.db is put back to an earlier copy. The nodes have obeyed more than it knows of: either only newer
// generations, or newer starts of the control plane as well. Then they refuse it until its operator says that
// it is to go on.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'

const NODES = 3
const MOST_VERSIONS = 3
/** Each is an epoch; the copy's own next start is one, too. */
const STARTS_AHEAD = 3
const REFUSED_FOR_MS = 2000
const FENCED = 0.5

async function startAgain(farm: FaultFarm, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await farm.controlPlane.start()
    if (i + 1 < times) await farm.controlPlane.end('SIGKILL')
  }
}

/** Nobody takes anything from a control plane that is older than the one it obeyed. */
async function checkRefused(farm: FaultFarm): Promise<void> {
  const served = await farm.served()
  await farm.push()
  await sleep(REFUSED_FOR_MS)
  const now = await farm.served()
  if (now.join() !== served.join()) {
    farm.wrong(`nodes obeyed a control plane of an earlier epoch: ${served} → ${now}`)
  }
  await farm.untilAgreed(farm.nodes, performance.now(), '(refusing)')
}

export const oldDatabase = {
  name: 'old database',
  nodes: NODES,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { controlPlane, home } = farm
    const copy = join(home, 'copy')
    const isFenced = random.chance(FENCED)
    await controlPlane.end('SIGKILL')
    controlPlane.copyDatabase(copy)
    await startAgain(farm, isFenced ? STARTS_AHEAD : 1)
    await farm.untilAgreed(farm.nodes, performance.now(), '(before)')
    for (let i = random.below(MOST_VERSIONS); i >= 0; i--) await farm.mustTake()
    await controlPlane.end('SIGKILL')
    controlPlane.restoreDatabase(copy)
    await controlPlane.start()
    farm.injected(isFenced ? 'copy of an earlier epoch' : 'copy of the epoch before')
    await farm.untilAgreed(farm.nodes, performance.now(), '(restored)')
    if (isFenced) {
      await checkRefused(farm)
      await controlPlane.admin(['raise-epoch', '--yes'])
      await controlPlane.end('SIGKILL')
      await controlPlane.start()
      await farm.untilAgreed(farm.nodes, performance.now(), '(epoch raised)')
    }
    // What it had lost is behind it: the next version gets a generation above everybody's.
    await farm.mustTake()
  },
}
