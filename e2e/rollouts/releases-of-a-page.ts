// SPDX-License-Identifier: MIT
// Versions of a release as a build tool makes them: one page, and files that are called by their contents. They go out one
// after the other, and now and then the one before comes back.
import { createHash } from 'node:crypto'
import { pushRelease } from '../fixtures/releases.ts'
import type { RolloutFarm } from './farm.ts'
import { describe, requireRight, type Size, strategyOf, watch } from './scenarios.ts'

const RELEASE = 'www'
export const TABS_HOST = 'tabs.example'
/** Tabs of so many versions are open beside those of the current one, and nodes keep as many. */
const KEPT = 5
const CHUNKS = 6
const SITE = {
  ...{ hosts: [TABS_HOST], release: RELEASE, releaseFallback: ['/assets/**'] },
  // What a tab must not get is the page in place of a file.
  tryFiles: [{ candidates: ['{path}', '/index.html'] }],
}
const SETTINGS = { releases: { keep: KEPT } }

export class Generations {
  readonly #farm: RolloutFarm
  /** By path: what is called by its content has one. */
  readonly #contents = new Map<string, string>()
  /** Which were ordered, the newest last, each once. */
  #ordered: number[] = []
  #versions = 0

  constructor(farm: RolloutFarm) {
    this.#farm = farm
  }

  get newest(): number {
    return this.#versions
  }

  /** The one that was ordered last. */
  get current(): number | undefined {
    return this.#ordered.at(-1)
  }

  /** Whether a tab that was opened under it may be open still. */
  isOpen(number: number): boolean {
    return this.#ordered.slice(-KEPT - 1).includes(number)
  }

  contentOf(path: string): string | undefined {
    return this.#contents.get(path)
  }

  /** Its script is always another one, its style each second time, a part each third to eighth. */
  async push(): Promise<number> {
    const number = ++this.#versions
    const script = this.#asset(SCRIPT.replace('VERSION', `${number}`), 'js')
    const style = this.#asset(`h1 { --of-version: ${number - (number % 2)} }\n`, 'css')
    const chunks = Array.from({ length: CHUNKS }, (_, i) =>
      this.#asset(`export default 'part ${i} of version ${number - (number % (i + 3))}'\n`, 'js'),
    )
    const assets = [script, style, ...chunks]
    const files = {
      'index.html': pageOf(number, script, style, chunks),
      ...Object.fromEntries(assets.map((path) => [path.slice(1), this.contentOf(path) ?? ''])),
    }
    const parent = number === 1 ? null : number - 1
    await pushRelease(this.#farm.controlPlane.api, RELEASE, files, parent)
    return number
  }

  #asset(text: string, type: string): string {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 10)
    const path = `/assets/${name}.${type}`
    this.#contents.set(path, text)
    return path
  }

  /** To all nodes by waves: its files go to all of them before the first. */
  async takeOut(size: Size, number: number): Promise<void> {
    const farm = this.#farm
    const version = { settings: SETTINGS, sites: [SITE], releases: { [RELEASE]: number } }
    const ordered = await farm.order(version, strategyOf(size, { gates: [] }))
    this.#ordered = [...this.#ordered.filter((one) => one !== number), number]
    const view = await watch(farm, ordered)
    if (view.state !== 'succeeded') farm.wrong(`version ${number} ended ${describe(view)}`)
    await farm.untilAgreed()
  }
}

/** What a page's own script can do with its parts: each by itself, as one that is needed late. */
const SCRIPT = `// of version VERSION
window.use = async (path) => {
  await import(path)
  return (await fetch(path, { cache: 'no-store' })).text()
}
`

const pageOf = (number: number, script: string, style: string, chunks: readonly string[]) =>
  `<!doctype html><title>version ${number}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}"><script type="module" src="${script}"></script>
<h1>version ${number}</h1><script type="application/json" id="parts">${JSON.stringify(chunks)}</script>
`

export const numberIn = (page: string): number => Number(/version (\d+)/.exec(page)?.[1])
export const assetsIn = (page: string): readonly string[] => page.match(/\/assets\/[\w.]+/g) ?? []

type Tabs = { begin: () => void; end: () => Promise<void> }

/** One version after the other, while `tabs` ask; the first is there before they begin. */
export async function followEachOther(
  farm: RolloutFarm,
  size: Size,
  versions: Generations,
  tabs: Tabs,
): Promise<void> {
  const startedAt = performance.now()
  const isOver = (round: number) =>
    size.minutes > 0 ? performance.now() > startedAt + size.minutes * 60_000 : round > size.rounds
  await versions.takeOut(size, await versions.push())
  tabs.begin()
  let orders = 1
  try {
    for (let round = 0; !isOver(round); round++, orders++) {
      const isBack = round % 4 === 3
      await versions.takeOut(size, isBack ? versions.newest - 1 : await versions.push())
    }
  } finally {
    await tabs.end()
  }
  farm.note(`${versions.newest} versions went out by ${orders} rollouts`)
  requireRight(farm)
}
