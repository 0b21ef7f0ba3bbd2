// SPDX-License-Identifier: MIT
// A game day: everything that can happen to a farm happens to one for half an hour, and a page says what came of it.
//   npm run gameday -- [--minutes 30] [--seed N] [--nodes 5] [--simulated 200] [--rate 50] [--load 50] [--page FILE] [--keep]
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { nodeBinary as builtNode } from '../../scripts/setup/paths.mjs'
import { runInside, whyNone } from '../real-farm/namespaces.ts'
import { Random } from '../real-farm/random.ts'
import { Balancer } from './balancer.ts'
import { ConsoleTab } from './console-tab.ts'
import { Day, type Promised } from './day.ts'
import { GameFarm } from './farm.ts'
import { summarise } from './figures.ts'
import { Load } from './load.ts'
import { pageOf } from './page.ts'
import { ms } from './picture.ts'
import { Visitors } from './visitors.ts'

/** Whatever is left of an attack or a start is over by then, for the load tool. */
const LOAD_ENDS_EARLY_SECONDS = 5

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    nodes: { type: 'string', default: '5' },
    simulated: { type: 'string', default: '200' },
    rate: { type: 'string', default: '50' },
    load: { type: 'string', default: '50' },
    page: { type: 'string', default: 'gameday.html' },
    keep: { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

function numberOf(
  name: 'minutes' | 'seed' | 'nodes' | 'simulated' | 'rate' | 'load',
  least: number,
  most: number,
) {
  const given = Number(values[name])
  if (given >= least && given <= most) return given
  throw new Error(`--${name} must be a number from ${least} to ${most}, got "${values[name]}"`)
}

async function main(): Promise<number> {
  const seed = numberOf('seed', 0, 2 ** 31)
  const minutes = numberOf('minutes', 0.2, 24 * 60)
  const [realNodes, simulatedNodes] = [numberOf('nodes', 2, 50), numberOf('simulated', 0, 2000)]
  const [perSecond, loadPerSecond] = [numberOf('rate', 1, 500), numberOf('load', 0, 1000)]
  const nodeBinary = process.env.FARMSTEAD_NODE ?? builtNode
  if (!existsSync(nodeBinary)) throw new Error(`${nodeBinary} is not built: npm start builds it`)
  const without = whyNone()
  if (without !== null) throw new Error(`a game day needs namespaces, and root: ${without}`)
  const ended = runInside(seed)
  if (ended !== null) return ended

  const home = mkdtempSync(join(tmpdir(), 'farmstead-gameday-'))
  const again = `npm run gameday -- --minutes ${minutes} --seed ${seed} --nodes ${realNodes} --simulated ${simulatedNodes} --rate ${perSecond} --load ${loadPerSecond}`
  say(
    `game day: seed ${seed}, ${minutes} minutes, ${realNodes} real nodes, ${simulatedNodes} simulated, in ${home}`,
  )
  const unexplained: string[] = []
  const wrong = (sentence: string) => {
    unexplained.push(sentence)
    say(`WRONG ${sentence}`)
  }
  const randomFor = (what: string) => new Random(seed, what)
  const farm = await GameFarm.start({ home, nodeBinary, realNodes, simulatedNodes, wrong })
  const balancer = new Balancer(farm.members, randomFor('balancer'))
  try {
    const port = await balancer.start(farm.network.visitors)
    const tab = await ConsoleTab.open(farm)
    const visitors = new Visitors({
      ...{ members: farm.members, pages: farm.pages, perSecond, random: randomFor('visitors') },
      isGood: (label) => farm.isGood(label),
    })
    const seconds = Math.max(5, minutes * 60 - LOAD_ENDS_EARLY_SECONDS)
    const load =
      loadPerSecond > 0 ? new Load(farm, { port, perSecond: loadPerSecond, seconds }) : null
    const day = new Day(farm, visitors, { randomFor, say })
    await day.run(minutes)
    const told = (await load?.ended()) ?? null
    const promises = [...(await day.promises(unexplained)), await tab.promise(farm)]
    await visitors.stop()
    await tab.close()
    const sizes = { seed, minutes, realNodes, simulatedNodes, perSecond }
    const { done, looks } = day
    const seen = { seconds: visitors.seconds, troubles: visitors.troubles, done, looks }
    writeFileSync(values.page, pageOf({ ...sizes, ...seen, promises, load: told, again }))
    return tell(promises, summarise(visitors.seconds, looks), again)
  } finally {
    balancer.stop()
    await farm.stop()
    if (values.keep) say(`logs and states: ${home}`)
    else rmSync(home, { recursive: true, force: true })
  }
}

function tell(
  promises: readonly Promised[],
  { asked, availability, p99Ms }: ReturnType<typeof summarise>,
  again: string,
): number {
  for (const { what, broken } of promises)
    say(broken === null ? `kept: ${what}` : `BROKEN: ${what}: ${broken}`)
  say(
    `${asked} questions of visitors, ${(availability * 100).toFixed(3)} % answered right, 99th percentile ${ms(p99Ms)}`,
  )
  say(`the page: ${resolve(values.page)}`)
  say(`the same again: ${again}`)
  const failed = promises.filter(({ broken }) => broken !== null).length
  say(`${promises.length - failed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
process.exit(await main())
