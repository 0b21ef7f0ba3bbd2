// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class BackupsPage {
  readonly #page: Page
  /** Newest first. */
  readonly rows: Locator
  /** On every page, while the control plane is one that was put back. */
  readonly notice: Locator
  readonly goOn: Locator
  /** The button that lets it drive the farm. */
  readonly confirm: Locator

  constructor(page: Page) {
    this.#page = page
    this.rows = page.getByRole('region', { name: 'Backups, table' }).locator('tbody tr')
    this.notice = page.locator('div[data-tone]', { hasText: 'Restored from a backup' })
    this.goOn = page.getByRole('button', { name: 'Go on…' })
    this.confirm = page.getByRole('dialog').getByRole('button', { name: 'Go on from the backup' })
  }

  async make(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Back up now' }).click()
  }

  async download(to: string): Promise<void> {
    const download = this.#page.waitForEvent('download')
    await this.#page.getByRole('link', { name: /^Download/ }).click()
    await (await download).saveAs(to)
  }
}
