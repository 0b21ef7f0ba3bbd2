// SPDX-License-Identifier: MIT
// A state folder is copied, and runs twice, on two machines. Both are found out, both serve on and take
// nothing; the one that is kept goes on, the other never serves anything new.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealNode } from '../../real-farm/node.ts'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'
import { OwnNetwork } from '../machines.ts'

/** Said of the protocol: a clone asks again each 5 s. */
const HEARD_WITHIN_MS = 45_000
const DETECTED_WITHIN_MS = 45_000
const POLL_MS = 100
const QUIET_MS = 1500

const labels = (nodes: RealNode[]) =>
  Promise.all(nodes.map(async (node) => (await node.see()).label))

async function until(what: string, withinMs: number, test: () => Promise<boolean>) {
  const startedAt = performance.now()
  while (!(await test())) {
    if (performance.now() - startedAt > withinMs) throw new Error(`waited in vain: ${what}`)
    await sleep(POLL_MS)
  }
  return (performance.now() - startedAt) / 1000
}

async function startCopy(farm: FaultFarm, original: RealNode) {
  const name = 'copy'
  const dir = join(farm.home, name)
  const stateDir = join(dir, 'state')
  const network = await OwnNetwork.make(
    {
      ...{ dir, logFile: join(farm.home, `logs/${name}-network.log`) },
      ...{ controlPlanePort: farm.proxyPort, nodePort: original.port },
    },
    (socket) => farm.proxy.take(socket),
  )
  cpSync(original.stateDir, stateDir, { recursive: true })
  const { wrap, socketPath } = network
  const copy = farm.makeNode(name, original.port, {
    ...{ stateDir, wrap, socketPath, copyOf: original.name },
  })
  copy.start()
  return { copy, network, dir }
}

export const clone = {
  name: 'clone',
  nodes: 1,
  async round(farm: FaultFarm, random: Random): Promise<void> {
    const { api } = farm.controlPlane
    const [original] = farm.nodes
    if (!original) throw new Error('there is no node')
    const view = async () => (await api.nodes())[0]
    const { copy, network, dir } = await startCopy(farm, original)
    farm.injected('copy started')
    const both = [original, copy]
    const detectedAfter = await until('both are found out', DETECTED_WITHIN_MS, async () => {
      return Boolean((await view())?.clone)
    })
    farm.note(`found out after ${detectedAfter.toFixed(1)} s`)
    await until(
      'the copy serves',
      DETECTED_WITHIN_MS,
      async () => !(await labels(both)).includes(null),
    )
    await farm.untilAgreed(both, performance.now(), '(undecided)')
    const before = await labels(both)
    const label = await farm.push()
    await sleep(QUIET_MS)
    if ((await labels(both)).join() !== before.join()) farm.wrong('a clone took a config')
    const node = await view()
    const { incarnation } = random.pick(node?.clone?.incarnations ?? [])
    await api.keepClone(node?.id ?? '', incarnation)
    let served = before
    const heardAfter = await until(`one serves ${label}`, HEARD_WITHIN_MS, async () => {
      served = await labels(both)
      return served.includes(label) && !served.includes(null)
    })
    farm.note(`the kept one took the waiting version ${heardAfter.toFixed(1)} s after the decision`)
    const kept = served[0] === label ? original : copy
    const other = kept === original ? copy : original
    await farm.untilAgreed([kept], performance.now(), '(decided)')
    if (served[both.indexOf(other)] !== before[both.indexOf(other)]) {
      farm.wrong(`the clone that was not kept serves ${served}`)
    }
    await tidy(farm, { original, copy, kept })
    await network.end()
    rmSync(dir, { recursive: true, force: true })
  },
}

/** What was kept goes on as the original, in its place. */
async function tidy(
  farm: FaultFarm,
  { original, copy, kept }: { original: RealNode; copy: RealNode; kept: RealNode },
): Promise<void> {
  farm.expectDown(original)
  await copy.stop()
  if (kept === copy) {
    await original.stop()
    rmSync(original.stateDir, { recursive: true })
    cpSync(copy.stateDir, original.stateDir, { recursive: true })
    original.start()
  }
  await farm.untilAgreed([original], performance.now(), '(kept)')
  await farm.mustTake()
}
