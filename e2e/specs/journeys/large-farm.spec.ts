// SPDX-License-Identifier: MIT
// Ten thousand nodes in the console, and a rollout to them: a map, what may need a look, a page of rows; and of the farm the rows
// in the window. No page is larger than it may be. The rows are written into the database of a farm of this test's own, for nobody
// has so many machines.
import { join } from 'node:path'
import { openControlDb } from '../../../control-api/src/db/sqlite/open.ts'
import {
  addLargeRollout,
  LARGE,
} from '../../../control-api/test/features/rollouts/large-rollout.ts'
import { phone, wrongWithLooks } from '../../fixtures/axe.ts'
import { Api, adminPassword, expect, test } from '../../fixtures/index.ts'
import { keepPicture } from '../../fixtures/state-picture.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

/** In the page: by its document, and not by its script once more. */
const sessionAskedBy = () =>
  performance
    .getEntriesByType('resource')
    .filter(({ name }) => name.endsWith('/api/v1/session'))
    .map((entry) => (entry as PerformanceResourceTiming).initiatorType)

/** In the page, over a second. */
async function countFrames(): Promise<{ perSecond: number; longestMs: number }> {
  const from = performance.now()
  let [count, last, longestMs] = [0, from, 0]
  while (last - from < 1000) {
    const now = await new Promise<number>(requestAnimationFrame)
    longestMs = Math.max(longestMs, now - last)
    last = now
    count += 1
  }
  return { perSecond: (count * 1000) / (last - from), longestMs }
}

test.use({ farmOptions: { nodes: 1 } })

const NODES = 10_000
const MOST_ELEMENTS = 2000
/** Of all nodes in one answer. */
const MOST_BYTES = 200_000
/** About how high a row of the farm is. */
const ROW_PX = 36

test('of ten thousand nodes, and of a rollout to them, pages show a part and lead to the rest', async ({
  page,
  freshFarm: farm,
  provokes,
}) => {
  // By measurements so many cannot be sorted, and the page says so.
  provokes(/^400 \/api\/v1\/nodes$/)
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
    await expect.poll(() => page.locator('*').count()).toBeLessThan(MOST_ELEMENTS)
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

  await test.step('the overview has all of them as cells, and each leads to its node', async () => {
    const answered = page.waitForResponse((one) => one.url().includes('/api/v1/nodes/cells'))
    const begun = performance.now()
    await page.goto(farm.consoleUrl)
    const cells = page.getByRole('region', { name: 'All nodes', exact: true })
    const picture = cells.getByRole('group', { name: /^Map of 10,00\d nodes/ })
    await expect(picture).toBeVisible()
    const usableMs = performance.now() - begun
    const bytes = (await (await answered).body()).length
    expect(bytes).toBeLessThan(MOST_BYTES)
    await expect.poll(() => page.locator('*').count()).toBeLessThan(MOST_ELEMENTS)
    await keepPicture(page, test.info(), 'ten-thousand-nodes')
    await picture.hover({ position: { x: 30, y: 30 } })
    await expect(cells.getByText(/^edge-\d+, default: /).first()).toBeVisible()
    const box = await picture.boundingBox()
    const frames = page.evaluate(countFrames)
    for (let x = 40; x < (box?.width ?? 0); x += 5) {
      await page.mouse.move((box?.x ?? 0) + x, (box?.y ?? 0) + 40)
    }
    const { perSecond, longestMs } = await frames
    process.stdout.write(
      `overview of 10,000 nodes: usable after ${usableMs.toFixed(0)} ms, cells ${bytes} bytes, ` +
        `${perSecond.toFixed(0)} frames a second while pointing, the longest ${longestMs.toFixed(0)} ms\n`,
    )
    await picture.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expect(cells.getByText(/^edge-0000\d, default: /).first()).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await cells.getByText('Table', { exact: true }).click()
    const table = cells.getByRole('region', { name: 'All nodes, table' })
    await expect(table.getByRole('table')).toHaveAttribute('aria-rowcount', /^1000[1-9]$/)
    await table.getByRole('link', { name: 'edge-00002' }).click()
    await expect(page.getByRole('heading', { name: 'edge-00002', level: 1 })).toBeVisible()
  })

  await test.step('the farm reads what is in the window, and keeps the place of the keyboard', async () => {
    await page.goto(`${farm.consoleUrl}/nodes`)
    const table = page.getByRole('region', { name: 'Nodes, table' })
    await expect(table.getByRole('link', { name: 'edge-00001' })).toBeVisible()
    await expect(table.getByRole('table')).toHaveAttribute('aria-rowcount', /^1000[1-9]$/)
    expect(await page.evaluate(sessionAskedBy)).toEqual(['link'])
    await expect.poll(() => page.locator('*').count()).toBeLessThan(MOST_ELEMENTS)
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await table.getByRole('link', { name: 'edge-00002' }).focus()
    await page.evaluate((px) => window.scrollTo(0, px), 7000 * ROW_PX)
    await expect(table.getByRole('link', { name: /^edge-069|^edge-07/ }).first()).toBeVisible()
    await expect.poll(() => page.locator('*').count()).toBeLessThan(MOST_ELEMENTS)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'edge-00002', level: 1 })).toBeVisible()
  })

  await test.step('the control plane filters and sorts it, as the address says', async () => {
    await page.goto(`${farm.consoleUrl}/nodes?q=zone%3Deu&sort=name&desc=true`)
    const table = page.getByRole('region', { name: 'Nodes, table' })
    await expect(table.getByRole('row').nth(1)).toContainText('edge-10000')
    await expect(page.getByText(/^1,000 of 10,00\d nodes/)).toBeVisible()
    await table.getByRole('button', { name: /^p99/ }).click()
    await expect(page).toHaveURL(/sort=p99&desc=true/)
    await page.getByRole('textbox', { name: /^Find nodes/ }).clear()
    await expect(page.getByText(/for 1,000 nodes at most/)).toBeVisible()
    await page.getByRole('button', { name: 'Sort by name' }).click()
    await expect(table.getByRole('row').nth(1)).toContainText('edge-00001')
  })

  await test.step('on a phone they are cards, drawn and read likewise', async () => {
    await page.setViewportSize(phone)
    const cards = page.getByRole('list', { name: 'Nodes' })
    await expect(cards.getByRole('link', { name: 'edge-00001' })).toBeVisible()
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 2))
    await expect(cards.getByRole('link', { name: /^edge-0[345]/ }).first()).toBeVisible()
    await expect.poll(() => page.locator('*').count()).toBeLessThan(MOST_ELEMENTS)
  })
})
