// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class ConfigForm {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** The editor's other view of the same text. */
  async open(): Promise<void> {
    await this.#page.getByRole('radiogroup', { name: 'Edit as' }).getByText('Form').click()
    await this.#page.getByRole('heading', { name: 'Sites', exact: true }).waitFor()
  }

  /** Beside the text, where the window is wide enough. */
  async showBoth(): Promise<void> {
    await this.#page.getByRole('radiogroup', { name: 'Edit as' }).getByText('Both').click()
    await this.#page.getByRole('heading', { name: 'Sites', exact: true }).waitFor()
  }

  /** By its name, set or not; the focus is there then. */
  async find(option: string): Promise<void> {
    const search = this.#page.getByRole('combobox', { name: 'Find an option' })
    await search.fill(option)
    await this.#page.getByRole('listbox', { name: 'Options found' }).waitFor()
    await search.press('Enter')
  }

  /** Every section, rule, fold and help, however deep. */
  async openEverything(): Promise<void> {
    const closed = this.#page.locator('fieldset button[aria-expanded="false"]')
    while ((await closed.count()) > 0) {
      await closed.evaluateAll((buttons) => {
        for (const button of buttons) (button as HTMLElement).click()
      })
    }
  }

  /** What opens and closes a section or a rule. */
  heading(title: string): Locator {
    return this.#page.getByRole('button', { name: new RegExp(`^${title}\\b`) })
  }

  /** The fields of an open section or rule. */
  part(title: string): Locator {
    return this.#page.getByRole('group', { name: new RegExp(`^${title}\\b`) })
  }

  field(part: string, label: RegExp): Locator {
    return this.part(part).getByRole('textbox', { name: label })
  }

  button(name: string): Locator {
    return this.#page.getByRole('button', { name, exact: true })
  }
}
