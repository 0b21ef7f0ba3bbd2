// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

type Said = { below?: string; most: string; else: string }

/** The gates of a rollout that goes as somebody says. */
export class GateFields {
  readonly #part: Locator

  constructor(page: Page) {
    this.#part = page.getByRole('group', { name: 'Gates' })
  }

  /** The `number`-th one's; not there for what has no path. */
  below(number: number): Locator {
    return this.#part.getByLabel(new RegExp(`^Below which path gate ${number} looks`))
  }

  unit(number: number): Locator {
    return this.#part
      .getByRole('listitem')
      .nth(number - 1)
      .getByText(/, else$/)
  }

  async removeAll(): Promise<void> {
    const remove = this.#part.getByRole('button', { name: /^Remove gate/ })
    while ((await remove.count()) > 0) await remove.first().click()
  }

  async add(metric: string, { below, most, else: otherwise }: Said): Promise<void> {
    const number = (await this.#part.getByRole('listitem').count()) + 1
    await this.#part.getByRole('button', { name: 'Add a gate' }).click()
    await this.#part.getByLabel(`What gate ${number} compares`).selectOption({ label: metric })
    if (below !== undefined) await this.below(number).fill(below)
    await this.#part.getByLabel(new RegExp(`^Most of gate ${number},`)).fill(most)
    await this.#part.getByLabel(`When gate ${number} fails`).selectOption({ label: otherwise })
  }
}
