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
const VISIT_EVERY_MS = 20
const PAGES = 50

type GivenOptions = {
  nodes: number
  zones: number
  files: number
  bytes: number
  rounds: number
  seconds: number
  within: string
  say: (line: string) => void
}
type GivenRow = { name: string; seconds: number; sent: number; ended: string; seen: Seen }

/** Each round: all files are others, from the control plane; and once more, from neighbours. */
export async function measureGiven(options: GivenOptions, ends: Endable[] = []): Promise<void> {
  const { nodes, zones, files, bytes, rounds, seconds, say } = options
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
    await farm.serveRelease(RELEASE)
    await farm.rollOut({ [RELEASE]: first })
    for (const line of GIVEN_HEAD) say(line)
    const show = (row: GivenRow) => say(givenLine(row))
    visitors = new Visitors(farm.ports, pages, VISIT_EVERY_MS)
    const seen = visitors
    const take = async (name: string, isOn: boolean) => {
      const number = await pushAnew()
      await farm.setNeighbours(isOn)
      seen.take()
      const { seconds: took, sentBytes, ended } = await farm.rollOut({ [RELEASE]: number })
      show({ name, seconds: took, sent: sentBytes / bytes, ended, seen: seen.take() })
    }
    seen.take()
    await sleep(seconds * 1000)
    show({ name: 'nothing happens', seconds, sent: 0, ended: 'succeeded', seen: seen.take() })
    for (let round = 1; round <= rounds; round++) {
      await take(`${round}: from the control plane`, false)
      await take(`${round}: from neighbours`, true)
    }
  } finally {
    await visitors?.end()
    for (const { end } of ends) end()
  }
}

const GIVEN_HEAD = [
  '| step | s | sent × release | visits | failed | p50 ms | p99 ms | longest ms |',
  '|---|---|---|---|---|---|---|---|',
]

function givenLine({ name, seconds, sent, ended, seen }: GivenRow): string {
  const waits = [0.5, 0.99, 1].map((q) => (seen.ms.length ? quantile(seen.ms, q) : 0).toFixed(1))
  const title = ended === 'succeeded' ? name : `${name} (${ended})`
  const cells = [title, seconds.toFixed(1), sent.toFixed(2), seen.ms.length, seen.failed.length]
  return `| ${[...cells, ...waits].join(' | ')} |`
}

/** Small ones, from all over it; what may be served is added with each version. */
function pagesOf(files: number): (Page & { sha256: Set<string> })[] {
  const every = Math.max(1, Math.floor(files / PAGES))
  return Array.from({ length: Math.floor(files / every) }, (_, at) => at * every + 1)
    .filter((file) => file < files && isSmall(file))
    .map((file) => ({ path: pathOf(file), sha256: new Set<string>() }))
}

const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
