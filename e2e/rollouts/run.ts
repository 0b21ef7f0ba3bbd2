// SPDX-License-Identifier: MIT
// Rollouts to real nodes, each on a network of its own, under load; see README.md.
//   node e2e/rollouts/run.ts [--full] [--seed N] [--scenario NAME]… [--minutes N] [--keep]
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nodeBinary as builtNode } from '../../scripts/setup/paths.mjs'
import { Findings } from '../real-farm/findings.ts'
import { runInside, whyNone } from '../real-farm/namespaces.ts'
import { Random } from '../real-farm/random.ts'
import { browserTabs } from './browser-tabs.ts'
import { controlPlaneKilled, nodesComeAndGo } from './chaos.ts'
import { goodChange, oneReadThread, type Scenario, type Size, wrongRoot } from './scenarios.ts'
import { oldTabs } from './tabs.ts'

const SCENARIOS: readonly Scenario[] = [
  goodChange,
  oneReadThread,
  wrongRoot,
  oldTabs,
  browserTabs,
  nodesComeAndGo,
  controlPlaneKilled,
]
/** The small run's farms side by side, as they mostly wait; the full one's have the machine to themselves. */
const SIZES: { small: Size; full: Size } = {
  small: { nodes: 5, waves: [{ nodes: 1 }, { percent: 100 }], rounds: 1, minutes: 0 },
  full: {
    nodes: 20,
    waves: [{ nodes: 1 }, { percent: 25 }, { percent: 100 }],
    rounds: 8,
    minutes: 0,
  },
}

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    scenario: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '0' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const size = { ...(values.full ? SIZES.full : SIZES.small), minutes: Number(values.minutes) }
const say = (line: string) => process.stdout.write(`${line}\n`)
const nodeBinary = process.env.FARMSTEAD_NODE ?? builtNode

function chosen(): readonly Scenario[] {
  const wanted = values.scenario
  const unknown = wanted.find((name) => !SCENARIOS.some((one) => one.name === name))
  if (unknown !== undefined) {
    throw new Error(`no scenario "${unknown}": ${SCENARIOS.map(({ name }) => name).join(', ')}`)
  }
  if (wanted.length > 0) return SCENARIOS.filter(({ name }) => wanted.includes(name))
  return SCENARIOS.filter(({ isOnRequest }) => values.full || !isOnRequest)
}

type Place = { home: string; findings: Findings }

async function runScenario(scenario: Scenario, nth: number, { home, findings }: Place) {
  const { name } = scenario
  const startedAt = performance.now()
  const own = join(home, name.replaceAll(' ', '-'))
  mkdirSync(own)
  const randomFor = (what: string) => new Random(seed, `${name} ${what}`)
  const deps = { kind: name, nth, home: own, nodeBinary, findings, randomFor }
  try {
    await scenario.run(deps, size)
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    findings.wrong(name, 'it ended early', why)
  }
  say(`  ${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  findings.tell(name)
}

async function main(): Promise<number> {
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed must be a number, got "${values.seed}"`)
  if (!(size.minutes >= 0 && size.minutes <= 24 * 60)) {
    throw new Error(`--minutes must be 0 to 1440, got "${values.minutes}"`)
  }
  if (!existsSync(nodeBinary)) throw new Error(`${nodeBinary} is not built`)
  const without = whyNone()
  if (without !== null) {
    say(`LEFT OUT: no rollout to real nodes was tried, as no namespaces can be made (${without})`)
    say('0 passed, 0 failed')
    return 0
  }
  const ended = runInside(seed)
  if (ended !== null) return ended
  const home = mkdtempSync(join(tmpdir(), 'farmstead-rollouts-'))
  const findings = new Findings(say)
  say(`rollouts: seed ${seed}, ${size.nodes} nodes in each farm, in ${home}`)
  const able = chosen().filter(({ name, whyNot }) => {
    const why = whyNot?.() ?? null
    if (why !== null) say(`  ${name}: LEFT OUT, as ${why}`)
    return why === null
  })
  const todo = [...able.entries()]
  const lane = async () => {
    for (let next = todo.shift(); next; next = todo.shift()) {
      await runScenario(next[1], next[0] + 1, { home, findings })
    }
  }
  await Promise.all(Array.from({ length: values.full ? 1 : able.length }, lane))
  findings.repeatWrong()
  const failed = new Set(findings.found.map(({ kind }) => kind)).size
  if (failed > 0 || values.keep) say(`logs and states: ${home}`)
  else rmSync(home, { recursive: true, force: true })
  const wanted = values.scenario.map((name) => ` --scenario '${name}'`).join('')
  say(
    `the same again: node e2e/rollouts/run.ts${values.full ? ' --full' : ''} --seed ${seed}${wanted}`,
  )
  say(`${able.length - failed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
process.exit(await main())
