// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class ConfigPage {
  readonly #page: Page
  readonly editor: Locator
  readonly problems: Locator
  readonly save: Locator

  constructor(page: Page, config = 'default') {
    this.#page = page
    this.editor = page.getByRole('textbox', { name: `Draft of config ${config}` })
    this.problems = page.getByRole('region', { name: 'Problems' })
    this.save = page.getByRole('button', { name: 'Save version' })
  }

  async open(): Promise<void> {
    await this.#page.getByRole('navigation', { name: 'Places' }).getByText('Configs').click()
    await this.#page.getByRole('link', { name: 'default', exact: true }).click()
    await this.editor.waitFor()
  }

  /** As a paste over everything: typed, the editor would add its own closing brackets. */
  async replaceText(text: string): Promise<void> {
    await this.editor.click()
    await this.#page.keyboard.press('ControlOrMeta+A')
    await this.#page.keyboard.insertText(text)
  }

  async saveVersion(message: string): Promise<void> {
    await this.save.click()
    const dialog = this.#page.getByRole('dialog')
    await dialog.getByLabel('Message').fill(message)
    await dialog.getByRole('button', { name: /^Save version/ }).click()
  }

  /** Where the text's cursor is, or what the form has it show. */
  get activeLine(): Locator {
    return this.#page.locator('.cm-line.cm-activeLine')
  }

  /** The mark beside the text that an error is in. */
  errorMark(): Locator {
    return this.#page.locator('.cm-lint-marker-error')
  }

  async planRollout(version: number): Promise<void> {
    const links = this.#page.getByRole('link', { name: `New rollout of v${version}` })
    await links.first().click()
  }
}
