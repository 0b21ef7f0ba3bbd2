// SPDX-License-Identifier: MIT
// A rollout to ten thousand nodes in the console: a map, what may need a look, a page of rows; quick, and no larger than a page
// may be. Its rows are written into the database of a farm of this test's own, for nobody has so many machines.
import { join } from 'node:path'
import { openControlDb } from '../../../control-api/src/db/open.ts'
import {
  addLargeRollout,
  LARGE,
} from '../../../control-api/test/features/rollouts/large-rollout.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { Api, adminPassword, expect, test } from '../../fixtures/index.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

test.use({ farmOptions: { nodes: 1 } })

const NODES = 10_000
const MOST_ELEMENTS = 2000

test('a rollout to ten thousand nodes is a map, and rows of those that may need a look', async ({
  page,
  freshFarm: farm,
}) => {
  const api = new Api(farm.consoleUrl)
  const username = 'admin'
  await api.setUp({ token: farm.setupToken ?? '', username, password: adminPassword })
  const db = openControlDb(join(farm.home, 'control'))
  await addLargeRollout(db, NODES)
  await db.destroy()

  await page.goto(`${farm.consoleUrl}/rollouts/${LARGE}`)
  await new SignInPage(page).signIn(username, adminPassword)
  const nodes = page.getByRole('region', { name: 'Nodes', exact: true })
  const map = nodes.getByRole('group', { name: /^Map of 10,000 nodes/ })

  await test.step('it is small, and shows the worst first', async () => {
    await expect(map).toBeVisible()
    const rows = nodes.getByRole('region', { name: 'Nodes of the rollout, table' }).getByRole('row')
    await expect(rows.nth(1)).toContainText('edge-00500')
    await expect(rows.nth(1)).toShowState('Refused')
    expect(await page.locator('*').count()).toBeLessThan(MOST_ELEMENTS)
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('keys go from cell to cell, and Enter shows one of them', async () => {
    await map.focus()
    await page.keyboard.press('End')
    await expect(nodes.getByText('edge-10000, wave 3: Pending').first()).toBeVisible()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect(nodes.getByRole('link', { name: 'edge-00002' })).toBeVisible()
  })

  await test.step('all nodes are pages, and a name finds one of them', async () => {
    await nodes.getByRole('button', { name: 'All', exact: true }).click()
    await nodes.getByRole('button', { name: 'Next 50' }).click()
    await expect(nodes.getByText('51 to 100 of 10,000 nodes')).toBeVisible()
    await nodes.getByRole('textbox', { name: 'Find nodes by name' }).fill('edge-09999')
    await expect(nodes.getByRole('link', { name: 'edge-09999' })).toBeVisible()
  })
})
