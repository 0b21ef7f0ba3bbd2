// SPDX-License-Identifier: MIT
import type { Locator, Page } from '@playwright/test'

export class SignInPage {
  readonly #page: Page
  readonly heading: Locator

  constructor(page: Page) {
    this.#page = page
    this.heading = page.getByRole('heading', { name: 'Sign in' })
  }

  async signIn(username: string, password: string): Promise<void> {
    await this.#page.getByLabel('User name').fill(username)
    await this.#page.getByLabel('Password', { exact: true }).fill(password)
    await this.#page.getByRole('button', { name: 'Sign in' }).click()
  }

  async choosePassword(oneTime: string, chosen: string): Promise<void> {
    await this.#page.getByLabel('One-time password').fill(oneTime)
    await this.#page.getByLabel('New password', { exact: true }).fill(chosen)
    await this.#page.getByLabel('New password again').fill(chosen)
    await this.#page.getByRole('button', { name: 'Change password' }).click()
  }
}
