// SPDX-License-Identifier: MIT
// Who may only look sees the farm as it is; what changes something is off, and says which permission it needs.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asViewer as test } from '../../fixtures/index.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { NodePage } from '../../pages/node-page.ts'
import { SettingsPage } from '../../pages/settings-page.ts'

type Screen = { path: string; off: Record<string, string> }

const screens = (nodeId: string): Screen[] => [
  { path: '/nodes', off: { 'Add a node': 'nodes:enrol' } },
  {
    path: `/nodes/${nodeId}`,
    off: {
      Cordon: 'nodes:write',
      'Rename or label': 'nodes:write',
      'Save override of 1 node': 'nodes:write',
      'Revoke identity': 'nodes:write',
      'Look live': 'requests:read',
    },
  },
  { path: '/groups', off: { 'New group': 'groups:write', 'Edit default': 'groups:write' } },
  { path: '/configs/default', off: { 'Save version': 'configs:write' } },
  { path: '/configs/default/versions/1', off: { Restore: 'configs:write' } },
  { path: '/settings/rollout-rules', off: { 'Save the rules': 'rollouts:rules' } },
  { path: '/settings/neighbours', off: { 'Save the setting': 'rollouts:rules' } },
]

test('sees every node as it is, with what it runs, and its log', async ({ page, farm }) => {
  const farmPage = new FarmPage(page)
  const node = new NodePage(page)
  await page.goto('/nodes')
  for (const { name } of farm.nodes) {
    await expect(farmPage.row(name)).toShowState('Connected')
    await expect(farmPage.row(name)).toShowState('In sync')
  }
  await farmPage.openNode('edge-1')
  await node.button('Ask the node').click()
  await expect(node.panel('Error log of edge-1')).toContainText('agent: connected to')
})

test('may press nothing that changes something, and is told what that needs', async ({
  page,
  admin,
}) => {
  const { id } = await admin.node('edge-1')
  for (const { path, off } of screens(id)) {
    await test.step(path, async () => {
      await page.goto(path)
      for (const [name, permission] of Object.entries(off)) {
        const saying = new RegExp(
          `Your roles \\(viewer\\) .* needs the permission ${permission}\\.`,
        )
        await expect(page.getByRole('button', { name, exact: true })).toBeRefused({ saying })
      }
    })
  }
  expect.soft(await wrongWithLooks(page)).toEqual([])
})

test('is led to no screen of what it may not see, and at its address told why', async ({
  page,
}) => {
  const settings = new SettingsPage(page)
  await settings.open()
  await expect(settings.tabs).toHaveText([
    ...['Overview', 'Security', 'Tokens', 'Rollout rules', 'Neighbours', 'Alert rules'],
    ...['Certificate authorities', 'DNS webhooks', 'Single sign-on'],
  ])
  for (const [path, permission] of [
    ['/audit', 'audit:read'],
    ['/settings/users', 'users:read'],
    ['/settings/webhooks', 'webhooks:read'],
    ['/settings/backups', 'backups:read'],
    ['/enrolment', 'nodes:enrol'],
    ['/rollouts/new?config=default&version=1', 'rollouts:run'],
  ]) {
    await page.goto(path ?? '')
    await expect(page.getByRole('main')).toContainText(
      new RegExp(`needs the permission "?${permission}"?[.;]`),
    )
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
  }
})

test('is refused by the API just so, with what to do', async ({ api, farm, admin }) => {
  const { id } = await admin.node('edge-1')
  const refusal = { status: 403, code: 'not_allowed', saying: /viewer.*Ask an administrator/ }
  const { call } = api
  const order = { config: 'default', version: 1, strategy: { atOnce: true } }
  await expect(call.POST('/api/v1/rollouts', { body: order })).toBeRefused(refusal)
  const group = { name: 'mine', selector: 'mine' }
  await expect(call.POST('/api/v1/groups', { body: group })).toBeRefused(refusal)
  const user = { username: 'friend', roles: ['admin' as const] }
  await expect(call.POST('/api/v1/users', { body: user })).toBeRefused(refusal)
  await expect(
    call.DELETE('/api/v1/nodes/{id}/identity', { params: { path: { id } } }),
  ).toBeRefused(refusal)
  await expect(farm.node('edge-1')).toBeServing('/')
})
