// SPDX-License-Identifier: MIT
// Tabs of a real Chromium, opened under one version after the other and left open: their scripts go on loading parts of the
// page behind a balancer that gives each request to any node of a farm in the midst of a rollout.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import { launchOptions } from '../chromium.ts'
import type { Random } from '../real-farm/random.ts'
import { RolloutFarm } from './farm.ts'
import { followEachOther, Generations, numberIn, TABS_HOST } from './releases-of-a-page.ts'
import { RequestBalancer } from './request-balancer.ts'
import { type Scenario, withFarm } from './scenarios.ts'

const TABS_OF_A_VERSION = 2
/** Few, as people do: a tab that asks seldom is old when it does. */
const EVERY_MS = 300
const ANSWER_WITHIN_MS = 30_000

type Tab = { number: number; page: Page; context: BrowserContext; parts: readonly string[] }
/** Of a page's script (releases-of-a-page.ts). */
type PageWindow = { use: (path: string) => Promise<string> }

class BrowserTabs {
  readonly #farm: RolloutFarm
  readonly #versions: Generations
  readonly #random: Random
  readonly #balancer: RequestBalancer
  readonly #statuses = new Map<string, number>()
  readonly #nodes = new Set<string>()
  readonly #asked = { tabs: 0, own: 0, older: 0, oldest: 0 }
  #browser: Browser | null = null
  #tabs: Tab[] = []
  #isOver = false
  #work: Promise<void> = Promise.resolve()

  constructor(farm: RolloutFarm, versions: Generations, random: Random, order: Random) {
    this.#farm = farm
    this.#versions = versions
    this.#random = random
    const { members } = farm
    this.#balancer = new RequestBalancer({
      ...{ members, random: order },
      onAnswer: ({ node, path, status }) => this.#count(node, path, status),
    })
  }

  begin(): void {
    this.#work = this.#visit().catch((error) => this.#farm.wrong(`the browser: ${error.stack}`))
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#work
    await this.#browser?.close()
    this.#balancer.stop()
    const all = [...this.#statuses].map(([status, count]) => `${status} ${count}`).join(', ')
    const { tabs, own, older, oldest } = this.#asked
    this.#farm.note(`requests by status, given to ${this.#nodes.size} nodes: ${all}`)
    this.#farm.note(
      `${tabs} tabs were opened; ${own} parts were loaded under the newest version ordered, ${older} later, by tabs of up to ${oldest} versions before`,
    )
    if (older === 0) this.#farm.wrong('no tab was ever older than the newest version')
  }

  #count(node: string, path: string, status: number | null): void {
    const what = status === null ? 'none' : `${status}`
    this.#statuses.set(what, (this.#statuses.get(what) ?? 0) + 1)
    this.#nodes.add(node)
    if (status !== 200) this.#farm.wrong(`${node} answered ${what} for ${path}`)
  }

  async #visit(): Promise<void> {
    const { visitors } = this.#farm
    const url = `http://${TABS_HOST}:${await this.#balancer.start(visitors)}/`
    const args = [...launchOptions.args, `--host-resolver-rules=MAP ${TABS_HOST} ${visitors}`]
    this.#browser = await chromium.launch({ ...launchOptions, args })
    while (!this.#isOver) {
      await this.#closeOld()
      const { current } = this.#versions
      const ofCurrent = this.#tabs.filter(({ number }) => number === current)
      if (ofCurrent.length < TABS_OF_A_VERSION && this.#random.chance(0.2)) await this.#open(url)
      else if (this.#tabs.length > 0) await this.#use(this.#random.pick(this.#tabs))
      await sleep(EVERY_MS)
    }
  }

  async #closeOld(): Promise<void> {
    for (const tab of this.#tabs.filter(({ number }) => !this.#versions.isOpen(number))) {
      this.#tabs.splice(this.#tabs.indexOf(tab), 1)
      await tab.context.close()
    }
  }

  /** With nothing in its cache that another tab has loaded. */
  async #open(url: string): Promise<void> {
    const context = await this.#browser?.newContext()
    if (!context) return
    const page = await context.newPage()
    page.setDefaultTimeout(ANSWER_WITHIN_MS)
    page.on('pageerror', ({ message }) => this.#farm.wrong(`a tab threw: ${message}`))
    page.on('requestfailed', (request) =>
      this.#farm.wrong(`a tab got nothing for ${request.url()}: ${request.failure()?.errorText}`),
    )
    await page.goto(url)
    const number = numberIn(await page.title())
    const parts: string[] = JSON.parse((await page.locator('#parts').textContent()) ?? '[]')
    this.#asked.tabs++
    this.#tabs.push({ number, page, context, parts })
  }

  async #use({ number, page, parts }: Tab): Promise<void> {
    const path = this.#random.pick(parts)
    const { current = 0 } = this.#versions
    this.#asked[number === current ? 'own' : 'older']++
    this.#asked.oldest = Math.max(this.#asked.oldest, current - number)
    const text = await page
      .evaluate((part) => (window as unknown as PageWindow).use(part), path)
      .catch((error) => `${error.message}`)
    if (text !== this.#versions.contentOf(path))
      this.#farm.wrong(`a tab of version ${number} got for ${path}: ${text}`)
  }
}

export const browserTabs: Scenario = {
  name: 'browser tabs',
  isOnRequest: true,
  run: async (deps, size) =>
    withFarm(await RolloutFarm.start(deps, size.nodes), (farm) => {
      const versions = new Generations(farm)
      const { randomFor } = deps
      const tabs = new BrowserTabs(farm, versions, randomFor('tabs'), randomFor('balancer'))
      return followEachOther(farm, size, versions, tabs)
    }),
}
