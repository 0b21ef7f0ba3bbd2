// SPDX-License-Identifier: MIT
// `npm run fleet`, and as part of the benches `npm run bench -- fleet`: a fleet of simulated nodes at a real control plane, over real
// TLS with a certificate each. What a push to all takes, whether anything that was measured is lost, what a restart of the
// control plane does to it, what nodes that give trouble do to a rollout, and what both sides cost.
//   npm run fleet -- [--nodes 100,1000] [--rollouts N] [--seconds S] [--seed N] [--trouble PERCENT] [--in DIR]
// 10,000 nodes take 6 GB and some twenty minutes on two cores: ask for them with --nodes 10000.
import { loadavg, tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seededRandom } from '../../src/base/seeded-random.ts'
import { type AllCounted, countedUntil, Farm, whenBack } from './connected-farm.ts'
import { cpuMsOf, residentBytesOf } from './process-cost.ts'
import type { Conduct } from './spoken-node.ts'

type Options = {
  nodes: number
  rollouts: number
  seconds: number
  seed: number
  trouble: number
  within: string
}
/** What was measured, in the order of the table. */
export type Measured = Map<string, string | number>
type Say = (line: string) => void

const ACKNOWLEDGED_WITHIN_MS = 1_800_000
const BACK_WITHIN_MS = 600_000
/** After the last thing that was done to it, until whatever a node still keeps counts as not taken. */
const TAKEN_WITHIN_MS = 120_000
/** So long a rollout with nodes that give trouble is watched. */
const TROUBLE_WITHIN_MS = 180_000
const LONGEST_SAID = 120
const KINDS = ['slow', 'nacking', 'flapping', 'crashing', 'skewed', 'cloned'] as const
type Kind = (typeof KINDS)[number]
/** Who takes a version for good, soon or late. */
const WILLING: readonly Kind[] = ['slow', 'flapping', 'crashing', 'skewed']

export async function measure(options: Options, say: Say): Promise<Measured> {
  const { nodes, rollouts, seconds, within } = options
  const measured: Measured = new Map()
  const note = (what: string, value: string | number) => {
    measured.set(what, value)
    say(`${nodes} nodes: ${what}: ${value}`)
  }
  const begunMs = performance.now()
  const farm = await Farm.start(nodes, within, (pid) =>
    note('MiB of the control plane without nodes', mib(residentBytesOf(pid))),
  )
  try {
    note('s until all were connected', secondsSince(begunMs))
    noteMemory(farm, note, 'connected')
    for (let i = 1; i <= rollouts; i++) {
      const pushed = await push(farm, nodes)
      if (i === 1) notePush(pushed, note)
      if (i === 1 || i === rollouts) noteMemory(farm, note, `after rollout ${i}`)
    }
    await rest(farm, seconds, note)
    await restart(farm, nodes, note)
    await giveTrouble(farm, options, note)
    await noteLost(farm, note)
    noteMemory(farm, note, 'at the end')
    note('load of the machine', (loadavg()[0] ?? 0).toFixed(1))
    return measured
  } finally {
    await farm.stop()
  }
}

type Note = (what: string, value: string | number) => void
type Pushed = { lastAckMs: number; endedMs: number; ended: string; cpuMs: number }

/** A version to all at once, with no gates. */
async function push(farm: Farm, nodes: number): Promise<Pushed> {
  const before = { wallMs: Date.now(), ms: performance.now(), cpuMs: cpuMsOf(farm.pid) }
  const { generation } = (await farm.count()).acknowledged
  const id = await farm.order()
  const { acknowledged } = await countedUntil(
    farm,
    ACKNOWLEDGED_WITHIN_MS,
    ({ acknowledged: a }) => a.generation > generation && a.nodes >= nodes,
  )
  const ended = await farm.ended(id)
  return {
    lastAckMs: acknowledged.lastMs - before.wallMs,
    endedMs: performance.now() - before.ms,
    ended,
    cpuMs: cpuMsOf(farm.pid) - before.cpuMs,
  }
}

function notePush({ lastAckMs, endedMs, ended, cpuMs }: Pushed, note: Note): void {
  note('s until the last node acknowledged a push', (lastAckMs / 1000).toFixed(1))
  note('s until the rollout ended', (endedMs / 1000).toFixed(1))
  note('how it ended', ended)
  note('CPU s of the control plane for it', (cpuMs / 1000).toFixed(1))
}

/** Nothing happens but that all report. */
async function rest(farm: Farm, seconds: number, note: Note): Promise<void> {
  const told = await farm.telemetry()
  const before = { cpuMs: cpuMsOf(farm.pid), agents: farm.agentsCost().cpuMs }
  const { reports } = await farm.count()
  const fromMs = performance.now()
  await sleep(seconds * 1000)
  const ms = performance.now() - fromMs
  const tells = await farm.telemetry()
  const more = (name: string) => tells(name) - told(name)
  const cores = (spent: number) => (spent / ms).toFixed(2)
  note('cores of the control plane at rest', cores(cpuMsOf(farm.pid) - before.cpuMs))
  note('cores of the nodes at rest', cores(farm.agentsCost().cpuMs - before.agents))
  note('reports/s', (((await farm.count()).reports - reports) / (ms / 1000)).toFixed(0))
  note('reports refused', more('farmstead_reports_total{outcome="refused"}'))
  const lag = tells('farmstead_event_loop_lag_seconds{quantile="0.99"}') * 1000
  note('ms that the loop is late, p99', lag.toFixed(0))
}

async function restart(farm: Farm, nodes: number, note: Note): Promise<void> {
  note('windows lost before the restart', await lostIn(farm, await farm.count()))
  // A control plane that stops turns away, too: what comes after is the new one's.
  let turnedAway = 0
  const { stopMs, startMs } = await farm.restart(async () => {
    farm.mark()
    turnedAway = (await farm.count()).turnedAway
  })
  const beganMs = Date.now() - startMs
  const after = await whenBack(farm, nodes, BACK_WITHIN_MS)
  note('s to stop the control plane', (stopMs / 1000).toFixed(1))
  note('s until it listened again', (startMs / 1000).toFixed(1))
  note('nodes back', after.back)
  note(
    's until the last was back, since it began',
    ((after.lastBackMs - beganMs) / 1000).toFixed(1),
  )
  note('messages turned away for load', after.turnedAway - turnedAway)
}

/** Some of each kind, chosen by the seed, and a push to all: what becomes of those that are well, and of the rollout. */
async function giveTrouble(
  farm: Farm,
  { nodes, seed, trouble }: Options,
  note: Note,
): Promise<void> {
  if (trouble === 0) return
  const random = seededRandom(seed)
  const each = Math.max(1, Math.round((nodes * trouble) / 100 / KINDS.length))
  const shuffled = farm.ids
    .map((id) => ({ id, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id)
  const chosen = KINDS.map((kind, i) => [kind, shuffled.slice(i * each, (i + 1) * each)] as const)
  for (const [kind, ids] of chosen) {
    if (kind === 'cloned') farm.clone(ids)
    else farm.conduct(kind satisfies Conduct, ids)
  }
  const unwilling = (KINDS.length - WILLING.length) * each
  note('nodes that give trouble, of each kind', each)
  const { generation } = (await farm.count()).acknowledged
  const orderedMs = Date.now()
  const id = await farm.order()
  const { acknowledged } = await countedUntil(
    farm,
    TROUBLE_WITHIN_MS,
    ({ acknowledged: a }) => a.generation > generation && a.nodes >= nodes - unwilling,
  )
  const got = acknowledged.generation > generation ? acknowledged.nodes : 0
  note(`of ${nodes - unwilling} willing, acknowledged beside trouble`, got)
  note('s until the last of them did', ((acknowledged.lastMs - orderedMs) / 1000).toFixed(1))
  const { state, reasonCode } = await farm.rollout(id)
  note('the rollout then', `${state}, ${reasonCode}`)
}

/** As the control plane counts since its start, and what nodes gave up. */
async function lostIn(farm: Farm, { lostWindows }: AllCounted): Promise<number> {
  const tells = await farm.telemetry()
  return tells('farmstead_report_windows_total{outcome="lost"}') + lostWindows
}

async function noteLost(farm: Farm, note: Note): Promise<void> {
  const left = await countedUntil(farm, TAKEN_WITHIN_MS, (counted) => counted.waitingWindows === 0)
  note('windows lost since the restart', await lostIn(farm, left))
  note('windows that nodes still keep', left.waitingWindows)
  note('messages refused because of clones', left.clonesDetected)
  note('messages that failed in all', left.failed)
  note('the last of them', left.lastFailure.slice(0, LONGEST_SAID) || 'none')
}

function noteMemory(farm: Farm, note: Note, when: string): void {
  note(`MiB of the control plane ${when}`, mib(residentBytesOf(farm.pid)))
  note(`MiB of the nodes ${when}`, mib(farm.agentsCost().bytes))
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0)
const secondsSince = (ms: number) => ((performance.now() - ms) / 1000).toFixed(1)

/** A column for each size. */
export function table(sizes: readonly number[], all: readonly Measured[]): string[] {
  const whats = new Set(all.flatMap((measured) => [...measured.keys()]))
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    row(['', ...sizes.map((size) => `${size} nodes`)]),
    `|${'---|'.repeat(sizes.length + 1)}`,
    ...[...whats].map((what) => row([what, ...all.map((measured) => measured.get(what) ?? '')])),
  ]
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '100,1000' },
      rollouts: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
      trouble: { type: 'string', default: '6' },
      in: { type: 'string', default: tmpdir() },
    },
  })
  const sizes = values.nodes.split(',').map(Number)
  const numbers = [values.rollouts, values.seconds, values.seed, values.trouble].map(Number)
  if ([...sizes, ...numbers].some((n) => !Number.isFinite(n) || n < 0) || sizes.includes(0)) {
    throw new Error('--nodes is one or more numbers with commas, the others are numbers from 0 on.')
  }
  const [rollouts = 0, seconds = 0, seed = 0, trouble = 0] = numbers
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const all: Measured[] = []
  for (const nodes of sizes) {
    const options = { nodes, rollouts, seconds, seed, trouble, within: values.in }
    all.push(await measure(options, say))
  }
  for (const line of ['', ...table(sizes, all)]) say(line)
}

if (import.meta.main) await main()
