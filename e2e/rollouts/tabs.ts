// SPDX-License-Identifier: MIT
// Tabs behind a balancer that knows nothing of rollouts: each got its page from some node, and asks any node for the
// files that this page names, long after other versions of the release have come, or the one before came back. Without a
// browser (browser-tabs.ts), and at a higher rate.
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../real-farm/ask.ts'
import type { Random } from '../real-farm/random.ts'
import { RolloutFarm } from './farm.ts'
import {
  assetsIn,
  followEachOther,
  Generations,
  numberIn,
  TABS_HOST,
} from './releases-of-a-page.ts'
import { type Scenario, withFarm } from './scenarios.ts'

const TABS_OF_A_VERSION = 10
const ASK_EVERY_MS = 40

type Tab = { number: number; assets: readonly string[] }

class Tabs {
  readonly #farm: RolloutFarm
  readonly #versions: Generations
  readonly #random: Random
  #tabs: Tab[] = []
  #isOver = false
  #visit: Promise<void> = Promise.resolve()
  readonly #asked = { pages: 0, own: 0, older: 0 }

  constructor(farm: RolloutFarm, versions: Generations, random: Random) {
    this.#farm = farm
    this.#versions = versions
    this.#random = random
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
      this.#tabs = this.#tabs.filter(({ number }) => this.#versions.isOpen(number))
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
    const answer = await ask(node, '/', TABS_HOST)
    if ('trouble' in answer || answer.status !== 200) {
      const what = 'trouble' in answer ? answer.trouble : `HTTP ${answer.status}`
      this.#farm.wrong(`${node.name} gave no page: ${what}`)
      return
    }
    this.#asked.pages++
    const page = answer.body.toString()
    const number = numberIn(page)
    const assets = assetsIn(page)
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
    const isNewest = this.#versions.current === number
    const answer = await ask(node, path, TABS_HOST)
    this.#asked[isNewest ? 'own' : 'older']++
    const what = `${node.name}, which serves ${answer.label}, gave a tab of version ${number}`
    if ('trouble' in answer) this.#farm.wrong(`${what} nothing for ${path}: ${answer.trouble}`)
    else if (answer.status !== 200) this.#farm.wrong(`${what} HTTP ${answer.status} for ${path}`)
    else if (answer.body.toString() !== this.#versions.contentOf(path))
      this.#farm.wrong(`${what} something else for ${path}`)
  }
}

export const oldTabs: Scenario = {
  name: 'old tabs',
  run: async (deps, size) =>
    withFarm(await RolloutFarm.start(deps, size.nodes), (farm) => {
      const versions = new Generations(farm)
      const tabs = new Tabs(farm, versions, deps.randomFor('tabs'))
      return followEachOther(farm, size, versions, tabs)
    }),
}
