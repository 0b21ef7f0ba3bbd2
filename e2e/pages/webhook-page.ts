// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class WebhookPage {
  readonly #page: Page
  readonly state: Locator

  constructor(page: Page) {
    this.#page = page
    this.state = page.getByRole('region', { name: 'Its state' })
  }

  /** Makes one on the list's screen, and returns the secret that is shown this once. */
  async make(url: string, events: string): Promise<string> {
    await this.#page.goto('/settings/webhooks')
    await this.#page.getByLabel('Address').fill(url)
    await this.#page.getByLabel('Events').fill(events)
    await this.button('Make the webhook').click()
    const made = this.#page.getByRole('region', { name: 'New webhook' })
    return await made.locator('code').first().innerText()
  }

  async open(url: string): Promise<void> {
    await this.#page.getByRole('link', { name: url }).click()
    await this.state.waitFor()
  }

  button(name: string | RegExp): Locator {
    return this.#page.getByRole('button', { name })
  }

  /** Newest first. */
  attempts(event: string): Locator {
    return this.#page
      .getByRole('region', { name: 'Attempts, table' })
      .getByRole('row')
      .filter({ hasText: event })
  }
}
