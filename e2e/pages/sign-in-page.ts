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

  /** The token is in the link. */
  async setUp(link: string, username: string, password: string): Promise<void> {
    await this.#page.goto(link)
    await this.#page.getByLabel('User name').fill(username)
    await this.#page.getByLabel('Password', { exact: true }).fill(password)
    await this.#page.getByLabel('Password again').fill(password)
    await this.#page.getByRole('button', { name: 'Make the administrator' }).click()
  }
}
