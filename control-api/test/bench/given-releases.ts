// SPDX-License-Identifier: MIT
// Real nodes that give each other releases: what leaves the control plane for it, and what visitors notice, beside the same
// from the control plane alone.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSmall, makeFiles, pathOf } from './made-files.ts'
import { quantile } from './quantile.ts'
import { type Endable, ReleaseFarm } from './release-farm.ts'
import { type Page, type Seen, Visitors } from './visitors.ts'

const RELEASE = 'www'
const PAGES = 50

type GivenOptions = {
  nodes: number
  zones: number
  files: number
  bytes: number
  rounds: number
  seconds: number
  visitEveryMs: number
  /** That a node takes; it gives four times that, to as many, and no less than a farm may say. 0: as fast as they can. */
  bytesPerSecond: number
  within: string
  say: (line: string) => void
}
type GivenRow = { name: string; seconds: number; sent: number; ended: string; seen: Seen }
type Ratios = Map<string, number[]>

/** So many take from one node at a time, as the farm has it when nobody says another number. */
const TAKERS_AT_ONCE = 4
/** Of bytes per second, that a farm may say. */
const LEAST_GIVEN = 4_000_000

/**
 * Each round: all files are others, from the control plane; and once more, from neighbours. What visitors wait then is told as
 * so many times what they wait just before, when nothing happens: on a machine that others use, too, nothing else says much.
 */
export async function measureGiven(options: GivenOptions, ends: Endable[] = []): Promise<void> {
  const { nodes, zones, files, bytes, rounds, seconds, visitEveryMs, bytesPerSecond, say } = options
  let visitors: Visitors | null = null
  try {
    const farm = await ReleaseFarm.start(options.within, (one) => ends.unshift(one))
    const root = join(farm.home, 'public')
    const pages = pagesOf(files)
    const pushAnew = async () => {
      await makeFiles(root, { files, bytes })
      for (const page of pages) page.sha256.add(digestOf(join(root, page.path)))
      return (await farm.push(RELEASE, root)).number
    }
    say(`${nodes} nodes in ${zones} zones join`)
    await farm.join(nodes, zones)
    const first = await pushAnew()
    await farm.serveRelease(RELEASE, bytesPerSecond)
    await farm.rollOut({ [RELEASE]: first })
    for (const line of GIVEN_HEAD) say(line)
    const given =
      bytesPerSecond === 0 ? null : Math.max(LEAST_GIVEN, TAKERS_AT_ONCE * bytesPerSecond)
    visitors = new Visitors(farm.ports, pages, visitEveryMs)
    const seen = visitors
    const rest = async (name: string): Promise<Seen> => {
      seen.take()
      await sleep(seconds * 1000)
      const quiet = seen.take()
      say(givenLine({ name, seconds, sent: 0, ended: 'succeeded', seen: quiet }, null))
      return quiet
    }
    const ratios: Ratios = new Map()
    const take = async (round: number, from: string, isOn: boolean) => {
      const number = await pushAnew()
      await farm.setNeighbours(isOn, given)
      const before = await rest(`${round}: nothing happens`)
      const { seconds: took, sentBytes, ended } = await farm.rollOut({ [RELEASE]: number })
      const during = seen.take()
      const ratio = p99Of(during) / p99Of(before)
      ratios.set(from, [...(ratios.get(from) ?? []), ratio])
      const name = `${round}: from ${from}`
      say(givenLine({ name, seconds: took, sent: sentBytes / bytes, ended, seen: during }, ratio))
    }
    for (let round = 1; round <= rounds; round++) {
      await take(round, 'the control plane', false)
      await take(round, 'neighbours', true)
    }
    await rest('nothing happens')
    for (const [from, all] of ratios) say(ratioLine(from, all))
  } finally {
    await visitors?.end()
    for (const { end } of ends) end()
  }
}

const GIVEN_HEAD = [
  '| step | s | sent × release | visits | failed | p50 ms | p99 ms | longest ms | p99 × before |',
  '|---|---|---|---|---|---|---|---|---|',
]

const p99Of = ({ ms }: Seen): number => quantile(ms, 0.99)

function ratioLine(from: string, ratios: readonly number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b)
  const [least, middle, most] = [sorted[0], quantile(sorted, 0.5), sorted.at(-1)]
  const [a, b, c] = [least, middle, most].map((one) => one?.toFixed(2))
  return `p99 of visitors while it comes from ${from}: ${b} × before in the middle (${a} to ${c})`
}

function givenLine({ name, seconds, sent, ended, seen }: GivenRow, ratio: number | null): string {
  const waits = [0.5, 0.99, 1].map((q) => (seen.ms.length ? quantile(seen.ms, q) : 0).toFixed(1))
  const title = ended === 'succeeded' ? name : `${name} (${ended})`
  const cells = [title, seconds.toFixed(1), sent.toFixed(2), seen.ms.length, seen.failed.length]
  return `| ${[...cells, ...waits, ratio?.toFixed(2) ?? ''].join(' | ')} |`
}

/** Small ones, from all over it; what may be served is added with each version. */
function pagesOf(files: number): (Page & { sha256: Set<string> })[] {
  const every = Math.max(1, Math.floor(files / PAGES))
  return Array.from({ length: Math.floor(files / every) }, (_, at) => at * every + 1)
    .filter((file) => file < files && isSmall(file))
    .map((file) => ({ path: pathOf(file), sha256: new Set<string>() }))
}

const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
