// SPDX-License-Identifier: MIT
// A version of a release on a real node, in a real browser: whoever has the password sees it, visitors the one before.
import type { Browser } from '@playwright/test'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { pushRelease } from '../../fixtures/releases.ts'
import { configText } from '../../fixtures/sample.ts'

const filesOf = (what: string) => ({
  'index.html': `<!doctype html><title>${what}</title><link rel="stylesheet" href="/look.css"><h1>${what}</h1>`,
  'look.css': 'h1 { color: rgb(1, 2, 3) }',
})
const HOST = 'window.e2e.example'

test('a version is seen on one node by who has its password, and ends', async ({
  page,
  api,
  farm,
  browser,
  request,
  provokes,
}) => {
  await pushRelease(api, 'window', filesOf('The old window'))
  const text = configText(farm.siteDir).replace(
    '"sites": [',
    `"sites": [{ "hosts": ["${HOST}"], "release": "window" },`,
  )
  await api.rollOut(await api.saveVersion(text, 'A release of its own'))
  const node = farm.node('edge-1')
  const asVisitor = async () =>
    await (await request.get(`${node.url}/`, { headers: { host: HOST } })).text()
  await expect.poll(asVisitor).toContain('The old window')
  await pushRelease(api, 'window', filesOf('The new window'), 1)

  await page.goto('/releases/window/versions/2')
  await page.getByRole('button', { name: 'Preview on a node' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preview window v2 on a node' })
  await dialog.getByRole('combobox', { name: 'Node' }).click()
  await page.getByRole('option', { name: 'edge-1' }).click()
  expect(await wrongWithLooks(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Start preview' }).click()
  const given = dialog.getByRole('code')
  await expect(given).toHaveCount(3)
  const [url = '', username = '', password = ''] = await given.allTextContents()
  expect(await wrongWithLooks(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const row = page.getByRole('region', { name: 'Previews, table' }).getByRole('row').nth(1)
  await expect(row).toContainText('Shown')
  const link = row.getByRole('link', { name: 'v2-window.edge-1.preview.localhost' })
  await expect(link).toHaveAttribute('href', url)

  await test.step('with the password, and all that the page loads', async () => {
    const seen = await look(browser, url, { username, password })
    expect(seen).toEqual({ status: 200, heading: 'The new window', color: 'rgb(1, 2, 3)' })
  })
  await test.step('not with another one', async () => {
    const seen = await look(browser, url, { username, password: 'guessed' })
    expect(seen.status).toBe(401)
  })
  expect(await asVisitor()).toContain('The old window')

  await row.getByRole('button', { name: 'End the preview on edge-1' }).click()
  await page.getByRole('button', { name: 'End preview' }).click()
  await expect(page.getByText('No node shows this version as a preview.')).toBeVisible()
  await expect
    .poll(async () => (await look(browser, url, { username, password })).heading)
    .not.toBe('The new window')
  // The node's answers to the wrong password, and to who comes after the end.
  provokes(/^401 /, /^404 /, /^421 /)
})

type Credentials = { username: string; password: string }

async function look(browser: Browser, url: string, httpCredentials: Credentials) {
  const context = await browser.newContext({ httpCredentials })
  try {
    const page = await context.newPage()
    const response = await page.goto(url)
    const heading = page.getByRole('heading', { level: 1 })
    const hasHeading = (await heading.count()) > 0
    return {
      status: response?.status(),
      heading: hasHeading ? await heading.textContent() : null,
      color: hasHeading ? await heading.evaluate((element) => getComputedStyle(element).color) : '',
    }
  } finally {
    await context.close()
  }
}
