// SPDX-License-Identifier: MIT
// A group of nodes with a config of its own: who joins it gets that config, and who leaves it gets the others'.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { GroupsPage } from '../../pages/groups-page.ts'
import { NodePage } from '../../pages/node-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

const OWN: [string, string] = ['X-Group', 'downloads']
const COMMON: [string, string] = ['X-Group', 'none']

test('nodes join a group by their labels, get its config, and leave it again', async ({
  page,
  farm,
  admin,
}) => {
  const groups = new GroupsPage(page)
  const farmPage = new FarmPage(page)
  const node = new NodePage(page)
  const rollout = new RolloutPage(page)
  const [edge1, , edge3] = [farm.node('edge-1'), farm.node('edge-2'), farm.node('edge-3')]
  const common = configText(farm.siteDir, { header: COMMON })
  await admin.rollOut(await admin.saveVersion(common, 'For all nodes'))
  const own = configText(farm.siteDir, { header: OWN })
  const version = await admin.saveVersion(own, 'For downloads', 'downloads')

  await test.step('a group is made, which no node is in yet', async () => {
    await groups.open()
    await groups.describe({ name: 'downloads', selector: 'role=downloads' })
    await expect(groups.dialog.getByRole('status')).toContainText('Saving:')
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await groups.save()
    await expect(groups.row('downloads')).toContainText('0 nodes')
    await groups.giveConfig('downloads', 'downloads')
    await expect(groups.row('downloads')).toContainText('downloads')
  })

  await test.step('a label brings a node into it, and the console says so before', async () => {
    await farmPage.open()
    await farmPage.openNode('edge-3')
    await node.relabel('zone=us role=downloads', /from default to downloads/)
    await expect(page.getByText('Group downloads', { exact: true })).toBeVisible()
  })

  await test.step('the group’s config goes to its node, and to no other', async () => {
    await page.goto(`/rollouts/new?config=downloads&version=${version}`)
    await rollout.start(1)
    await expect(rollout.state).toShowState('Succeeded')
    await expect(edge3).toBeServing('/', { header: OWN })
    await expect(edge1).toBeServing('/', { header: COMMON })
    await farmPage.open()
    await expect(farmPage.row('edge-3')).toContainText(`downloads v${version}`)
  })

  await test.step('without the group it gets what all others have', async () => {
    await groups.open()
    await groups.remove('downloads')
    await admin.rollOut((await admin.latestNumber()) ?? 0)
    for (const each of farm.nodes) await expect(each).toBeServing('/', { header: COMMON })
    await admin.label('edge-3', { zone: 'us' })
  })
})
