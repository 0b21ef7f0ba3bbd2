// SPDX-License-Identifier: MIT
// Browser tabs behind a balancer that knows nothing of rollouts: each got its page from some node, and asks any node for the
// files that this page names, long after other versions of the release have come, or the one before came back.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pushRelease } from '../fixtures/releases.ts'
import { ask } from '../real-farm/ask.ts'
import type { Random } from '../real-farm/random.ts'
import { RolloutFarm } from './farm.ts'
import {
  describe,
  requireRight,
  type Scenario,
  type Size,
  strategyOf,
  watch,
  withFarm,
} from './scenarios.ts'

const RELEASE = 'www'
const HOST = 'tabs.example'
/** Tabs of so many versions are open beside those of the current one, and nodes keep as many. */
const KEPT = 5
const TABS_OF_A_VERSION = 10
const ASK_EVERY_MS = 40
const SITE = {
  ...{ hosts: [HOST], release: RELEASE, releaseFallback: ['/assets/**'] },
  // What a tab must not get is the page in place of a file.
  tryFiles: [{ candidates: ['{path}', '/index.html'] }],
}
const SETTINGS = { releases: { keep: KEPT } }

type Tab = { number: number; assets: readonly string[] }

class Tabs {
  readonly #farm: RolloutFarm
  readonly #random: Random
  /** By path: what is called by its content has one. */
  readonly #contents = new Map<string, string>()
  /** Which were ordered, the newest last, each once. */
  #ordered: number[] = []
  #tabs: Tab[] = []
  #versions = 0
  #isOver = false
  #visit: Promise<void> = Promise.resolve()
  readonly #asked = { pages: 0, own: 0, older: 0 }

  constructor(farm: RolloutFarm, random: Random) {
    this.#farm = farm
    this.#random = random
  }

  get newest(): number {
    return this.#versions
  }

  /** Its style is the one before's each second time. */
  async push(): Promise<number> {
    const number = ++this.#versions
    const assets = [
      this.#asset(`// of version ${number}\n`, 'js'),
      this.#asset(`/* of version ${number - (number % 2)} */\n`, 'css'),
    ]
    const links = assets.map((path) => `<a href="/${path}"></a>`).join('\n')
    const files = {
      'index.html': `<h1>version ${number}</h1>\n${links}\n`,
      ...Object.fromEntries(assets.map((path) => [path, this.#contents.get(`/${path}`) ?? ''])),
    }
    const parent = number === 1 ? null : number - 1
    await pushRelease(this.#farm.controlPlane.api, RELEASE, files, parent)
    return number
  }

  #asset(text: string, type: string): string {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 10)
    const path = `assets/${name}.${type}`
    this.#contents.set(`/${path}`, text)
    return path
  }

  ordered(number: number): void {
    this.#ordered = [...this.#ordered.filter((one) => one !== number), number]
    const open = new Set(this.#ordered.slice(-KEPT - 1))
    this.#tabs = this.#tabs.filter((tab) => open.has(tab.number))
  }

  begin(): void {
    this.#visit = this.#visitAll()
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#visit
    const { pages, own, older } = this.#asked
    this.#farm.note(
      `${pages} pages were opened; of their files ${own} were asked for while theirs was the newest version ordered, ${older} later`,
    )
    if (older === 0) this.#farm.wrong('no tab was ever older than the newest version')
  }

  async #visitAll(): Promise<void> {
    while (!this.#isOver) {
      const tab =
        this.#tabs.length > 0 && this.#random.chance(0.8) ? this.#random.pick(this.#tabs) : null
      await (tab ? this.#askOf(tab) : this.#open())
      await sleep(ASK_EVERY_MS)
    }
  }

  #anyNode() {
    return this.#random.pick(this.#farm.members).node
  }

  async #open(): Promise<void> {
    const node = this.#anyNode()
    const answer = await ask(node, '/', HOST)
    if ('trouble' in answer || answer.status !== 200) {
      const what = 'trouble' in answer ? answer.trouble : `HTTP ${answer.status}`
      this.#farm.wrong(`${node.name} gave no page: ${what}`)
      return
    }
    this.#asked.pages++
    const page = answer.body.toString()
    const number = Number(/version (\d+)/.exec(page)?.[1])
    const assets = page.match(/\/assets\/[\w.]+/g) ?? []
    const isRare = this.#tabs.filter((tab) => tab.number === number).length < TABS_OF_A_VERSION
    if (isRare) this.#tabs.push({ number, assets })
    // A browser asks for the files at once, and most probably another node.
    for (const path of assets) await this.#ask(path, number)
  }

  async #askOf({ assets, number }: Tab): Promise<void> {
    await this.#ask(this.#random.pick(assets), number)
  }

  async #ask(path: string, number: number): Promise<void> {
    const node = this.#anyNode()
    const isNewest = this.#ordered.at(-1) === number
    const answer = await ask(node, path, HOST)
    this.#asked[isNewest ? 'own' : 'older']++
    const what = `${node.name}, which serves ${answer.label}, gave a tab of version ${number}`
    if ('trouble' in answer) this.#farm.wrong(`${what} nothing for ${path}: ${answer.trouble}`)
    else if (answer.status !== 200) this.#farm.wrong(`${what} HTTP ${answer.status} for ${path}`)
    else if (answer.body.toString() !== this.#contents.get(path))
      this.#farm.wrong(`${what} something else for ${path}`)
  }
}

/** To all nodes by waves: its files go to all of them before the first. */
async function takeOut(farm: RolloutFarm, size: Size, tabs: Tabs, number: number): Promise<void> {
  const version = { settings: SETTINGS, sites: [SITE], releases: { [RELEASE]: number } }
  const ordered = await farm.order(version, strategyOf(size, { gates: [] }))
  tabs.ordered(number)
  const view = await watch(farm, ordered)
  if (view.state !== 'succeeded') farm.wrong(`version ${number} ended ${describe(view)}`)
  await farm.untilAgreed()
}

async function followEachOther(farm: RolloutFarm, size: Size, random: Random): Promise<void> {
  const tabs = new Tabs(farm, random)
  const startedAt = performance.now()
  const isOver = (round: number) =>
    size.minutes > 0 ? performance.now() > startedAt + size.minutes * 60_000 : round > size.rounds
  await takeOut(farm, size, tabs, await tabs.push())
  tabs.begin()
  try {
    for (let round = 0; !isOver(round); round++) {
      const isBack = round % 4 === 3
      await takeOut(farm, size, tabs, isBack ? tabs.newest - 1 : await tabs.push())
    }
  } finally {
    await tabs.end()
  }
  farm.note(`${tabs.newest} versions went out`)
  requireRight(farm)
}

export const oldTabs: Scenario = {
  name: 'old tabs',
  run: async (deps, size) =>
    withFarm(await RolloutFarm.start(deps, size.nodes), (farm) =>
      followEachOther(farm, size, deps.randomFor('tabs')),
    ),
}
