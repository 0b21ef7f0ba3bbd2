// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class FarmPage {
  readonly #page: Page
  readonly heading: Locator

  constructor(page: Page) {
    this.#page = page
    this.heading = page.getByRole('heading', { name: 'Nodes', level: 1 })
  }

  async open(): Promise<void> {
    await this.#page.getByRole('navigation', { name: 'Places' }).getByText('Nodes').click()
    await this.heading.waitFor()
  }

  row(node: string): Locator {
    const name = this.#page.getByRole('link', { name: node, exact: true })
    return this.#page
      .getByRole('region', { name: 'Nodes, table' })
      .getByRole('row')
      .filter({ has: name })
  }

  async openNode(node: string): Promise<void> {
    await this.row(node).getByRole('link', { name: node, exact: true }).click()
    await this.#page.getByRole('heading', { name: node, level: 1 }).waitFor()
  }
}
