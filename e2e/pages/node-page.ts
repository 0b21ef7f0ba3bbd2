// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

type Corner = readonly [x: number, y: number]

export class NodePage {
  readonly #page: Page
  readonly latencyTable: Locator

  constructor(page: Page) {
    this.#page = page
    this.latencyTable = page.getByRole('region', { name: /^Latency: .*: table$/ })
  }

  panel(name: string): Locator {
    return this.#page.getByRole('region', { name, exact: true })
  }

  button(name: string | RegExp): Locator {
    return this.#page.getByRole('button', { name })
  }

  /** Corners are from 0 to 1: to the right, and downwards. */
  async dragOver(picture: Locator, { from, to }: { from: Corner; to: Corner }): Promise<void> {
    await picture.scrollIntoViewIfNeeded()
    const box = await picture.boundingBox()
    if (box === null) throw new Error('there is nothing to drag over')
    const at = ([x, y]: Corner) => [box.x + box.width * x, box.y + box.height * y] as const
    await this.#page.mouse.move(...at(from))
    await this.#page.mouse.down()
    await this.#page.mouse.move(...at(to), { steps: 3 })
    await this.#page.mouse.up()
  }

  /** Answers the question that is open. */
  async confirm(name: string | RegExp): Promise<void> {
    await this.#page.getByRole('dialog').getByRole('button', { name }).click()
  }

  async cordon(name: string, why: string): Promise<void> {
    const dialog = this.#page.getByRole('dialog')
    await this.#page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await dialog.getByLabel('Why').fill(why)
    await dialog.getByRole('button', { name: `Cordon ${name}` }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  /** Gives it these labels, having read `impact` before. */
  async relabel(labels: string, impact: RegExp): Promise<void> {
    const dialog = this.#page.getByRole('dialog')
    await this.button('Rename or label').click()
    await dialog.getByLabel('Labels').fill(labels)
    await dialog.getByText(impact).waitFor()
    await dialog.getByRole('button', { name: 'Save name and labels' }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  /** The command that a new token gives. */
  async command(): Promise<string> {
    const code = this.#page.locator('code', { hasText: /^farmstead-node join/ })
    return await code.innerText()
  }

  async showLatencyTable(): Promise<void> {
    const view = this.#page.getByRole('radiogroup', { name: /^Latency: .* as$/ })
    await view.getByText('Table').click()
  }

  /** Requests in the table's steps, together. */
  async requests(): Promise<number> {
    const cells = await this.latencyTable.locator('tbody tr td:last-child').allInnerTexts()
    const counts = cells.map((text) => Number(text.replace(/[^\d]/g, '')))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Steps with a p99 that is a number with its unit. */
  percentiles(): Locator {
    return this.latencyTable.getByRole('cell', { name: /^[\d.,]+\s(s|ms|µs)$/ })
  }
}
