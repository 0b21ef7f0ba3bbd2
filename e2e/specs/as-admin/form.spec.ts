// SPDX-License-Identifier: MIT
// The form changes the text it shows: a redirect is added, mended where the node finds fault with
// it, put in order, pushed, and the real nodes redirect.
import { violations } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { ConfigForm } from '../../pages/config-form.ts'
import { ConfigPage } from '../../pages/config-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

test('a redirect is added in the form, mended at its field, pushed and answered by the nodes', async ({
  page,
  farm,
  api,
}) => {
  const config = new ConfigPage(page)
  const form = new ConfigForm(page)
  const rollout = new RolloutPage(page)
  await page.goto('/')
  await config.open()
  await config.replaceText(configText(farm.siteDir, { header: ['X-Form', 'yes'] }))

  await test.step('the form shows the text, and adds a redirect to it', async () => {
    await form.open()
    await expect(form.heading('Response headers')).toContainText('1 header rule')
    await expect(form.heading('Redirects')).toHaveCount(0)
    await form.find('redirects')
    await expect(form.heading('Redirects')).toBeFocused()
    await form.button('Add redirect').click()
    await expect(form.field('Redirect 1', /^Match/)).toBeFocused()
    await page.keyboard.type('^/old/(.*')
    await form.field('Redirect 1', /^To/).fill('/new/$1')
  })

  await test.step('in a wide window the text stands beside it, at the option that one is in', async () => {
    const size = page.viewportSize()
    await page.setViewportSize({ width: 1440, height: 900 })
    await form.showBoth()
    await form.field('Redirect 1', /^Match/).click()
    await expect(config.activeLine).toContainText('^/old/(.*')
    expect.soft(await violations(page)).toEqual([])
    await form.open()
    if (size) await page.setViewportSize(size)
  })

  await test.step('what the node finds in the expression stands at its field', async () => {
    const match = form.field('Redirect 1', /^Match/)
    await expect(match).toHaveAccessibleDescription(/at byte \d+: missing closing parenthesis/)
    await expect(config.problems).toContainText('1 problem, by farmstead-node')
    await expect(config.save).toBeDisabled()
    await form.heading('Redirects').click()
    await expect(form.heading('Redirects')).toContainText('1 problem')
    await config.problems.getByRole('button', { name: /missing closing/ }).click()
    await expect(match).toBeFocused()
    await match.fill('^/old/(.*)$')
    await expect(config.problems).toContainText('farmstead-node accepts this text')
  })

  await test.step('a stronger rule goes before it, by keyboard', async () => {
    await form.button('Add redirect').click()
    await page.keyboard.type('^/old/exact$')
    await form.field('Redirect 2', /^To/).fill('/elsewhere')
    await form.button('Move Redirect 2 up').focus()
    await page.keyboard.press('Enter')
    await expect(form.heading('Redirect 1')).toContainText('^/old/exact$')
    await expect(form.button('Move Redirect 1 down')).toBeFocused()
    await expect(config.problems).toContainText('farmstead-node accepts this text')
  })

  await test.step('the rest of the text is as its author wrote it', async () => {
    await page.getByRole('radiogroup', { name: 'Edit as' }).getByText('Text').click()
    const text = await config.editor.innerText()
    expect(text).toContain('// Written by a test.')
    expect(text.indexOf('/old/exact')).toBeLessThan(text.indexOf('/old/(.*)'))
  })

  await test.step('it is saved and pushed, and every node redirects', async () => {
    await config.saveVersion('Move the old pages')
    const saved = await page.getByText(/^Version \d+ is saved$/).innerText()
    await config.planRollout(Number(/\d+/.exec(saved)?.[0]))
    await rollout.start(farm.nodes.length)
    await expect(rollout.state).toShowState('Succeeded')
    for (const { url } of farm.nodes) {
      const to = async (path: string) => {
        const answer = await page.request.get(url + path, { maxRedirects: 0 })
        return [answer.status(), answer.headers().location]
      }
      expect(await to('/old/a/b.html?c=d')).toEqual([301, '/new/a/b.html?c=d'])
      expect(await to('/old/exact')).toEqual([301, '/elsewhere'])
    }
    expect(await api.textOf(Number(/\d+/.exec(saved)?.[0]))).toContain('"^/old/(.*)$"')
  })
})
