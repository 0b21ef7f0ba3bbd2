// SPDX-License-Identifier: MIT
// An operator's browser: one tab of the console that stays open all day, through every restart of the control plane. At the end
// it must show what is so without having been loaded again.
import { type Browser, chromium, type Page } from '@playwright/test'
import { launchOptions } from '../chromium.ts'
import type { Promised } from './day.ts'
import type { GameFarm } from './farm.ts'

/** Live updates find the way back within some seconds; lists are asked for again at most every two. */
const SHOWN_WITHIN_MS = 30_000

export class ConsoleTab {
  readonly #browser: Browser
  readonly #page: Page
  readonly #thrown: string[] = []

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser
    this.#page = page
    page.on('pageerror', ({ message }) => this.#thrown.push(message))
  }

  static async open(farm: GameFarm): Promise<ConsoleTab> {
    const browser = await chromium.launch(launchOptions)
    const { storageState } = farm.controlPlane.api
    const context = await browser.newContext({ storageState, baseURL: farm.consoleUrl })
    const page = await context.newPage()
    const tab = new ConsoleTab(browser, page)
    await page.goto('/nodes?q=edge-1')
    await page.getByRole('link', { name: 'edge-1' }).first().waitFor()
    return tab
  }

  /** A label that a node is given now is seen by itself. */
  async promise(farm: GameFarm): Promise<Promised> {
    const what = 'a tab of the console that was open all day shows what happens now'
    const mark = `day-${Date.now()}`
    await farm.controlPlane.api.label('edge-1', { mark })
    const isShown = await this.#page
      .getByText(mark)
      .first()
      .waitFor({ timeout: SHOWN_WITHIN_MS })
      .then(
        () => true,
        () => false,
      )
    const [thrown] = this.#thrown
    if (thrown !== undefined) return { what, broken: `it threw: ${thrown}` }
    return { what, broken: isShown ? null : 'a new label was not shown' }
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}
