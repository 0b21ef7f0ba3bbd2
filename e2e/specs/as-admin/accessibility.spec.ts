// SPDX-License-Identifier: MIT
// Each screen, in light and dark, against the WCAG rules that a program can check; and on a phone.
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { phone, violations } from '../../fixtures/axe.ts'
import { adminPassword, expect, asAdmin as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { visit } from '../../fixtures/visitors.ts'
import { ConfigForm } from '../../pages/config-form.ts'

const corpus = new URL('../../../server-c/config-corpus/good/', import.meta.url)
/** Every option there is, some of them wrong: also a name that is none and wider than a phone. */
const everythingAndWrong = readFileSync(new URL('all-options.jsonc', corpus), 'utf8')
  .replace('"connections": 100', '"connections": 0')
  .replace('"^/old/(.*)$"', '"^/old/(.*"')
  .replace('"status": 308', '"status": 304')
  .replace('"root": "/"', `"root": "relative", "${'unknown'.repeat(12)}": [1, 2]`)
const PROBLEMS = 5
/** Through the first site's fields and lists: of each kind of field some. */
const TABS = 60

/** What has the focus when all of it is beneath something else, as the list of problems; else ''. */
function focusHidden(): string {
  const focused = document.activeElement
  if (focused === null) return 'nothing'
  const { left, top, bottom } = focused.getBoundingClientRect()
  const isSeen = [top + 3, bottom - 3].some((y) => {
    const shown = document.elementFromPoint(left + 8, y)
    return shown !== null && (focused.contains(shown) || shown.contains(focused))
  })
  return isSeen ? '' : focused.outerHTML.slice(0, 120)
}

/** Buttons whose words are cut off, and words of tables that stand in pieces, some letters a line. */
function unreadable(): string[] {
  const labels = [...document.querySelectorAll('.mantine-Button-label')]
  const cut = labels.filter((label) => label.scrollWidth > label.clientWidth + 1)
  const words = [...document.querySelectorAll('td, td a, td span')].filter(
    ({ childElementCount, textContent }) => childElementCount === 0 && /^\S+$/.test(textContent),
  )
  const range = document.createRange()
  const inPieces = words.filter((word) => {
    range.selectNodeContents(word)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 2
  })
  return [...cut, ...inPieces].map(({ textContent }) => textContent)
}

type Screen = { name: string; path: string }

/** Every screen with something on it; ids differ in each farm, so they are looked up. */
async function screens(page: Page): Promise<Screen[]> {
  const get = async (path: string) => (await page.request.get(`/api/v1/${path}`)).json()
  const [node] = (await get('nodes')).items
  const [rollout] = (await get('rollouts')).items
  const [entry] = (await get('audit')).items
  const [webhook] = (await get('webhooks')).items
  return [
    { name: 'farm', path: '/' },
    { name: 'node', path: `/nodes/${node.id}` },
    { name: 'groups', path: '/groups' },
    { name: 'enrolment', path: '/enrolment' },
    { name: 'enrolment of a known node', path: `/enrolment?node=${node.id}` },
    { name: 'configs', path: '/configs' },
    { name: 'editor', path: '/configs/default' },
    { name: 'form', path: '/configs/default?view=form' },
    { name: 'versions', path: '/configs/default/versions' },
    { name: 'version', path: '/configs/default/versions/1' },
    { name: 'compare', path: '/configs/default/compare?from=1&to=2' },
    { name: 'plan', path: '/rollouts/new?config=default&version=1' },
    { name: 'rollouts', path: '/rollouts' },
    { name: 'rollout', path: `/rollouts/${rollout.id}` },
    { name: 'audit', path: '/audit' },
    { name: 'audit entry', path: `/audit/${entry.id}` },
    { name: 'settings', path: '/settings' },
    { name: 'security', path: '/settings/security' },
    { name: 'users', path: '/settings/users' },
    { name: 'tokens', path: '/settings/tokens' },
    { name: 'rollout rules', path: '/settings/rollout-rules' },
    { name: 'webhooks', path: '/settings/webhooks' },
    { name: 'webhook', path: `/settings/webhooks/${webhook.id}` },
    { name: 'single sign-on', path: '/settings/single-sign-on' },
    { name: 'backups', path: '/settings/backups' },
  ]
}

/** The screen shows its data: nothing is loading any more. */
async function open(page: Page, { path }: Screen): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

test.beforeEach(async ({ page, farm, api }) => {
  await page.goto('/')
  const { number } = await api.latestVersion()
  if (number > 1) return
  const text = configText(farm.siteDir, { header: ['X-Farm', 'looked at'] })
  await api.push(await api.saveVersion(text, 'Something to look at'))
  await api.add('groups', { name: 'looked-at', selector: 'looked-at=yes', description: 'Nobody' })
  const token = { name: 'looked at', permissions: ['nodes:read'], expiresInDays: 1 }
  await api.add('tokens', { ...token, password: adminPassword })
  await api.add('webhooks', { url: 'http://looked-at.invalid/', events: ['group'] })
  await visit(farm.node('edge-1').url, 20)
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every screen keeps the accessibility rules, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const screen of await screens(page)) {
      await test.step(screen.name, async () => {
        await open(page, screen)
        expect.soft(await violations(page), `${screen.name}, ${colorScheme}`).toEqual([])
      })
    }
  })
}

test('the form keeps the rules with everything open, with errors, and on a phone', async ({
  page,
  api,
}) => {
  const form = new ConfigForm(page)
  const before = await api.draft()
  await api.writeDraft(everythingAndWrong)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto('/configs/default?view=form')
    await expect(page.getByText(`${PROBLEMS} problems, by farmstead-node`)).toBeVisible()
    await form.openEverything()
    expect.soft(await violations(page), colorScheme).toEqual([])
  }
  await page.setViewportSize(phone)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect.soft(width).toBeLessThanOrEqual(phone.width)
  await page.getByRole('textbox', { name: /Event loops/ }).focus()
  for (let tab = 0; tab < TABS; tab++) {
    await page.keyboard.press('Tab')
    expect.soft(await page.evaluate(focusHidden), `after ${tab + 1} tabs`).toBe('')
  }
  await api.writeDraft(before)
})

test('the sign-in screen keeps the accessibility rules', async ({ browser, farm }) => {
  const nobody = { cookies: [], origins: [] }
  const context = await browser.newContext({ baseURL: farm.consoleUrl, storageState: nobody })
  const page = await context.newPage()
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await context.close()
})

test('every screen fits a phone without scrolling sideways', async ({ page }) => {
  await page.setViewportSize(phone)
  for (const screen of await screens(page)) {
    await test.step(screen.name, async () => {
      await open(page, screen)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect.soft(width, screen.name).toBeLessThanOrEqual(phone.width)
      expect.soft(await page.evaluate(unreadable), screen.name).toEqual([])
    })
  }
})
