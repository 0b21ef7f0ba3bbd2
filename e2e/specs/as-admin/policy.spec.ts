// SPDX-License-Identifier: MIT
// What the owner of a machine allows is shown, said before a rollout, and holds.
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { NodePage } from '../../pages/node-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

test('what the machines do not allow is said before it is rolled out, and refused there', async ({
  page,
  farm,
  api,
}) => {
  const nodePage = new NodePage(page)
  const rollout = new RolloutPage(page)

  await test.step('a node’s page shows what its machine allows', async () => {
    await page.goto('/nodes')
    await page.getByRole('link', { name: 'edge-1' }).first().click()
    const policy = nodePage.panel('What its machine allows')
    await expect(policy).toContainText('Policy file')
    await expect(policy).toContainText(farm.siteDir)
    await expect(policy).toContainText('ports 1024 to 65535 of 127.0.0.1')
  })

  const version = await api.saveVersion(configText(farm.siteDir, { root: '/etc' }), 'All of /etc')

  await test.step('the plan names who will refuse, and is started only when that is said', async () => {
    await page.goto(`/rollouts/new?config=default&version=${version}`)
    const alert = page.getByRole('alert')
    await expect(alert).toContainText(`${farm.nodes.length} nodes will refuse it`)
    await expect(alert.getByRole('link', { name: '/sites/0/root' })).toBeVisible()
    for (const { name } of farm.nodes) await expect(alert).toContainText(name)
    await expect(page.getByRole('button', { name: /^Start rollout/ })).toBeDisabled()
    await rollout.chooseAtOnce()
    const start = page.getByRole('button', { name: /^Start rollout to/ })
    // The tick is for the plan that is shown: when the other plan comes after it, it is asked anew.
    await expect(async () => {
      await page.getByRole('checkbox', { name: /^Start it, although/ }).check()
      await expect(start).toBeEnabled({ timeout: 1000 })
    }).toPass()
    await start.click()
  })

  await test.step('every node refuses it, and serves on what it had', async () => {
    for (const { name } of farm.nodes) {
      await expect(rollout.task(name)).toContainText('policy')
    }
    await expect(rollout.state).toShowState('Paused')
    for (const node of farm.nodes) await expect(node).toBeServing('/feed.json')
    await rollout.freeze()
    await expect(rollout.state).toShowState('Frozen')
    await api.rollOut(await api.saveVersion(configText(farm.siteDir), 'What they may serve'))
    for (const node of farm.nodes) await expect(node).toBeServing('/feed.json')
  })
})
