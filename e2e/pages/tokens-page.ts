// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class TokensPage {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async open(): Promise<void> {
    await this.#page.goto('/settings/tokens')
    await this.permissions.waitFor()
  }

  get permissions(): Locator {
    return this.#page.getByRole('group', { name: 'Permissions' })
  }

  /** Makes one, and returns the secret that is shown this once. */
  async make(name: string, { permissions, password }: { permissions: string[]; password: string }) {
    await this.#page.getByLabel('Name', { exact: true }).fill(name)
    for (const one of permissions) {
      await this.permissions.getByRole('checkbox', { name: one, exact: true }).check()
    }
    await this.#page.getByLabel('Your password').fill(password)
    await this.#page.getByRole('button', { name: 'Make a token' }).click()
    return await this.secret(name).locator('code').first().innerText()
  }

  /** The panel of the token that was just made. */
  secret(name: string): Locator {
    return this.#page.getByRole('region', { name, exact: true })
  }

  row(name: string): Locator {
    return this.#page
      .getByRole('region', { name: 'Tokens, table' })
      .getByRole('row')
      .filter({ hasText: name })
  }

  async revoke(name: string): Promise<void> {
    await this.#page.getByRole('button', { name: `Revoke ${name}` }).click()
    await this.#page.getByRole('button', { name: 'Revoke 1 token' }).click()
  }
}
