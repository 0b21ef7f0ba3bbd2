// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class RolloutPage {
  readonly #page: Page
  /** Its state, how far it is, and why. */
  readonly state: Locator

  constructor(page: Page) {
    this.#page = page
    this.state = page.getByRole('region', { name: 'State of the rollout' })
  }

  async open(id: string): Promise<void> {
    await this.#page.goto(`/rollouts/${id}`)
    await this.state.waitFor()
  }

  /** On the plan's screen; the default takes its time. */
  async chooseAtOnce(): Promise<void> {
    await this.#page.getByText('All at once', { exact: true }).click()
  }

  /** On the plan's screen. */
  async start(nodes: number): Promise<void> {
    await this.chooseAtOnce()
    const words = `Start rollout to ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`
    await this.#page.getByRole('button', { name: words }).click()
  }

  async freeze(): Promise<void> {
    await this.button('Freeze…').click()
    await this.dialog.getByRole('button', { name: 'Freeze', exact: true }).click()
  }

  button(name: string | RegExp): Locator {
    return this.#page.getByRole('button', { name, exact: true })
  }

  get dialog(): Locator {
    return this.#page.getByRole('dialog')
  }

  /** What is asked for a sentence: `open` opens it, `confirm` is its own button. */
  async explain({ open, confirm, why }: { open: string; confirm: string; why: string }) {
    await this.button(open).click()
    await this.dialog.getByLabel(/^Why/).fill(why)
    await this.dialog.getByRole('button', { name: confirm }).click()
    await this.dialog.waitFor({ state: 'detached' })
  }

  /** What a wave's nodes showed beside the others. */
  evidence(gate: string): Locator {
    return this.#page
      .getByRole('region', { name: 'Evidence, table' })
      .getByRole('row')
      .filter({ hasText: gate })
  }

  /** Who has to agree before it begins, and the like. */
  get waitsFor(): Locator {
    return this.#page.getByRole('region', { name: 'It has not begun' })
  }

  get timeline(): Locator {
    return this.#page.getByRole('region', { name: 'History' })
  }

  task(node: string): Locator {
    const name = this.#page.getByRole('link', { name: node, exact: true })
    return this.#page
      .getByRole('region', { name: 'Nodes', exact: true })
      .getByRole('row')
      .filter({ has: name })
  }
}
