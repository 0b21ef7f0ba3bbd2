// SPDX-License-Identifier: MIT
// Injects faults into real farms and says what came of it; see README.md.
//   node e2e/faults/run.ts [--full] [--minutes N] [--seed N] [--kind NAME]… [--keep]
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nodeBinary as builtNode } from '../../scripts/setup/paths.mjs'
import { Findings } from '../real-farm/findings.ts'
import { whyNone } from '../real-farm/namespaces.ts'
import { buildPreload } from '../real-farm/preload.ts'
import { Random } from '../real-farm/random.ts'
import { KINDS, type Kind } from './kinds/index.ts'

/** Farms at a time: most of them wait for somebody's next try. */
const LANES = 4

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    kind: { type: 'string', multiple: true, default: [] },
    keep: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
/** No round begins after that. */
const untilMs = performance.now() + Number(values.minutes) * 60_000
const say = (line: string) => process.stdout.write(`${line}\n`)
const nodeBinary = process.env.FARMSTEAD_NODE ?? builtNode

function chosenKinds(): readonly Kind[] {
  const unknown = values.kind.find((name) => !KINDS.some((kind) => kind.name === name))
  if (unknown !== undefined) {
    throw new Error(`no kind "${unknown}": ${KINDS.map(({ name }) => name).join(', ')}`)
  }
  // Who names a kind wants it, whether the small run has it or not.
  if (values.kind.length > 0) return KINDS.filter(({ name }) => values.kind.includes(name))
  return KINDS.filter(({ rounds }) => values.full || rounds.small > 0)
}

type Place = { home: string; preload: string; findings: Findings }

type Job = { kind: Kind; farm: number }

const jobsOf = (kind: Kind): Job[] =>
  Array.from({ length: values.full ? kind.rounds.farms : 1 }, (_, farm) => ({ kind, farm }))

/** One kind, on a farm of its own. */
async function runJob({ kind, farm: nth }: Job, { home, preload, findings }: Place): Promise<void> {
  const random = new Random(seed, `${kind.name} ${nth}`)
  const rounds = values.full ? kind.rounds.full : Math.max(1, kind.rounds.small)
  const startedAt = performance.now()
  let round = 0
  try {
    const deps = { kind: kind.name, nodeBinary, preload, findings }
    await kind.run(
      { ...deps, home: join(home, `${kind.name.replaceAll(' ', '-')}-${nth + 1}`) },
      async (farm) => {
        for (; round < rounds && performance.now() < untilMs; round++)
          await kind.round(farm, random)
      },
    )
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    findings.wrong(kind.name, `round ${round + 1} of ${rounds} ended early`, why)
  }
  say(`  ${kind.name}: ${round} rounds in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}

async function main(): Promise<number> {
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed must be a number, got "${values.seed}"`)
  if (Number.isNaN(untilMs)) throw new Error(`--minutes must be a number, got "${values.minutes}"`)
  if (!existsSync(nodeBinary)) throw new Error(`${nodeBinary} is not built`)
  const home = mkdtempSync(join(tmpdir(), 'farmstead-faults-'))
  const findings = new Findings(say)
  const preload = buildPreload(home)
  const without = whyNone()
  const kinds = chosenKinds().filter((kind) => without === null || !kind.needsMachines)
  for (const { name } of chosenKinds().filter((kind) => !kinds.includes(kind))) {
    say(`  ${name}: left out, as no namespaces can be made here (${without})`)
  }
  const todo = kinds.flatMap(jobsOf)
  say(`faults: seed ${seed}, ${values.full ? 'full' : 'small'} run, in ${home}`)
  const unfinished = todo.map(({ kind }) => kind)
  const lane = async () => {
    for (let job = todo.shift(); job; job = todo.shift()) {
      await runJob(job, { home, preload, findings })
      const { kind } = job
      unfinished.splice(unfinished.indexOf(kind), 1)
      if (!unfinished.includes(kind)) findings.tell(kind.name)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  findings.repeatWrong()
  const failed = new Set(findings.found.map(({ kind }) => kind)).size
  if (failed > 0 || values.keep) say(`logs and states: ${home}`)
  else rmSync(home, { recursive: true, force: true })
  const chosen = values.kind.map((name) => ` --kind '${name}'`).join('')
  say(
    `the same again: node e2e/faults/run.ts${values.full ? ' --full' : ''} --seed ${seed}${chosen}`,
  )
  say(`${kinds.length - failed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
process.exit(await main())
