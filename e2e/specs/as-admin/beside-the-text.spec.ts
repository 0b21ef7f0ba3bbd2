// SPDX-License-Identifier: MIT
// What stands beside a config's text: its effect on the nodes, recipes for its sites, and what others saved meanwhile.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { ConfigPage } from '../../pages/config-page.ts'

const RECIPES = ['Single-page app', 'Downloads', 'Images', 'Private area']

test('the effect of a text is counted on the real nodes while it is typed', async ({
  page,
  farm,
}) => {
  await page.goto('/')
  const config = new ConfigPage(page)
  await config.open()
  const effect = page.getByRole('region', { name: 'Effect on the nodes' })
  const text = configText(farm.siteDir, { header: ['X-Effect', 'yes'] })
  await config.replaceText(text.replace('"hosts"', '"host"'))
  await expect(effect).toContainText('Shown once farmstead-node accepts the text.')
  await config.replaceText(text)
  await expect(effect).toContainText('All 3 nodes would get a different config.')
  await expect(effect.getByRole('row', { name: 'default 3 3' })).toBeVisible()
  expect.soft(await wrongWithLooks(page)).toEqual([])
})

test('each recipe is shown as a change, and what it makes is taken by farmstead-node', async ({
  page,
  api,
  farm,
}) => {
  await api.writeDraft(configText(farm.siteDir))
  await page.goto('/configs/default')
  const config = new ConfigPage(page)
  for (const recipe of RECIPES) {
    await page.getByRole('button', { name: 'Add a recipe' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a recipe' })
    await dialog.getByRole('radio', { name: recipe }).check()
    await expect(dialog.getByRole('region', { name: 'The change' })).toBeVisible()
    if (recipe === 'Private area') expect.soft(await wrongWithLooks(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Put it into the draft' }).click()
    await expect(dialog).toBeHidden()
  }
  await expect(config.problems).toContainText('farmstead-node accepts this text')
  await expect.poll(() => api.draft()).toContain('/private/**')
  const draft = await api.draft()
  expect(draft).toContain('// Written by a test.')
  for (const part of ['tryFiles', 'downloads', 'image/*', 'auth']) expect(draft).toContain(part)
})

test('a version that somebody saves meanwhile is merged into the draft, conflict by conflict', async ({
  page,
  api,
  farm,
}) => {
  const CONFIG = 'merged'
  const plain = configText(farm.siteDir)
  await api.saveVersion(plain, 'First', CONFIG)
  await page.goto(`/configs/${CONFIG}`)
  const config = new ConfigPage(page, CONFIG)
  const hosts = (name: string) =>
    plain.replace('"hosts": ["*"]', `"hosts": ["${name}.example.org"]`)
  const header = ['"headers": []', '"headers": [{ "name": "X-Mine", "value": "yes" }]'] as const
  const mine = hosts('mine').replace(...header)
  await config.replaceText(mine)
  await expect.poll(() => api.draft(CONFIG)).toBe(mine)
  const theirs = hosts('theirs').replace('8080', '8070')
  await api.saveVersion(theirs, 'Theirs', CONFIG)

  await page.getByRole('button', { name: 'Merge v2 into the draft' }).click()
  const conflict = page.getByRole('group', { name: /^Conflict 1 of 1/ })
  await expect(conflict).toContainText('mine.example.org')
  await expect(conflict).toContainText('theirs.example.org')
  await expect(config.save).toBeDisabled()
  expect.soft(await wrongWithLooks(page)).toEqual([])
  await conflict.getByRole('button', { name: /^Keep v2/ }).click()
  const merged = theirs.replace(...header)
  await expect.poll(() => api.draft(CONFIG)).toBe(merged)
  await config.saveVersion('Both')
  await expect(page.getByText('Version 3 is saved')).toBeVisible()
  expect(await api.textOf(3, CONFIG)).toBe(merged)
})
