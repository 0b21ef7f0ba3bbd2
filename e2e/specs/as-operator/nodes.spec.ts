// SPDX-License-Identifier: MIT
// What an operator does with nodes: rollouts go around a cordoned one; and what they may not do.
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { NodePage } from '../../pages/node-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

const HEADER: [string, string] = ['X-Around', 'edge-3']

test('a cordoned node is left out of a rollout, and takes what it missed with the next', async ({
  page,
  farm,
  admin,
}) => {
  const farmPage = new FarmPage(page)
  const node = new NodePage(page)
  const rollout = new RolloutPage(page)
  await admin.rollOut(await admin.saveVersion(configText(farm.siteDir), 'Before'))
  for (const each of farm.nodes) {
    await expect(each).toBeServing('/', { header: [HEADER[0], null] })
  }
  const text = configText(farm.siteDir, { header: HEADER })
  const version = await admin.saveVersion(text, 'Around edge-3')
  await page.goto('/nodes')
  await farmPage.openNode('edge-3')
  await node.cordon('edge-3', 'Its disk is being changed')
  await expect(page.getByText('edge-3 is cordoned')).toBeVisible()

  await page.goto(`/rollouts/new?config=default&version=${version}`)
  await rollout.start(farm.nodes.length - 1)
  await expect(rollout.state).toShowState('Succeeded', { because: /1 cordoned node skipped/ })
  await expect(farm.node('edge-1')).toBeServing('/', { header: HEADER })
  await expect(farm.node('edge-3')).toBeServing('/', { header: [HEADER[0], null] })

  await farmPage.open()
  await expect(farmPage.row('edge-3')).toShowState('Cordoned')
  await farmPage.openNode('edge-3')
  await node.button('Uncordon').click()
  await expect(node.button('Cordon')).toBeEnabled()
  await admin.rollOut(version)
  await expect(farm.node('edge-3')).toBeServing('/', { header: HEADER })
})

test('may change neither configs nor people nor where events go', async ({ page, api }) => {
  await page.goto('/configs/default')
  await expect(page.getByRole('button', { name: 'Save version' })).toBeRefused({
    saying: /Your roles \(operator\) .* needs the permission configs:write/,
  })
  const refusal = { status: 403, code: 'not_allowed', saying: /Ask an administrator/ }
  await expect(api.saveVersion('{}')).toBeRefused(refusal)
  const user = { username: 'friend', roles: ['admin' as const] }
  await expect(api.call.POST('/api/v1/users', { body: user })).toBeRefused(refusal)
  const webhook = { url: 'http://127.0.0.1:9/', events: ['*'] }
  await expect(api.call.POST('/api/v1/webhooks', { body: webhook })).toBeRefused(refusal)
})
