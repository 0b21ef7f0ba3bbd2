// SPDX-License-Identifier: MIT
// Each screen, in light and dark, against the WCAG rules that a program can check; and on a phone.
import { readFileSync } from 'node:fs'
import { phone, violations, wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { furnish, openScreen, screens } from '../../fixtures/screens.ts'
import { ConfigForm } from '../../pages/config-form.ts'

const corpus = new URL('../../../server-c/config-corpus/good/', import.meta.url)
/** Every option there is, some of them wrong: also a name that is none and wider than a phone. */
const everythingAndWrong = readFileSync(new URL('all-options.jsonc', corpus), 'utf8')
  .replace('"connections": 100', '"connections": 0')
  .replace('"^/old/(.*)$"', '"^/old/(.*"')
  .replace('"status": 308', '"status": 304')
  .replace('"root": "/"', `"root": "relative", "${'unknown'.repeat(12)}": [1, 2]`)
/** Those, and a certificate and a release that the farm has not. */
const PROBLEMS = 7
/** Through the first site's fields and lists: of each kind of field some. */
const TABS = 90

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

test.beforeEach(async ({ page, farm, api }) => {
  await page.goto('/')
  await furnish(api, farm)
})

/** Each looks at some of the screens: all of them in one test take minutes where the machine is slow. */
const PARTS = 4
for (let part = 0; part < PARTS; part++) {
  test(`every screen keeps the accessibility rules, light and dark, and fits a phone: ${part + 1} of ${PARTS}`, async ({
    page,
    api,
  }) => {
    const some = (await screens(api)).filter((_, i) => i % PARTS === part)
    for (const screen of some) {
      await test.step(screen.name, async () => {
        await openScreen(page, screen)
        expect.soft(await wrongWithLooks(page), screen.name).toEqual([])
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
  await page.getByRole('combobox', { name: 'Find an option' }).focus()
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
