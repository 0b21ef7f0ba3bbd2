// SPDX-License-Identifier: MIT
// Anything is found by its name from anywhere, with the keyboard alone.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'

test('a node, a version, an option and a page are found with the keyboard alone', async ({
  page,
  farm,
  admin,
}) => {
  const text = configText(farm.siteDir, { header: ['X-Found', 'yes'] })
  const version = await admin.saveVersion(text, 'Something worth finding')
  await page.goto('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const field = page.getByRole('combobox', { name: 'Find anything' })
  const find = async (words: string) => {
    await page.keyboard.press('Control+k')
    await expect(field).toBeFocused()
    await field.fill(words)
  }

  await test.step('a node by a label that it has, since the control plane looks', async () => {
    await find('edge-2')
    await expect(page.getByRole('group', { name: 'Nodes' }).getByRole('option')).toHaveCount(1)
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'edge-2', level: 1 })).toBeVisible()
    await expect(field).toBeHidden()
  })

  await test.step('a version by a word of its message, chosen with the arrows', async () => {
    await find('worth finding')
    await expect(page.getByRole('group', { name: 'Versions' })).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/configs/default/versions/${version}$`))
  })

  await test.step('an option: the form opens at its field', async () => {
    await find('body idle timeout')
    await field.fill('root folder')
    const options = page.getByRole('group', { name: 'Options' })
    await options.getByRole('option').first().click()
    await expect(page).toHaveURL(/view=form.*pointer=/)
    await expect(page.locator('[data-field]:focus')).toHaveCount(1)
  })

  await test.step('pages by keys, and all keys are shown', async () => {
    await page.getByRole('main').focus()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect(keys.getByText('Go to the rollouts')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(keys).toBeHidden()
    // On a busy machine the second key may come too late to belong to the first.
    await expect(async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('r')
      await expect(page.getByRole('heading', { name: 'Rollouts', level: 1 })).toBeVisible()
    }).toPass()
  })
})
