// SPDX-License-Identifier: MIT
// Somebody asks "who gets these 404s?": requests as nodes answer them, searched, paused and counted.
import { phone, wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { whileVisiting } from '../../fixtures/visitors.ts'

/** On a phone, with twenty rows and what comes most often below them. */
const MOST_PX = 8_000

test('requests are searched live, without queries, and who asked is for who may see it', async ({
  page,
  farm,
  pageAs,
}) => {
  const urls = farm.nodes.map(({ url }) => url)
  const missing = `${urls[0]}/no/such/page?token=secret`
  await whileVisiting(urls, async () => {
    await page.goto('/sites')
    await page.getByRole('link', { name: 'Search requests' }).click()
    await page.getByLabel('Status').fill('4xx')
    await page.getByLabel('Path').fill('/no/such')
    await page.getByRole('button', { name: 'Start' }).click()
    const found = page.getByRole('region', { name: 'Found' })
    await expect(found.getByRole('status')).toHaveText('Live')
    for (let i = 0; i < 3; i++) await fetch(missing)
    const rows = found.locator('tbody tr')
    await expect(rows).toHaveCount(3)
    await expect(rows.first()).toContainText('/no/such/page')
    await expect(rows.first()).toContainText('404')
    await expect(page.locator('body')).not.toContainText('secret')
    // What visitors asked for meanwhile was looked at, and is not meant.
    await expect(found).toContainText(/3 of [\d,]+ requests match/)
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect(found.getByRole('status')).toHaveText('Ended')
    // An operator sees what was asked for, not who asked.
    await expect(page.getByLabel('Show who asked')).toHaveCount(0)

    const admins = await pageAs('admin')
    await admins.goto(page.url())
    await admins.getByLabel('Status').fill('')
    await admins.getByLabel('Path').fill('')
    await admins.getByLabel('Show who asked').check()
    await admins.getByRole('button', { name: 'Start' }).click()
    const clients = admins.getByRole('region', { name: 'Top clients' })
    await expect(clients.locator('tbody tr').first()).toContainText(/\d+\.\d+\.\d+\.\d+/)
    await expect(admins.getByRole('region', { name: 'Top paths' })).toContainText('/css/site.css')
    await expect(admins.getByText(/From [\d,]+ samples/)).toBeVisible()
    await expect(admins.getByRole('button', { name: 'Show 100 more' })).toBeVisible()
    await admins.setViewportSize(phone)
    const height = () => admins.evaluate(() => document.documentElement.scrollHeight)
    await expect.poll(height).toBeLessThan(MOST_PX)
    expect.soft(await wrongWithLooks(admins)).toEqual([])

    // The same for one site, where one thinks of it.
    await admins.goto('/sites/default/*')
    await admins.getByRole('button', { name: 'Look for a minute' }).click()
    await expect(admins.getByRole('region', { name: 'Top paths', exact: true })).toContainText(
      '/spring/',
    )
  })
})
