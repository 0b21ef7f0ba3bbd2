// SPDX-License-Identifier: MIT
// A second person: added, signed in with a password for one use, shown what they may, with a second factor.
import type { Browser, Page } from '@playwright/test'
import { codeOf } from '../../fixtures/authenticator.ts'
import { expect, type Farm, asAdmin as test } from '../../fixtures/index.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

const NAME = 'vera'
const STEP_MS = 30_000
/** Of a browser on a busy machine, to type a code and send it. */
const TYPING_MS = 10_000
const leftOfStepMs = () => STEP_MS - (Date.now() % STEP_MS)
const PASSWORD = 'what vera chose for herself'

async function addUser(page: Page): Promise<string> {
  await page.goto('/settings/users')
  await page.getByRole('button', { name: 'Add a user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('User name').fill(NAME)
  await dialog.getByRole('button', { name: 'Add the user' }).click()
  await expect(dialog.getByText('One-time password')).toBeVisible()
  const password = await dialog.locator('code').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('row', { name: new RegExp(NAME) })).toContainText(
    'Has not signed in yet',
  )
  return password
}

async function stranger(browser: Browser, farm: Farm): Promise<Page> {
  const nobody = { cookies: [], origins: [] }
  const context = await browser.newContext({ baseURL: farm.consoleUrl, storageState: nobody })
  return await context.newPage()
}

async function chooseOwn(page: Page, oneTimePassword: string): Promise<void> {
  await page.goto('/')
  await new SignInPage(page).signIn(NAME, oneTimePassword)
  await page.getByLabel('One-time password').fill(oneTimePassword)
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('New password again').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
}

/** Returns the secret, to make codes of. */
async function addSecondFactor(page: Page): Promise<string> {
  await page.goto('/settings/security')
  const panel = page.getByRole('region', { name: 'Second factor' })
  await panel.getByLabel('Your password').fill(PASSWORD)
  await panel.getByRole('button', { name: 'Add a second factor' }).click()
  const secret = await panel.locator('code').innerText()
  // Of the step before, so that the next one is still good for signing in. It is good for as long as this one lasts.
  await expect.poll(leftOfStepMs, { timeout: STEP_MS }).toBeGreaterThan(TYPING_MS)
  await panel.getByLabel('Code').fill(codeOf(secret, Date.now() - 30_000))
  await panel.getByRole('button', { name: 'Switch on' }).click()
  await expect(panel.getByText('shown this once')).toBeVisible()
  return secret
}

test('a viewer begins, sees and may not change, and signs in with a second factor', async ({
  page,
  browser,
  farm,
}) => {
  const vera = await stranger(browser, farm)
  await chooseOwn(vera, await addUser(page))

  await vera.goto('/configs/default')
  await expect(vera.getByRole('button', { name: 'Save version' })).toBeDisabled()
  await vera.goto('/settings')
  await expect(vera.getByRole('link', { name: 'Users' })).toHaveCount(0)

  const secret = await addSecondFactor(vera)
  const elsewhere = await stranger(browser, farm)
  await elsewhere.goto('/')
  await new SignInPage(elsewhere).signIn(NAME, PASSWORD)
  await elsewhere.getByLabel('Code').fill(codeOf(secret))
  await elsewhere.getByRole('button', { name: 'Sign in' }).click()
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()

  await page.goto('/audit')
  await page.getByLabel('Who', { exact: true }).fill(NAME)
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(page.getByRole('row', { name: /signed-in|signed in/ })).toHaveCount(2)
  for (const one of [vera, elsewhere]) await one.context().close()
})
