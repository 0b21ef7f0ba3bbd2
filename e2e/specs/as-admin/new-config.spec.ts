// SPDX-License-Identifier: MIT
// A config is made in the console, and stands in the editor then.

import { ANY_STATE } from '../../client/api.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'

test('a config is made from a folder; a name that there is already is refused', async ({
  page,
  api,
  farm,
  provokes,
}) => {
  provokes(/^409 .*\/made-here\/versions$/)
  const dialog = page.getByRole('dialog')
  const make = dialog.getByRole('button', { name: 'Create config' })
  await page.goto('/configs')
  await page.getByRole('button', { name: 'New config' }).click()
  await dialog.getByLabel('Name').fill('made-here')
  await expect(make).toBeRefused({ saying: /which folder/ })
  expect.soft(await wrongWithLooks(page)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Folder' }).fill(farm.siteDir)
  await make.click()
  await expect(page.getByRole('textbox', { name: 'Draft of config made-here' })).toContainText(
    farm.siteDir,
  )
  expect(JSON.parse(await api.textOf(1, 'made-here')).sites[0].root).toBe(farm.siteDir)

  await page.goto('/configs')
  await page.getByRole('button', { name: 'New config' }).click()
  await dialog.getByLabel('Name').fill('made-here')
  await dialog.getByRole('textbox', { name: 'Folder' }).fill('/elsewhere')
  await make.click()
  await expect(dialog.getByText('No config was made')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const params = { path: { name: 'made-here' }, ...ANY_STATE }
  await api.call.DELETE('/api/v1/configs/{name}', { params })
})
