// SPDX-License-Identifier: MIT
// The console in the reader's language: words, numbers, dates, and what stays English.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'

const speaks = [
  { tag: 'de', lang: 'de', own: 'Deutsch', nodes: 'Knoten', account: 'Konto', language: 'Sprache' },
  { tag: 'zh', lang: 'zh-CN', own: '简体中文', nodes: '节点', account: '账户', language: '语言' },
]

const TOPICS = 'requests stages heatmap network connections disks cache machine'.split(' ')

for (const { tag, lang, own, nodes, account, language } of speaks) {
  test(`speaks ${own} once it is chosen, and English again`, async ({ page }) => {
    await page.goto('/nodes')
    await page.getByRole('button', { name: 'Account of admin' }).click()
    await page.getByLabel('Language').selectOption(tag)

    await expect(page.getByRole('heading', { level: 1, name: nodes })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', lang)
    // It stays so, on other pages and after a reload.
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: nodes })).toBeVisible()
    await expect(page.getByRole('table').getByText('edge-1')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    // What is asked of the control plane has its own words, whatever the reader speaks.
    for (const topic of TOPICS) {
      const asked = page.waitForResponse(/\/metrics\/(sets|heatmap)\?/)
      await page.goto(`/measurements?topic=${topic}`)
      expect((await asked).status()).toBe(200)
      expect(decodeURIComponent((await asked).url())).not.toMatch(/[^\x20-\x7e]/)
    }

    await page
      .getByRole('button', { name: new RegExp(`${account}.*admin|admin.*${account}`) })
      .click()
    await page.getByLabel(language).selectOption('en')
    await expect(page.getByRole('heading', { level: 1, name: 'Measurements' })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  })
}

test('speaks what the browser asks for, also before anybody has signed in', async ({
  browser,
  farm,
}) => {
  const context = await browser.newContext({ baseURL: farm.consoleUrl, locale: 'de-AT' })
  const page = await context.newPage()
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: 'Anmelden' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await page.getByLabel('Sprache').selectOption('en')
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await context.close()
})
