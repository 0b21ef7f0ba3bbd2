// SPDX-License-Identifier: MIT
// The nodes have the last word: what they cannot use they refuse, and go on as before.
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

test('a version whose root is missing is refused with its place, and the old one serves on', async ({
  page,
  farm,
  api,
}) => {
  const farmPage = new FarmPage(page)
  const rollout = new RolloutPage(page)
  await page.goto('/nodes')
  const text = configText(farm.siteDir, { root: '/srv/www/not-on-this-machine' })
  const version = await api.saveVersion(text, 'A root that no node has')

  await test.step('every node refuses it and says where', async () => {
    await page.goto(`/rollouts/new?config=default&version=${version}`)
    await rollout.start(farm.nodes.length)
    for (const { name } of farm.nodes) {
      await expect(rollout.task(name)).toShowState('Refused')
      await expect(rollout.task(name)).toContainText('missing_file')
      await expect(rollout.task(name)).toContainText('/srv/www/not-on-this-machine')
    }
    await expect(rollout.task('edge-1').getByRole('link', { name: '/sites/0/root' })).toBeVisible()
    await expect(rollout.state).toShowState('Paused')
  })

  await test.step('the old version serves on, and the console says they are out of sync', async () => {
    for (const node of farm.nodes) await expect(node).toBeServing('/feed.json')
    await rollout.freeze()
    await expect(rollout.state).toShowState('Frozen')
    await farmPage.open()
    for (const { name } of farm.nodes) await expect(farmPage.row(name)).toShowState('Out of sync')
  })

  await test.step('the next good version brings them back', async () => {
    const mended = configText(farm.siteDir, { header: ['X-Mended', 'true'] })
    await api.rollOut(await api.saveVersion(mended, 'The root they have'))
    for (const node of farm.nodes) {
      await expect(node).toBeServing('/', { header: ['X-Mended', 'true'] })
    }
    for (const { name } of farm.nodes) await expect(farmPage.row(name)).toShowState('In sync')
  })
})
