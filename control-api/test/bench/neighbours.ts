// SPDX-License-Identifier: MIT
// `npm run bench -- neighbours`: a release to nodes that give it to each other, by the real exchange with transfers that are
// reckoned (test/neighbours/simulate.ts): how often it leaves the control plane, and how long until all have it. Then with
// real nodes on this machine, and visitors (given-releases.ts); 0 of them: that part is left out.
//   npm run bench -- neighbours [--nodes N] [--failing SHARE] [--transfer-seconds S] [--seeds N]
//                               [--real N] [--zones N] [--files N] [--mib N] [--rounds N] [--seconds S] [--in DIR]
//                               [--visit-ms N] [--kib-per-second N]
// A visitor of each node asks each so many ms. A node takes so many KiB/s (of less than 512 a node takes nothing from
// neighbours) and gives four times that; 0: as fast as it can, which on one machine is the processor that the visitors' answers need as well.
import { loadavg, tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { simulate } from '../neighbours/simulate.ts'
import { measureGiven } from './given-releases.ts'
import type { Endable } from './release-farm.ts'

const WAYS = [
  { zones: 1, acrossZones: false },
  { zones: 2, acrossZones: false },
  { zones: 2, acrossZones: true },
  { zones: 20, acrossZones: false },
  { zones: 20, acrossZones: true },
]

const say = (line: string) => process.stdout.write(`${line}\n`)

function reckon(options: { nodes: number; failing: number; transferMs: number; seeds: number }) {
  const { nodes, seeds, ...rest } = options
  say(
    '| zones | across | sent × release, middle / most | rounds, middle / most | questions of a node | distrusted |',
  )
  say('|---|---|---|---|---|---|')
  for (const way of WAYS) {
    const runs = Array.from({ length: seeds }, (_, seed) => {
      const run = simulate({ nodes, seed, ...rest, ...way })
      const lacking = nodes - run.through - run.left
      if (lacking > 0) throw new Error(`${lacking} nodes never got it (seed ${seed})`)
      return run
    })
    const of = (value: (run: (typeof runs)[number]) => number) =>
      runs.map(value).toSorted((a, b) => a - b)
    const cells = [
      ...[way.zones, way.acrossZones ? 'yes' : 'no'],
      ...[
        pair(
          of((run) => run.sent),
          2,
        ),
        pair(
          of((run) => run.rounds),
          1,
        ),
      ],
      ...[
        pair(
          of((run) => run.questions / nodes),
          1,
        ),
        pair(
          of((run) => run.distrusted),
          0,
        ),
      ],
    ]
    say(`| ${cells.join(' | ')} |`)
  }
}

async function main(): Promise<void> {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const { values } = parseArgs({
    options: {
      ...{ nodes: text('1000'), failing: text('0.1'), seeds: text('20'), in: text(tmpdir()) },
      ...{ 'transfer-seconds': text('60'), real: text('20'), zones: text('2') },
      ...{ files: text('2000'), mib: text('64'), rounds: text('3'), seconds: text('10') },
      ...{ 'visit-ms': text('20'), 'kib-per-second': text('0') },
    },
  })
  const whole = (name: Exclude<keyof typeof values, 'failing' | 'in'>) => {
    const number = Number(values[name])
    if (Number.isInteger(number) && number >= 0) return number
    throw new Error(`--${name} must be a whole number`)
  }
  const [seeds, real] = [whole('seeds'), whole('real')]
  const transferMs = whole('transfer-seconds') * 1000
  if (seeds > 0)
    reckon({ nodes: whole('nodes'), failing: Number(values.failing), transferMs, seeds })
  if (real === 0) return
  const ends: Endable[] = []
  // A signal comes to this, too (processes.mjs).
  process.on('exit', () => {
    for (const { end } of ends) end()
  })
  const size = { files: whole('files'), bytes: whole('mib') * 2 ** 20 }
  const times = { rounds: whole('rounds'), seconds: whole('seconds') }
  const rates = {
    visitEveryMs: whole('visit-ms'),
    bytesPerSecond: whole('kib-per-second') * 1024,
  }
  const place = { nodes: real, zones: whole('zones'), within: values.in, say }
  await measureGiven({ ...size, ...times, ...rates, ...place }, ends)
  say(
    `load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(', ')}`,
  )
}

const pair = (sorted: readonly number[], digits: number) =>
  [sorted[sorted.length >> 1], sorted.at(-1)].map((n) => n?.toFixed(digits)).join(' / ')

if (import.meta.main) await main()
