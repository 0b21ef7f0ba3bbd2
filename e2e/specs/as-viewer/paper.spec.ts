// SPDX-License-Identifier: MIT
// What a page is on paper, and to who asked their system that nothing moves.
import { expect, asViewer as test } from '../../fixtures/index.ts'

const PAGES = ['/', '/nodes', '/measurements', '/configs/default/versions', '/rollouts']

test('printed, a page is what it tells, in light, without what one presses', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  for (const path of PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Places' })).toBeHidden()
    // The heads of columns are buttons as well, and belong to their table.
    const pressed = page.locator('.mantine-Button-root, .mantine-SegmentedControl-root')
    await expect(pressed.filter({ visible: true })).toHaveCount(0)
    await expect(page.locator('html')).toHaveCSS('color-scheme', 'light')
    // Fields stay, for they say what the page is about.
    const dark = await page.evaluate(() =>
      [...document.querySelectorAll('.mantine-Input-input')]
        .map((field) => getComputedStyle(field).backgroundColor)
        .filter((colour) => colour !== 'rgba(0, 0, 0, 0)'),
    )
    expect(dark, path).toEqual([])
    // Paper can't be scrolled.
    const isCut = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll<HTMLElement>('.scroll-x')]
      return boxes.some((box) => getComputedStyle(box).overflowX !== 'visible')
    })
    expect(isCut, path).toBe(false)
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
  }
})

test('nothing moves for who asked for that', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/')
  await page.getByRole('button', { name: /^Find/ }).click()
  await expect(page.getByRole('combobox', { name: 'Find anything' })).toBeFocused()
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('*')].map((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        const seconds = `${transitionDuration},${animationDuration}`
          .split(',')
          .map(Number.parseFloat)
        return Math.max(...seconds)
      }),
    ),
  )
  expect(longest).toBeLessThan(0.001)
})
