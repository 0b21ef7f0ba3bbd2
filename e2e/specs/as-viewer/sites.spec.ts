// SPDX-License-Identifier: MIT
// Who may only look finds a site by its host, and sees who serves it, what changed it and where it stands in the text.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asViewer as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'

/** A report's time, and some for a busy machine. */
const COUNTED_WITHIN_MS = 120_000

test('a site is found by its host, with its nodes, its part of the config and what changed it', async ({
  page,
  farm,
  admin,
  request,
}) => {
  const first = configText(farm.siteDir).replace('["*"]', '["shop.e2e.example", "*"]')
  await admin.rollOut(await admin.saveVersion(first, 'A name for the site'))
  const header: [string, string] = ['X-Site', 'two']
  const second = configText(farm.siteDir, { header }).replace('["*"]', '["shop.e2e.example", "*"]')
  const version = await admin.saveVersion(second, 'A header more')

  await test.step('in the list, by a part of its host', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Sites', exact: true }).click()
    await page.getByLabel('Find by host or config').fill('e2e')
    await expect(page).toHaveURL(/\/sites\?q=e2e$/)
    const row = page.getByRole('row', { name: /shop\.e2e\.example/ })
    const count = row.getByRole('cell', { name: String(farm.nodes.length), exact: true })
    await expect(count).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await row.getByRole('link', { name: 'shop.e2e.example' }).click()
  })

  await test.step('who serves it, by the version that they run', async () => {
    await expect(page.getByRole('heading', { name: 'shop.e2e.example', level: 1 })).toBeVisible()
    const serving = page.getByRole('region', { name: `${farm.nodes.length} nodes` })
    await expect(serving.getByRole('link', { name: `default v${version - 1}` })).toBeVisible()
    for (const { name } of farm.nodes) {
      await expect(serving.getByRole('link', { name, exact: true })).toBeVisible()
    }
  })

  await test.step('its own requests, by version', async () => {
    const headers = { host: 'shop.e2e.example' }
    for (const { url } of farm.nodes) {
      for (let i = 0; i < 20; i++) await request.get(url, { headers })
      await request.get(`${url}/nothing-there`, { headers })
    }
    const traffic = page.getByRole('region', { name: 'Requests for shop.e2e.example' })
    const row = traffic.getByRole('row', { name: new RegExp(`^v${version - 1} `) })
    // Nodes report each few seconds, and the page asks twice a minute. A rollout's probes are among them.
    const requests = row.getByRole('cell').first()
    await expect(async () => {
      await page.reload()
      await expect(requests).toHaveText(/^\d+$/)
      expect(Number(await requests.textContent())).toBeGreaterThanOrEqual(21 * farm.nodes.length)
    }).toPass({ timeout: COUNTED_WITHIN_MS })
    await expect(row.getByRole('cell').nth(6)).toHaveText(/^[1-9.]+ %$/)
    const answers = page.getByRole('heading', { name: 'Answers per second by status' })
    await expect(answers).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('what changed it, newest first, and its lines in the text', async () => {
    const changes = page.getByRole('region', { name: 'Versions that changed it, table' })
    await expect(changes.getByRole('row').nth(1)).toContainText('A header more')
    await page.getByRole('link', { name: 'In the whole text' }).click()
    await expect(page).toHaveURL(new RegExp(`/configs/default/versions/${version}\\?`))
    const text = page.getByRole('textbox', { name: `Text of default v${version}` })
    await expect(text.getByText('shop.e2e.example')).toBeVisible()
  })
})
