// SPDX-License-Identifier: MIT
// Everything an operator does on the first day, in one go, on a farm nobody has touched.
import { adminPassword, expect, test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { visit } from '../../fixtures/visitors.ts'
import { ConfigPage } from '../../pages/config-page.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { NodePage } from '../../pages/node-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

const REQUESTS = 200
/** A node reports every few seconds, and the console hears of it then. */
const MEASURED_WITHIN_MS = 45_000

test('a header is changed in the editor, pushed, served by every node, and measured', async ({
  page,
  freshFarm: farm,
}) => {
  const signIn = new SignInPage(page)
  const farmPage = new FarmPage(page)
  const config = new ConfigPage(page)
  const rollout = new RolloutPage(page)
  const node = new NodePage(page)

  await test.step('the printed link makes the first administrator', async () => {
    await page.goto(farm.consoleUrl)
    await expect(signIn.heading).toBeVisible()
    await expect(page.getByText('Nobody can sign in yet')).toBeVisible()
    await signIn.setUp(farm.setupLink ?? '', 'admin', adminPassword)
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  })

  await test.step('three real nodes are in sync with version 1', async () => {
    await farmPage.open()
    for (const { name } of farm.nodes) {
      await expect(farmPage.row(name)).toShowState('In sync')
      await expect(farmPage.row(name)).toContainText('default v1')
    }
  })

  await test.step('the header is changed and saved as version 2', async () => {
    await config.open()
    const text = await config.editor.innerText()
    expect(text).toContain('nosniff')
    for (const served of farm.nodes)
      await expect(served).toBeServing('/', { header: ['X-Farm', null] })
    await config.replaceText(configText(farm.siteDir, { header: ['X-Farm', 'harvest'] }))
    await expect(config.problems).toContainText('farmstead-node accepts this text')
    await config.saveVersion('Tell visitors which farm this is')
    await expect(page.getByText('Version 2 is saved')).toBeVisible()
  })

  await test.step('it is compared with the one before', async () => {
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.getByRole('link', { name: /^v?2$/ }).click()
    await page.getByRole('link', { name: 'Compare with v1' }).click()
    await expect(page.getByText('harvest')).toBeVisible()
    await page.getByText('Changes by option').click()
    await expect(page.getByText('/sites/0/headers', { exact: false }).first()).toBeVisible()
  })

  await test.step('it is pushed, and each node takes it', async () => {
    await config.open()
    await config.planRollout(2)
    await rollout.start(farm.nodes.length)
    await expect(rollout.state).toShowState('Succeeded')
    for (const { name } of farm.nodes) await expect(rollout.task(name)).toShowState('Done')
  })

  await test.step('every node serves the header, and the console shows the version', async () => {
    for (const served of farm.nodes) {
      await expect(served).toBeServing('/', { header: ['X-Farm', 'harvest'] })
    }
    await farmPage.open()
    for (const { name } of farm.nodes) {
      await expect(farmPage.row(name)).toShowState('In sync')
      await expect(farmPage.row(name)).toContainText('default v2')
    }
  })

  await test.step('requests change the numbers of the latency chart', async () => {
    const [served] = farm.nodes
    await farmPage.openNode(served?.name ?? '')
    await node.showLatencyTable()
    const before = await node.requests()
    await visit(served?.url ?? '', REQUESTS)
    await expect
      .poll(() => node.requests(), { timeout: MEASURED_WITHIN_MS })
      .toBeGreaterThanOrEqual(before + REQUESTS)
    await expect(node.percentiles().first()).toBeVisible()
  })

  await test.step('single requests show up while one looks at them', async () => {
    const [served] = farm.nodes
    await node.button('Look live').click()
    const live = node.panel('Single requests')
    await expect(live.getByText('Live', { exact: true })).toBeVisible()
    await visit(served?.url ?? '', REQUESTS)
    await expect(live.getByRole('table')).toContainText('200')
    const chosen = live.getByText(/requests? of the last two minutes/)
    await node.dragOver(live.locator('canvas'), { from: [0.2, 0.05], to: [1.02, 0.98] })
    await expect(chosen).toContainText(/^[1-9]/)
    await node.dragOver(live.locator('canvas'), { from: [0.2, 0.02], to: [0.3, 0.04] })
    await expect(chosen).toContainText('None')
    await node.button('All requests').click()
    await node.button('Stop').click()
    await expect(live.getByText('Live', { exact: true })).toBeHidden()
  })
})
