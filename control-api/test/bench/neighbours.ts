// SPDX-License-Identifier: MIT
// `npm run bench -- neighbours`: a release to nodes that give it to each other, by the real exchange with transfers that are
// reckoned (test/neighbours/simulate.ts): how often it leaves the control plane, and how long until all have it.
//   npm run bench -- neighbours [--nodes N] [--failing SHARE] [--transfer-seconds S] [--seeds N]
import { parseArgs } from 'node:util'
import { simulate } from '../neighbours/simulate.ts'

const WAYS = [
  { zones: 1, acrossZones: false },
  { zones: 2, acrossZones: false },
  { zones: 2, acrossZones: true },
  { zones: 20, acrossZones: false },
  { zones: 20, acrossZones: true },
]

function main(): void {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '1000' },
      failing: { type: 'string', default: '0.1' },
      'transfer-seconds': { type: 'string', default: '60' },
      seeds: { type: 'string', default: '20' },
    },
  })
  const [nodes, failing] = [Number(values.nodes), Number(values.failing)]
  const transferMs = Number(values['transfer-seconds']) * 1000
  const say = (line: string) => process.stdout.write(`${line}\n`)
  say(
    '| zones | across | sent × release, middle / most | rounds, middle / most | questions of a node | distrusted |',
  )
  say('|---|---|---|---|---|---|')
  for (const way of WAYS) {
    const runs = Array.from({ length: Number(values.seeds) }, (_, seed) => {
      const run = simulate({ nodes, failing, transferMs, seed, ...way })
      const lacking = nodes - run.through - run.left
      if (lacking > 0) throw new Error(`${lacking} nodes never got it (seed ${seed})`)
      return run
    })
    const of = (value: (run: (typeof runs)[number]) => number) =>
      runs.map(value).toSorted((a, b) => a - b)
    const [sent, rounds] = [of((run) => run.sent), of((run) => run.rounds)]
    const questions = of((run) => run.questions / nodes)
    const distrusted = of((run) => run.distrusted)
    const cells = [
      ...[way.zones, way.acrossZones ? 'yes' : 'no', pair(sent, 2), pair(rounds, 1)],
      ...[pair(questions, 1), pair(distrusted, 0)],
    ]
    say(`| ${cells.join(' | ')} |`)
  }
}

const pair = (sorted: readonly number[], digits: number) =>
  [sorted[sorted.length >> 1], sorted.at(-1)].map((n) => n?.toFixed(digits)).join(' / ')

if (import.meta.main) main()
