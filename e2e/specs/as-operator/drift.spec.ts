// SPDX-License-Identifier: MIT
// A config that was changed by hand on a node's machine is shown beside what the node was given, and repaired.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { editOnMachine } from '../../fixtures/machine.ts'
import { configText } from '../../fixtures/sample.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { NodePage } from '../../pages/node-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

const GIVEN: [string, string] = ['X-By', 'the control plane']
const BY_HAND: [string, string] = ['X-By', 'hand']

test('a change by hand is served, shown, never kept by who may not, and discarded', async ({
  page,
  farm,
  admin,
  provokes,
}) => {
  // The page asks for the change once more when it is gone already.
  provokes(/^409 .*\/drift$/)
  const farmPage = new FarmPage(page)
  const node = new NodePage(page)
  const drift = node.panel('Changed on its machine')
  const edge1 = farm.node('edge-1')
  const text = configText(farm.siteDir, { header: GIVEN })
  const version = await admin.saveVersion(text, 'As it was given')
  await admin.rollOut(version)
  await expect(edge1).toBeServing('/', { header: GIVEN })
  await page.goto('/nodes')

  await test.step('it is served, and shown beside what was assigned', async () => {
    editOnMachine(edge1, GIVEN[1], BY_HAND[1])
    await expect(farmPage.row('edge-1')).toShowState('Drift')
    await farmPage.openNode('edge-1')
    await expect(drift).toShowState('Served')
    await expect(edge1).toBeServing('/', { header: BY_HAND })
    await expect(page.getByText('Assigned', { exact: true })).toBeVisible()
    await expect(node.button('Keep it as a new version')).toBeRefused({
      saying: /needs the permission configs:write/,
    })
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('a rollout overwrites nothing, and names who is in its way', async () => {
    const next = configText(farm.siteDir, { header: ['X-By', 'another version'] })
    const { id } = await admin.rollOut(await admin.saveVersion(next, 'In its way'))
    const rollout = new RolloutPage(page)
    await rollout.open(id)
    await expect(rollout.state).toShowState('Paused', { because: /edge-1/ })
    await expect(edge1).toBeServing('/', { header: BY_HAND })
    await rollout.freeze()
    await expect(rollout.state).toShowState('Frozen')
  })

  await test.step('discarded, the node serves what it was given, and is in sync', async () => {
    await farmPage.open()
    await farmPage.openNode('edge-1')
    await node.button('Discard it').click()
    await node.confirm('Discard the change on 1 node')
    await expect(drift).toHaveCount(0)
    await admin.rollOut(version)
    await expect(edge1).toBeServing('/', { header: GIVEN })
    await farmPage.open()
    for (const { name } of farm.nodes) await expect(farmPage.row(name)).toShowState('In sync')
  })
})
