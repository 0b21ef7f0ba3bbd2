// SPDX-License-Identifier: MIT
// A new rollout from where one looks for it, and the way back to an older version, which starts nothing by itself.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { bodyOf, expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

test('a rollout is ordered from the list, and taken back by a second one from the version’s page', async ({
  page,
  farm,
  admin,
  api,
}) => {
  const rollout = new RolloutPage(page)
  const served = (value: string) => ({ header: ['X-Brought', value] as [string, string] })
  const textOf = (value: string) => configText(farm.siteDir, { header: ['X-Brought', value] })
  const older = await admin.saveVersion(textOf('older'), 'The older one')
  await admin.rollOut(older)
  for (const node of farm.nodes) await expect(node).toBeServing('/', served('older'))
  const newer = await admin.saveVersion(textOf('newer'), 'The newer one')

  await test.step('the list leads to the choice, which names the newest version first', async () => {
    await page.goto('/rollouts')
    await page.getByRole('link', { name: 'New rollout', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'New rollout', level: 1 })).toBeVisible()
    // Tests before this one may have made other configs: then none is chosen by itself.
    await page.goto('/rollouts/new?config=default')
    await expect(page.getByText('“The newer one”')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await rollout.start(farm.nodes.length)
    await expect(rollout.state).toShowState('Succeeded')
    for (const node of farm.nodes) await expect(node).toBeServing('/', served('newer'))
  })

  await test.step('the way back says from where, and waits for somebody to start it', async () => {
    await page.goto(`/configs/default/versions/${older}`)
    await page.getByRole('link', { name: `Back to v${older}` }).click()
    await expect(page.getByText(`back from v${newer} to v${older}`)).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    const { items } = await bodyOf(api.call.GET('/api/v1/rollouts'))
    expect(items[0]?.version).toBe(newer)
    for (const node of farm.nodes) await expect(node).toBeServing('/', served('newer'))
    await rollout.start(farm.nodes.length)
    await expect(rollout.state).toShowState('Succeeded')
    for (const node of farm.nodes) await expect(node).toBeServing('/', served('older'))
  })
})
