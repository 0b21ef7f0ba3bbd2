// SPDX-License-Identifier: MIT
// An operator whose roles count for zone=eu: edge-1 is theirs, the other nodes are not there for them, and
// what concerns the whole farm says so.
import { ANY_STATE } from '../../client/api.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, SCOPE, asScoped as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { GroupsPage } from '../../pages/groups-page.ts'
import { NodePage } from '../../pages/node-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

const HEADER: [string, string] = ['X-Zone', 'eu']

test('sees its own node alone, and of the others neither page nor name', async ({
  page,
  admin,
  api,
  provokes,
}) => {
  provokes(/^404 .*\/nodes\/node_…$/)
  const farmPage = new FarmPage(page)
  await page.goto('/nodes')
  await expect(farmPage.row('edge-1')).toShowState('In sync')
  await expect(farmPage.row('edge-2')).toHaveCount(0)
  await expect(page.getByRole('main')).not.toContainText('edge-2')
  const other = await admin.node('edge-2')
  await page.goto(`/nodes/${other.id}`)
  await expect(page.getByRole('alert')).toContainText('There is no such node')
  await expect(
    api.call.GET('/api/v1/nodes/{id}', { params: { path: { id: other.id } } }),
  ).toBeRefused({ status: 404, code: 'node_not_found' })
  const groups = new GroupsPage(page)
  await groups.open()
  await expect(groups.row('default')).toContainText('1 node')
})

test('brings a version to its own node, and to no other', async ({ page, farm, admin, api }) => {
  const rollout = new RolloutPage(page)
  const common = await admin.saveVersion(configText(farm.siteDir), 'For all')
  await admin.rollOut(common)
  for (const node of farm.nodes) {
    await expect(node).toBeServing('/', { header: [HEADER[0], null] })
  }
  const text = configText(farm.siteDir, { header: HEADER })
  const version = await admin.saveVersion(text, 'For Europe')

  await expect(api.rollOut(version)).toBeRefused({
    ...{ status: 403, code: 'outside_scope', saying: /selector must stay inside: "zone=eu"/ },
  })
  await page.goto(
    `/rollouts/new?config=default&version=${version}&selector=${encodeURIComponent(SCOPE)}`,
  )
  await rollout.start(1)
  await expect(rollout.state).toShowState('Succeeded')
  await expect(farm.node('edge-1')).toBeServing('/', { header: HEADER })
  await expect(farm.node('edge-2')).toBeServing('/', { header: [HEADER[0], null] })
  expect.soft(await wrongWithLooks(page)).toEqual([])
  await admin.rollOut(common)
  await expect(farm.node('edge-1')).toBeServing('/', { header: [HEADER[0], null] })
})

test('may cordon its node, and not move it out of its scope', async ({ page, admin, api }) => {
  const node = new NodePage(page)
  const { id } = await admin.node('edge-1')
  await page.goto(`/nodes/${id}`)
  await node.cordon('edge-1', 'Its disk is being changed')
  await expect(page.getByText('edge-1 is cordoned')).toBeVisible()
  await node.button('Uncordon').click()
  await expect(node.button('Cordon')).toBeEnabled()
  const change = { params: { path: { id }, ...ANY_STATE }, body: { labels: { zone: 'us' } } }
  await expect(api.call.PATCH('/api/v1/nodes/{id}', change)).toBeRefused({
    ...{ status: 403, code: 'outside_scope', saying: /Ask somebody whose roles count there/ },
  })
  const token = { labels: { zone: 'us' } }
  await expect(api.call.POST('/api/v1/enrolment-tokens', { body: token })).toBeRefused({
    ...{ status: 403, code: 'outside_scope' },
  })
})

test('is told on each screen what concerns the whole farm', async ({ page }) => {
  const saying = /Your roles apply only to nodes with zone=eu, and this affects the whole farm/
  const groups = new GroupsPage(page)
  await groups.open()
  await expect(page.getByRole('button', { name: 'New group' })).toBeRefused({ saying })
  await page.goto('/settings')
  await expect(page.getByRole('link', { name: 'Users' })).toHaveCount(0)
})
