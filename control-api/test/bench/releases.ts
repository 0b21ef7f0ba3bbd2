// SPDX-License-Identifier: MIT
// `npm run bench -- releases`: how long a release of files takes to the control plane and to all nodes, how many bytes it
// sends for it, what visitors notice of the switch and of the way back, and what a manifest of very many files costs.
//   npm run bench -- releases [--nodes N] [--files N] [--mib N] [--seconds S] [--manifest-files N] [--in DIR]
// 0 manifest files, or 0 nodes: that part is left out. All is on this machine: nodes, their disks, visitors and farmctl.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { measureManifest, type Step } from './large-manifest.ts'
import { changeFiles, isSmall, makeFiles, pathOf } from './made-files.ts'
import { quantile } from './quantile.ts'
import { type Cost, type Endable, ReleaseFarm } from './release-farm.ts'
import { type Page, type Seen, Visitors } from './visitors.ts'

const RELEASE = 'www'
/** So many may join in a minute from one address. */
const MOST_NODES = 25
const VISITED_NODES = 8
const VISIT_EVERY_MS = 20
const PAGES = 200
/** Of a hundred files so many change with the second version. */
const CHANGED_EVERY = 100

type Options = {
  nodes: number
  files: number
  bytes: number
  seconds: number
  manifestFiles: number
  within: string
  say: (line: string) => void
}
export type Row = Cost & { name: string; ended?: string; sentBytes: number; seen: Seen | null }
export type Measured = { rows: Row[]; steps: Step[] }

/** `ends`: what is to be ended when it is not waited for, the first one first. */
export async function measure(options: Options, ends: Endable[] = []): Promise<Measured> {
  try {
    const farm = await ReleaseFarm.start(options.within, (one) => ends.unshift(one))
    const rows = options.nodes > 0 ? await measureFarm(farm, options) : []
    const { manifestFiles: files, say } = options
    const steps = files > 0 ? await measureManifest(farm, { files, say }) : []
    return { rows, steps }
  } finally {
    for (const { end } of ends) end()
  }
}

async function measureFarm(farm: ReleaseFarm, options: Options): Promise<Row[]> {
  const { nodes, files, bytes, seconds, say } = options
  const rows: Row[] = []
  const root = join(farm.home, 'public')
  const row = async (name: string, work: () => Promise<Omit<Row, 'name' | 'seen'>>) => {
    say(name)
    visitors?.take()
    rows.push({ name, ...(await work()), seen: visitors?.take() ?? null })
  }
  let visitors: Visitors | null = null
  await makeFiles(root, { files, bytes })
  const changed = chosen(files, CHANGED_EVERY)
  const pages = pagesOf(root, files)
  say(`${nodes} nodes join`)
  await farm.join(nodes)
  await row(`push of ${files} files, ${mib(bytes)} MiB`, () => farm.push(RELEASE, root))
  await farm.serveRelease(RELEASE)
  await row(`to ${nodes} nodes that have none of it`, () => farm.rollOut({ [RELEASE]: 1 }))
  changeFiles(root, changed)
  await row(`push of ${changed.length} other files`, () => farm.push(RELEASE, root))
  addPages(pages, root)
  visitors = new Visitors(farm.ports.slice(0, VISITED_NODES), pages, VISIT_EVERY_MS)
  try {
    await row('nothing happens', () => resting(farm, seconds))
    await row('to all nodes', () => farm.rollOut({ [RELEASE]: 2 }))
    await row('back to the first', () => farm.rollOut({ [RELEASE]: 1 }))
  } finally {
    await visitors.end()
  }
  return rows
}

async function resting(farm: ReleaseFarm, seconds: number) {
  return { ...(await farm.measured(() => sleep(seconds * 1000))), sentBytes: 0 }
}

/** Small ones, from all over it. */
const chosen = (files: number, every: number): number[] =>
  Array.from({ length: Math.ceil(files / every) }, (_, at) => at * every + 1).filter(
    (file) => file < files && isSmall(file),
  )

type Pages = (Page & { sha256: Set<string> })[]

/** Some that change, and some that don't. */
function pagesOf(root: string, files: number): Pages {
  const every = Math.max(1, Math.floor(files / PAGES))
  const pages: Pages = chosen(files, every).map((file) => ({
    path: pathOf(file),
    sha256: new Set(),
  }))
  addPages(pages, root)
  return pages
}

/** What is there now may be served, too. */
function addPages(pages: Pages, root: string): void {
  for (const { path, sha256 } of pages) {
    sha256.add(
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    )
  }
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0)
const ms = (value: number | undefined) => (value === undefined ? '' : value.toFixed(1))

export function table({ rows, steps }: Measured): string[] {
  const lines = [
    '| step | s | sent MiB | service CPU s | service at most MiB | node or farmctl at most MiB | visits | failed | p50 ms | p99 ms | longest ms |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(({ name, seconds, sentBytes, cpuMs, serviceBytes, otherBytes, seen }) => {
      const cost = [seconds.toFixed(1), mib(sentBytes), (cpuMs / 1000).toFixed(1)]
      const memory = [mib(serviceBytes), otherBytes > 0 ? mib(otherBytes) : '']
      const of = (q: number) => (seen?.ms.length ? quantile(seen.ms, q) : undefined)
      const visits = [seen?.ms.length ?? '', seen?.failed.length ?? '']
      const waits = [of(0.5), of(0.99), of(1)].map(ms)
      return `| ${[name, ...cost, ...memory, ...visits, ...waits].join(' | ')} |`
    }),
  ]
  const stepLines = [
    '| step | s | service CPU s | service at most MiB | farmctl at most MiB | others p50 ms | p99 ms | longest ms |',
    '|---|---|---|---|---|---|---|---|',
    ...steps.map(({ name, seconds, cpuMs, serviceBytes, otherBytes, othersMs }) => {
      const cost = [seconds.toFixed(1), (cpuMs / 1000).toFixed(1), mib(serviceBytes)]
      const waits = [0.5, 0.99, 1].map((q) => ms(quantile(othersMs, q)))
      return `| ${[name, ...cost, otherBytes > 0 ? mib(otherBytes) : '', ...waits].join(' | ')} |`
    }),
  ]
  const troubles = rows.flatMap(({ name, ended = 'succeeded', seen }) => [
    ...(ended === 'succeeded' ? [] : [`${name}: ${ended}`]),
    ...(seen?.failed ?? []).slice(0, 5).map((one) => `${name}: ${one}`),
  ])
  return [
    ...(rows.length > 0 ? lines : []),
    ...(steps.length > 0 ? ['', ...stepLines] : []),
    ...troubles,
  ]
}

function optionsOf(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '20' },
      files: { type: 'string', default: '10000' },
      mib: { type: 'string', default: '1024' },
      seconds: { type: 'string', default: '10' },
      'manifest-files': { type: 'string', default: '1000000' },
      in: { type: 'string', default: tmpdir() },
    },
  })
  const whole = (name: 'nodes' | 'files' | 'mib' | 'seconds' | 'manifest-files', from: number) => {
    const number = Number(values[name])
    if (Number.isInteger(number) && number >= from) return number
    throw new Error(`--${name} must be a whole number from ${from} on`)
  }
  const nodes = whole('nodes', 0)
  if (nodes > MOST_NODES)
    throw new Error(`--nodes: at most ${MOST_NODES}, so many may join a minute`)
  return {
    ...{ nodes, files: whole('files', 10), bytes: whole('mib', 1) * 2 ** 20 },
    ...{ seconds: whole('seconds', 1), manifestFiles: whole('manifest-files', 0) },
    within: values.in,
    say: (line) => process.stdout.write(`${line}\n`),
  }
}

async function main(): Promise<void> {
  const ends: Endable[] = []
  // A signal comes to this, too (processes.mjs).
  process.on('exit', () => {
    for (const { end } of ends) end()
  })
  const options = optionsOf(process.argv.slice(2))
  const measured = await measure(options, ends)
  options.say(table(measured).join('\n'))
  options.say(
    `load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(', ')}`,
  )
}

if (import.meta.main) await main()
