// SPDX-License-Identifier: MIT
// TCP goes wrong after random numbers of bytes, in one direction or both, again and again while a version
// is rolled out; also for connections that stood before.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'

const NODES = 4
const SHORTEST_MS = 500
const LONGEST_MS = 3000

export const connectionCut = {
  name: 'connection cut',
  nodes: NODES,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const forMs = SHORTEST_MS + random.below(LONGEST_MS - SHORTEST_MS)
    const beforePushMs = random.below(SHORTEST_MS)
    farm.proxy.beginFaults(random, (cut) => farm.injected(cut))
    await sleep(beforePushMs)
    await farm.push()
    await sleep(forMs)
    farm.proxy.endFaults()
    await farm.untilAgreed(farm.nodes, performance.now(), `(faulty for ${forMs} ms)`)
  },
}
