// SPDX-License-Identifier: MIT
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { pushRelease } from '../../fixtures/releases.ts'

test('a release is found, its files saved, its changes read, and a version deleted', async ({
  page,
  api,
  provokes,
}) => {
  // The page asks once more for the version that has just been deleted.
  provokes(/^404 .*\/versions\/2$/)
  await pushRelease(api, 'shop', { 'index.html': '<h1>one', 'img/a.svg': '<svg/>' })
  await pushRelease(api, 'shop', { 'index.html': '<h1>two!', 'new.txt': 'new' }, 1)

  await page.goto('/')
  await page.getByRole('link', { name: 'Releases' }).click()
  await page.getByRole('link', { name: 'shop', exact: true }).click()
  await expect(page.getByRole('row', { name: /v2 .*1 added, 1 changed, 1 removed/ })).toBeVisible()
  await page.getByRole('link', { name: 'v2', exact: true }).click()

  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download new.txt' }).click()
  expect((await saved).suggestedFilename()).toBe('new.txt')

  await page.getByText('Changes', { exact: true }).click()
  const changes = page.getByRole('region', { name: 'Changes, table' })
  await expect(changes.getByRole('row')).toHaveText([
    /What/,
    /removed.*img\/a\.svg/,
    /changed.*index\.html/,
    /added.*new\.txt/,
  ])

  await page.getByRole('button', { name: 'Delete this version' }).click()
  await page.getByRole('button', { name: 'Delete version' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('shop')
  await expect(page.getByRole('link', { name: 'v2', exact: true })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'v1', exact: true })).toBeVisible()
})
