// SPDX-License-Identifier: MIT
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { ConfigPage } from '../../pages/config-page.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/')
  await new ConfigPage(page).open()
})

test('an unknown key is shown in place, with what it may have meant, and cannot be saved', async ({
  page,
  farm,
}) => {
  const config = new ConfigPage(page)
  await config.replaceText(configText(farm.siteDir).replace('"headers"', '"haeders"'))
  await expect(config.problems).toContainText('1 problem')
  await expect(config.problems).toContainText('haeders')
  await expect(config.problems).toContainText('headers')
  await expect(config.problems.getByRole('listitem')).toContainText('8:')
  await expect(config.errorMark()).toBeVisible()
  await expect(config.save).toBeDisabled()
  await expect(page.getByText('Fix the 1 problem first.')).toBeVisible()
})

test('a text that is no JSON says where it breaks', async ({ page, farm }) => {
  const config = new ConfigPage(page)
  await config.replaceText(configText(farm.siteDir).replace('"hosts": ["*"],', '"hosts": ["*",'))
  await expect(config.problems.getByRole('listitem').first()).toContainText(/[67]:\d+/)
  await expect(config.save).toBeDisabled()
})

test('a mended text can be saved', async ({ page, farm }) => {
  const config = new ConfigPage(page)
  const text = configText(farm.siteDir, { header: ['X-Mended', 'yes'] })
  await config.replaceText(text.replace('"hosts"', '"host"'))
  await expect(config.save).toBeDisabled()
  await config.replaceText(text)
  await expect(config.problems).toContainText('farmstead-node accepts this text')
  await expect(config.save).toBeEnabled()
})

test('a key changes what it changes, whatever the line ends, and a page that is left saves it', async ({
  page,
  api,
  farm,
}) => {
  const config = new ConfigPage(page)
  const plain = configText(farm.siteDir)
  const [first = '', second = '', ...rest] = plain.trimEnd().split('\n')
  const mixed = `${first}\r\n${second}\r${rest.join('\r\n')}`
  await api.writeDraft(mixed)
  await page.reload()
  await config.editor.click()
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.insertText('//x')
  await page.keyboard.press('Enter')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto('about:blank')
  await expect.poll(() => api.draft()).toBe(`//x\r\n${mixed}`)
  await api.writeDraft(plain)
})

test('Ctrl+S saves the draft and leads to the version; without a mouse to its end', async ({
  page,
  farm,
}) => {
  const config = new ConfigPage(page)
  await config.replaceText(configText(farm.siteDir, { header: ['X-By-Keys', 'yes'] }))
  await expect(config.save).toBeEnabled()
  await page.keyboard.press('ControlOrMeta+S')
  const dialog = page.getByRole('dialog', { name: /^Save version/ })
  await expect(dialog.getByLabel('Message')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(config.editor).toBeFocused()
  await page.keyboard.press('ControlOrMeta+S')
  await page.keyboard.type('By keys alone')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText(/^Version \d+ is saved$/)).toBeVisible()
})
