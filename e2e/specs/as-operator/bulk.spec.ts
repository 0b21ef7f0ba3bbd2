// SPDX-License-Identifier: MIT
// Many nodes are changed from their list: looked at first, and of each one hears what became of it.

import { ANY_STATE } from '../../client/api.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { bodyOf, expect, asOperator as test } from '../../fixtures/index.ts'
import { FarmPage } from '../../pages/farm-page.ts'

test('two nodes move to a group together, and all are cordoned and let go again', async ({
  page,
  admin,
}) => {
  const farmPage = new FarmPage(page)
  const group = { name: 'pair', selector: 'role=pair' }
  await admin.call.POST('/api/v1/groups', { body: group })
  await page.goto('/')
  await farmPage.open()
  const bar = page.getByRole('region', { name: 'Selected nodes' })
  const dialog = page.getByRole('dialog')
  const groups = async () => {
    const { items } = await bodyOf(admin.call.GET('/api/v1/nodes'))
    return items.map(({ name, group: of }) => `${name} ${of}`)
  }

  await test.step('what moving them would do is said, and nothing is done yet', async () => {
    await page.getByRole('checkbox', { name: 'Select edge-1' }).check()
    await page.getByRole('checkbox', { name: 'Select edge-2' }).check()
    await bar.getByRole('button', { name: 'Move…' }).click()
    await dialog.getByLabel('Group').selectOption('pair')
    await dialog.getByRole('button', { name: 'Show what it would do' }).click()
    await expect(dialog.getByText('2 nodes would be moved')).toBeVisible()
    await expect(dialog.getByText('from default to pair')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    expect(await groups()).toEqual(['edge-1 default', 'edge-2 default', 'edge-3 default'])
  })

  await test.step('they are moved', async () => {
    await dialog.getByRole('button', { name: 'Move 2 nodes' }).click()
    await expect(dialog.getByText('2 nodes moved.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect(await groups()).toEqual(['edge-1 pair', 'edge-2 pair', 'edge-3 default'])
  })

  await test.step('all that are listed are cordoned, and let go', async () => {
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await bar.getByRole('button', { name: 'Cordon…', exact: true }).click()
    await dialog.getByLabel('Why').fill('new disks')
    await dialog.getByRole('button', { name: 'Show what it would do' }).click()
    await dialog.getByRole('button', { name: 'Cordon 3 nodes' }).click()
    await expect(dialog.getByText('3 nodes cordoned.')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(farmPage.row('edge-3').getByText('Cordoned')).toBeVisible()
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    await bar.getByRole('button', { name: 'Uncordon…' }).click()
    await dialog.getByRole('button', { name: 'Show what it would do' }).click()
    await dialog.getByRole('button', { name: 'Uncordon 3 nodes' }).click()
    await expect(dialog.getByText('3 nodes uncordoned.')).toBeVisible()
    await page.keyboard.press('Escape')
  })

  await admin.call.DELETE('/api/v1/groups/{name}', {
    params: { path: { name: 'pair' }, ...ANY_STATE },
  })
  await admin.call.POST('/api/v1/nodes/actions/change', {
    body: {
      nodeIds: (await bodyOf(admin.call.GET('/api/v1/nodes'))).items.map(({ id }) => id),
      change: { kind: 'label', remove: ['role'] },
    },
  })
})
