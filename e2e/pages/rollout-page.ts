// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class RolloutPage {
  readonly #page: Page
  readonly state: Locator

  constructor(page: Page) {
    this.#page = page
    this.state = page.getByRole('region', { name: 'State of the rollout' }).getByRole('status')
  }

  /** On the plan's screen; the default takes its time. */
  async chooseAtOnce(): Promise<void> {
    await this.#page.getByText('All at once', { exact: true }).click()
  }

  /** On the plan's screen. */
  async start(nodes: number): Promise<void> {
    await this.chooseAtOnce()
    await this.#page.getByRole('button', { name: `Start rollout to ${nodes} nodes` }).click()
  }

  async freeze(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Freeze…' }).click()
    await this.#page
      .getByRole('dialog')
      .getByRole('button', { name: 'Freeze', exact: true })
      .click()
  }

  task(node: string): Locator {
    const name = this.#page.getByRole('link', { name: node, exact: true })
    return this.#page
      .getByRole('region', { name: 'Nodes', exact: true })
      .getByRole('row')
      .filter({ has: name })
  }
}
