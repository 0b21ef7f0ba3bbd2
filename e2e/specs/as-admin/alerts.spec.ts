// SPDX-License-Identifier: MIT
// A rule made in the console fires: somebody is told, sees it, takes it on, silences it, and sees that it is over. Of
// certificates, since these are looked at every fifteen seconds; what is measured takes minutes.
import { DAY_MS, make } from '../../../control-api/test/certificates/make.ts'
import { openReceiver } from '../../../control-api/test/features/webhooks/receiver.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { bodyOf, expect, asAdmin as test } from '../../fixtures/index.ts'

/** Rules are looked at every fifteen seconds. */
const LOOKED_AT_WITHIN_MS = 60_000
const NAME = 'near-its-end'
const RULE = 'Renew it by hand'

test('a rule is made; what it finds is told, shown, taken on, silenced and over', async ({
  page,
  api,
}) => {
  test.setTimeout(5 * LOOKED_AT_WITHIN_MS)
  const receiver = await openReceiver()
  const webhook = { url: receiver.url, events: ['alert'] }
  await api.call.POST('/api/v1/webhooks', { body: webhook })
  const life = { fromMs: Date.now() - 80 * DAY_MS, toMs: Date.now() + 5 * DAY_MS }
  const { pem: chain, key } = await make({ names: ['near.invalid'], ...life })
  await api.call.POST('/api/v1/certificates', { body: { name: NAME, chain, key } })
  const row = page.getByRole('row').filter({ hasText: RULE }).filter({ hasText: NAME })
  const dialog = page.getByRole('dialog')

  await test.step('it is made, with what is missing said at its field', async () => {
    await page.goto('/settings/alert-rules')
    await page.getByRole('link', { name: 'New rule' }).click()
    await page.getByRole('button', { name: 'Create rule' }).click()
    await expect(page.getByText('Give it a name: people know a rule by it.')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await page.getByLabel('Name').fill(RULE)
    await page.getByLabel('Fires on').selectOption('A certificate that is about to expire')
    await page.getByLabel('Days before it expires').fill('10')
    await page.getByLabel('Minutes before it fires').fill('0')
    await page.getByRole('button', { name: 'Create rule' }).click()
    await expect(page.getByRole('heading', { name: RULE })).toBeVisible()
    await page.goto('/settings/alert-rules')
    await expect(page.getByRole('row').filter({ hasText: RULE })).toContainText('On')
  })

  await test.step('it fires, on the page and to the receiver, and is taken on', async () => {
    await page.goto('/alerts')
    await expect(row).toContainText('Warning', { timeout: LOOKED_AT_WITHIN_MS })
    await expect.poll(receiver.types).toContain('alert.firing')
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await row.getByRole('button', { name: /^Acknowledge/ }).click()
    await dialog.getByLabel('Comment (optional)').fill('It is ordered')
    await dialog.getByRole('button', { name: 'Acknowledge' }).click()
    await expect(row).toContainText('admin')
    await expect(row).toContainText('It is ordered')
    await expect.poll(receiver.types).toContain('alert.acknowledged')
  })

  await test.step('it is silenced from its row, with a reason and an end', async () => {
    await row.getByRole('button', { name: /^Silence/ }).click()
    await expect(dialog.getByLabel('Why')).toBeFocused()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await dialog.getByLabel('Why').fill('Until it is here')
    await dialog.getByRole('button', { name: 'Silence' }).click()
    await expect(row).toContainText('Silenced until')
    await expect(
      page.getByRole('button', { name: 'End the silence: Until it is here' }),
    ).toBeVisible()
  })

  await test.step('it says when a rule over measurements would have fired', async () => {
    await page.goto('/settings/alert-rules')
    await page.getByRole('link', { name: 'Disk filling' }).click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(page.getByText('It would not have fired')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('once it is deleted, what it found is over, and so is its silence', async () => {
    await page.goto('/settings/alert-rules')
    await page.getByRole('link', { name: RULE }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete 1 rule' }).click()
    await expect(page.getByRole('heading', { name: 'Alert rules' })).toBeVisible()
    await page.goto('/alerts?state=resolved')
    await expect(row).toContainText('Its rule was deleted.')
    await expect(page.getByText('Until it is here')).toBeHidden()
  })

  await test.step('without the certificate it is over for the rule that was there, too', async () => {
    const path = { name: NAME }
    const { response } = await api.call.GET('/api/v1/certificates/{name}', { params: { path } })
    const header = { 'if-match': response.headers.get('etag') ?? '' }
    await api.call.DELETE('/api/v1/certificates/{name}', { params: { path, header } })
    const isOver = async () => {
      const { items } = await bodyOf(api.call.GET('/api/v1/alerts'))
      return items.filter(({ subject }) => subject.name === NAME).map(({ state }) => state)
    }
    await expect.poll(isOver, { timeout: LOOKED_AT_WITHIN_MS }).toEqual(['resolved', 'resolved'])
    await expect.poll(receiver.types).toContain('alert.resolved')
  })
  receiver.close()
})
