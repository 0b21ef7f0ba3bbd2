// SPDX-License-Identifier: MIT
// The first page says whether all is well, and where not, to who may only look; and leads there.
import { DAY_MS, make } from '../../../control-api/test/certificates/make.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { bodyOf, expect, asViewer as test } from '../../fixtures/index.ts'

test('shows whether all is well, and leads to what needs somebody', async ({
  page,
  admin,
  provokes,
}) => {
  await test.step('what runs, and what is under way', async () => {
    await page.goto('/')
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
    await expect(page.getByText(/^(All is well|Needs you)$/)).toBeVisible()
    const versions = page.getByRole('region', { name: 'Versions in use' })
    await expect(versions.getByRole('listitem').first()).toContainText(/default v\d/)
    await expect(page.getByText('Requests per second').first()).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('every node as a cell, by state or by what was measured', async () => {
    const cells = page.getByRole('region', { name: 'All nodes', exact: true })
    await page.getByLabel('Coloured by').selectOption('99 % of requests within')
    await page.getByLabel('Grouped by').selectOption('Label zone')
    await expect(page).toHaveURL(/by=p99&label=zone/)
    const picture = cells.getByRole('group', { name: /^Map of 3 nodes/ })
    await picture.focus()
    await page.keyboard.press('Home')
    await expect(cells.getByText(/^edge-1, zone=eu: /).first()).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'edge-1', level: 1 })).toBeVisible()
    await page.goto('/')
  })

  await test.step('one range for all, in the address', async () => {
    await page.getByText('24 h', { exact: true }).click()
    await expect(page).toHaveURL(/\?range=24h$/)
    await page.reload()
    await expect(page.getByRole('radio', { name: '24 h' })).toBeChecked()
  })

  await test.step('what changed, as far as a viewer may see it, narrowed in the address', async () => {
    const changed = page.getByRole('region', { name: 'What changed' })
    const saved = changed.getByRole('link', { name: /^Version \d+ of default saved$/ })
    await expect(saved.first()).toBeVisible()
    await expect(changed.getByText(/needs the permission audit:read/)).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await changed.getByText('Rollouts', { exact: true }).click()
    await expect(page).toHaveURL(/\?range=24h&show=rollout$/)
    await expect(saved).toHaveCount(0)
    await changed.getByText('Versions', { exact: true }).click()
    await saved.first().click()
    await expect(page).toHaveURL(/\/configs\/default\/versions\/\d+$/)
    await page.goto('/')
  })

  await test.step('a certificate near its end is told of, and gone when it is', async () => {
    const name = 'overview-ends'
    const life = { fromMs: Date.now() - 80 * DAY_MS, toMs: Date.now() + 5 * DAY_MS }
    const { pem: chain, key } = await make({ names: ['overview.invalid'], ...life })
    await bodyOf(admin.call.POST('/api/v1/certificates', { body: { name, chain, key } }))
    const needs = page.getByRole('region', { name: 'Needs you' })
    const line = needs.getByRole('link', { name: new RegExp(`^Certificate ${name} ends in`) })
    await expect(line).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await line.click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
    // The page may just be asking for the rest of it.
    provokes(/^404 .*\/certificates\/overview-ends/)
    await admin.call.DELETE('/api/v1/certificates/{name}', {
      params: { path: { name }, header: { 'if-match': '*' } },
    })
    await page.goto('/')
    await expect(page.getByText(/^(All is well|Needs you)$/)).toBeVisible()
    await expect(line).toHaveCount(0)
  })

  await test.step('a link to the list of nodes from before leads to its place', async () => {
    await page.goto('/?q=edge-2')
    await expect(page).toHaveURL(/\/nodes\?q=edge-2$/)
    await expect(page.getByRole('link', { name: 'edge-2', exact: true })).toBeVisible()
  })
})
