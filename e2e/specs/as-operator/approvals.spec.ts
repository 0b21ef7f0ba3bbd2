// SPDX-License-Identifier: MIT
// Two people other than its author agree before a rollout begins.
import { ANY_STATE } from '../../client/api.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { bodyOf, expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

const HEADER: [string, string] = ['X-Agreed', 'by two']

test.beforeEach(async ({ admin }) => {
  const rules = await bodyOf(admin.call.GET('/api/v1/rollout-rules'))
  const body = { ...rules, approvals: 2 }
  await admin.call.PUT('/api/v1/rollout-rules', { params: ANY_STATE, body })
})
// Of the whole farm, which others share.
test.afterEach(async ({ admin }) => {
  const rules = await bodyOf(admin.call.GET('/api/v1/rollout-rules'))
  const body = { ...rules, approvals: 0 }
  await admin.call.PUT('/api/v1/rollout-rules', { params: ANY_STATE, body })
})

test('what the operator orders begins when two others have approved it, and not before', async ({
  page,
  pageAs,
  farm,
  admin,
  api,
}) => {
  const text = configText(farm.siteDir, { header: HEADER })
  const version = await admin.saveVersion(text, 'Two must agree')
  const own = new RolloutPage(page)
  await page.goto(`/rollouts/new?config=default&version=${version}`)
  await own.start(farm.nodes.length)

  await test.step('it waits, and its author may not approve it', async () => {
    await expect(own.state).toShowState('Awaiting approval')
    await expect(own.waitsFor).toContainText('2 more people must agree')
    await expect(own.button('Approve this plan')).toBeRefused({
      saying: /needs the permission rollouts:approve/,
    })
    const id = page.url().split('/').at(-1) ?? ''
    const { stateVersion, planDigest } = await api.rollout(id)
    const approve = { params: { path: { id } }, body: { stateVersion, planDigest } }
    await expect(api.call.POST('/api/v1/rollouts/{id}/actions/approve', approve)).toBeRefused({
      status: 403,
      code: 'not_allowed',
      saying: /Ask an administrator/,
    })
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  const approver = await pageAs('approver')
  await test.step('one approves it, once', async () => {
    const theirs = new RolloutPage(approver)
    await approver.goto(new URL(page.url()).pathname)
    await theirs.button('Approve this plan').click()
    await expect(theirs.button('Approve this plan')).toBeRefused({
      saying: /You have approved it already/,
    })
    await expect(own.waitsFor).toContainText('1 more person must agree')
    for (const node of farm.nodes) {
      await expect(node).toBeServing('/', { header: [HEADER[0], null] })
    }
  })

  await test.step('the second one begins it', async () => {
    const second = await pageAs('admin')
    await second.goto(new URL(page.url()).pathname)
    await new RolloutPage(second).button('Approve this plan').click()
    await expect(own.state).toShowState('Succeeded')
    for (const node of farm.nodes) await expect(node).toBeServing('/', { header: HEADER })
  })
})
