// SPDX-License-Identifier: MIT
// npm run simulate -- [--seeds 100000] [--from 1]: stops at the first seed that breaks a promise, and says how.
import { parseArgs } from 'node:util'
import { simulate } from './simulate.ts'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, from: { type: 'string', default: '1' } },
})
const from = Number(values.from)
const count = Number(values.seeds)
const startedAt = performance.now()
const found = simulate({ from, count })
const seconds = (performance.now() - startedAt) / 1000
const { ends, rollouts, steps, violation } = found
process.stdout.write(
  `${found.seeds} seeds, ${rollouts} rollouts, ${steps} steps in ${seconds.toFixed(1)} s: ${JSON.stringify(ends)}\n`,
)
if (violation) {
  process.stderr.write(`seed ${violation.seed}: ${violation.message}\n`)
  process.exitCode = 1
}
