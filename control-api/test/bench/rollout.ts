// SPDX-License-Identifier: MIT
// `npm run bench -- rollout`: how long a version takes from the order to the last healthy node, and what the
// nodes cost the control plane, idle and while they change.
//   npm run bench -- rollout [--nodes N] [--real N] [--seconds S]
// On a busy machine times are upper bounds; the processor time per node is the figure to look at.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cpuMsOf, residentBytesOf } from './process-cost.ts'
import { RolloutFarm } from './rollout-farm.ts'
import { type Spans, spans } from './rollout-times.ts'

/** Nothing is waited for but that nodes confirm: what is left is the engine and the channel. */
const LEAST = { minHealthySeconds: 0, soakSeconds: 0, maxSoakSeconds: 0, gates: [] }
const ORDERS = [
  { name: 'all at once', order: {} },
  {
    name: '1 node, 25 %, 100 %; 100 at a time',
    order: {
      strategy: {
        ...LEAST,
        waves: [{ nodes: 1 }, { percent: 25 }, { percent: 100 }],
        maxParallel: 100,
      },
    },
  },
  {
    name: '1 node, 25 %, 100 %; 10 at a time (default)',
    order: {
      strategy: { ...LEAST, waves: [{ nodes: 1 }, { percent: 25 }, { percent: 100 }] },
    },
  },
]

export type Row = Spans & {
  name: string
  cpuMsPerNode: number
  peakBytes: number
}
export type Costs = {
  nodes: number
  emptyBytes: number
  connectedBytes: number
  idleCpuShare: number
  rows: Row[]
}
type Options = { nodes: number; real: number; seconds: number; say: (line: string) => void }

export async function measure({ nodes, real, seconds, say }: Options): Promise<Costs> {
  const farm = await RolloutFarm.start()
  try {
    say(`${nodes} simulated and ${real} real nodes join`)
    await farm.join({ simulated: nodes, real })
    const emptyBytes = residentBytesOf(farm.pid)
    await farm.connect()
    const total = nodes + real
    say(`all are connected; idle for ${seconds} s`)
    const before = cpuMsOf(farm.pid)
    await sleep(seconds * 1000)
    const idleCpuShare = (cpuMsOf(farm.pid) - before) / (seconds * 1000)
    const connectedBytes = residentBytesOf(farm.pid)
    const rows: Row[] = []
    for (const { name, order } of ORDERS) {
      say(name)
      rows.push(await measureRollout(farm, { name, order, total }))
    }
    return { nodes: total, emptyBytes, connectedBytes, idleCpuShare, rows }
  } finally {
    await farm.stop()
  }
}

type Order = { name: string; order: object; total: number }

async function measureRollout(farm: RolloutFarm, { name, order, total }: Order): Promise<Row> {
  const before = cpuMsOf(farm.pid)
  const times = await farm.rollOut(order)
  const cpuMsPerNode = (cpuMsOf(farm.pid) - before) / total
  return { name, ...spans(times), cpuMsPerNode, peakBytes: residentBytesOf(farm.pid) }
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)

export function table({ nodes, emptyBytes, connectedBytes, idleCpuShare, rows }: Costs): string[] {
  const perNodeKb = (connectedBytes - emptyBytes) / nodes / 1000
  const idlePerNode = (idleCpuShare * 1000) / nodes
  return [
    `Idle with ${nodes} nodes connected: ${(idleCpuShare * 100).toFixed(1)} % of a core (${idlePerNode.toFixed(3)} ms/s per node), ${megabytes(connectedBytes)} MB resident (${perNodeKb.toFixed(0)} KB per node)`,
    '',
    '| rollout | healthy | half of them s | all of them s | CPU ms per node | resident MB |',
    '|---|---|---|---|---|---|',
    ...rows.map(({ name, healthy, halfMs, allMs, cpuMsPerNode, peakBytes }) => {
      const times = [seconds(halfMs), seconds(allMs)]
      const cells = [healthy, ...times, cpuMsPerNode.toFixed(1), megabytes(peakBytes)]
      return `| ${[name, ...cells].join(' | ')} |`
    }),
    ...rows
      .filter(({ ended }) => ended !== 'succeeded')
      .map(({ name, ended }) => `${name}: ${ended}`),
  ]
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '1000' },
      real: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '30' },
    },
  })
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const { nodes, real, seconds: idle } = values
  const wish = { nodes: Number(nodes), real: Number(real), seconds: Number(idle), say }
  say(table(await measure(wish)).join('\n'))
}

if (import.meta.main) await main()
