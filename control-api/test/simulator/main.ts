// SPDX-License-Identifier: MIT
// npm run simulate -- [--seeds 100000] [--from 1] [--sql] [--cut]: stops at the first seed that breaks a promise, and
// says how. --sql: each seed is played to the real control plane over SQLite too, some hundred times slower.
// --cut: transactions change two nodes at most, so that whatever a rollout does goes on in parts.
// --shrink SEED: looks for less that breaks the same promise.
import { parseArgs } from 'node:util'
import { shrink } from './shrink.ts'
import { type Range, simulate } from './simulate.ts'
import { ALL, CUT } from './world.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    shrink: { type: 'string' },
    sql: { type: 'boolean', default: false },
    cut: { type: 'boolean', default: false },
  },
})
if (values.shrink === undefined) {
  const scope = values.cut ? CUT : ALL
  await runAll({ from: Number(values.from), count: Number(values.seeds), scope })
} else {
  tellLeast(values.shrink)
}

async function runAll(range: Range): Promise<void> {
  const startedAt = performance.now()
  // The service is not loaded for what does not need it.
  const overSql = async () => (await import('./over-sql.ts')).simulateOverSql(range)
  const found = values.sql ? await overSql() : simulate(range)
  const seconds = (performance.now() - startedAt) / 1000
  const { ends, rollouts, steps, violation } = found
  process.stdout.write(
    `${found.seeds} seeds, ${rollouts} rollouts, ${steps} steps in ${seconds.toFixed(1)} s: ${JSON.stringify(ends)}\n`,
  )
  if (violation) {
    process.stderr.write(`seed ${violation.seed}: ${violation.message}\n`)
    process.exitCode = 1
  }
}

function tellLeast(seed: string): void {
  const least = shrink(Number(seed))
  if (!least) {
    process.stdout.write(`seed ${seed} breaks no promise\n`)
    return
  }
  const { nodes, unrestMs, without } = least.scope
  const left = `at most ${nodes} nodes, ${unrestMs / 1000} s of unrest, without ${[...without].join()}`
  process.stderr.write(`seed ${seed}, ${left}: ${least.message}\n`)
  process.exitCode = 1
}
