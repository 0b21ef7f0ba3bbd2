// SPDX-License-Identifier: MIT
// People sign in at their organisation's provider, and are worth here what their groups say.
import type { Page } from '@playwright/test'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { PROVIDER_LABEL } from '../../fixtures/identity-provider.ts'
import { test as base, expect } from '../../fixtures/index.ts'
import { FarmPage } from '../../pages/farm-page.ts'

const test = base.extend({ baseURL: async ({ farm }, use) => use(farm.consoleUrl) })

/** The provider's own pages: who one is, then that one agrees. */
async function signInThere(page: Page, login: string): Promise<void> {
  // Its sign-in page asks another site for a font.
  await page.route(/googleapis/, (route) => route.abort())
  await page.getByRole('link', { name: `Sign in with ${PROVIDER_LABEL}` }).click()
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('who is in a group signs in there, is led back to where they wanted to be, with its roles', async ({
  page,
  identityProvider: { people },
  provokes,
}) => {
  // The provider's page wants a font of another site.
  provokes(/ERR_FAILED \(\/css\)/)
  people.set('subject-ana', { username: 'ana', groups: ['night-shift', 'choir'] })
  await page.goto('/configs/default')
  await signInThere(page, 'subject-ana')
  await expect(page.getByRole('heading', { level: 1, name: 'default' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save version' })).toBeRefused({
    saying: /Your roles \(approver, operator\) do not allow this/,
  })
  await new FarmPage(page).open()
  await expect(page.getByRole('link', { name: 'Add a node' })).toBeVisible()

  await page.goto('/settings/single-sign-on')
  await expect(page.getByText('subject-ana')).toBeVisible()
  expect.soft(await wrongWithLooks(page)).toEqual([])
})

test('who is in no group that counts is told so, and not let in', async ({
  page,
  admin,
  identityProvider: { people },
  provokes,
}) => {
  provokes(/ERR_FAILED \(\/css\)/)
  people.set('subject-ben', { username: 'ben', groups: ['choir'] })
  await page.goto('/')
  await signInThere(page, 'subject-ben')
  await expect(page.getByRole('alert')).toContainText('You have no role here')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect.soft(await wrongWithLooks(page)).toEqual([])
  const { data } = await admin.call.GET('/api/v1/users')
  expect(data?.items.map(({ username }) => username)).not.toContain('ben')
})
