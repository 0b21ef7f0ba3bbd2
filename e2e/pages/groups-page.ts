// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class GroupsPage {
  readonly #page: Page
  readonly dialog: Locator

  constructor(page: Page) {
    this.#page = page
    this.dialog = page.getByRole('dialog')
  }

  async open(): Promise<void> {
    await this.#page.goto('/groups')
    await this.row('default').waitFor()
  }

  row(group: string): Locator {
    const name = this.#page.getByRole('strong').getByText(group, { exact: true })
    return this.#page
      .getByRole('region', { name: 'Groups, table' })
      .getByRole('row')
      .filter({ has: name })
  }

  /** Fills the dialog of a new group, and leaves it open. */
  async describe({ name, selector }: { name: string; selector: string }): Promise<void> {
    await this.#page.getByRole('button', { name: 'New group' }).click()
    await this.dialog.getByLabel('Name', { exact: true }).fill(name)
    await this.dialog.getByLabel('Selector').fill(selector)
  }

  async save(): Promise<void> {
    await this.dialog.getByRole('button', { name: 'Save group' }).click()
    await this.dialog.waitFor({ state: 'detached' })
  }

  async giveConfig(group: string, config: string): Promise<void> {
    await this.#page.getByRole('button', { name: `Edit ${group}` }).click()
    await this.dialog.getByLabel('Config').selectOption(config)
    await this.save()
  }

  async remove(group: string): Promise<void> {
    await this.#page.getByRole('button', { name: `Remove ${group}` }).click()
    await this.dialog.getByRole('button', { name: 'Remove group' }).click()
    await this.dialog.waitFor({ state: 'detached' })
  }
}
