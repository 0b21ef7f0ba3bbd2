// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class SettingsPage {
  readonly #page: Page
  readonly tabs: Locator

  constructor(page: Page) {
    this.#page = page
    this.tabs = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  }

  async open(place = ''): Promise<void> {
    await this.#page.goto(`/settings/${place}`)
    await this.#page.getByRole('heading', { level: 1 }).waitFor()
  }
}
