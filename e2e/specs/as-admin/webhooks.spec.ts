// SPDX-License-Identifier: MIT
// Another system is told what happens, signed; what it does not take is shown, and sent again.
import {
  isSignedWith,
  ok,
  openReceiver,
  status,
} from '../../../control-api/test/features/webhooks/receiver.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { WebhookPage } from '../../pages/webhook-page.ts'

/** What an ill receiver asks for: longer than the page takes to say that it fails. */
const RETRY_AFTER_SECONDS = '8'
const TRIED_AGAIN_WITHIN_MS = 30_000

test('a receiver gets what it asked for, signed; what fails is shown and tried again', async ({
  page,
  admin,
}) => {
  const webhook = new WebhookPage(page)
  const receiver = await openReceiver()
  const addGroup = (name: string) =>
    admin.call.POST('/api/v1/groups', { body: { name, selector: `told=${name}` } })

  const secret = await test.step('its secret is shown once, and a test of it arrives', async () => {
    const made = await webhook.make(receiver.url, 'group.created')
    await expect(page.getByText('It is shown only here')).toBeVisible()
    await webhook.open(receiver.url)
    await expect(page.getByText(made)).toHaveCount(0)
    await webhook.button('Send a test').click()
    await expect(page.getByText(/^It answered 204 after \d+ ms$/)).toBeVisible()
    await expect(webhook.state).toShowState('Works')
    return made
  })

  await test.step('what it asked for arrives, signed with the secret', async () => {
    await addGroup('first')
    await expect(webhook.attempts('group.created')).toShowState('Delivered')
    const told = receiver.received.at(-1)
    expect(told?.event).toMatchObject({ type: 'group.created', data: { id: 'first' } })
    expect(told && isSignedWith(secret, told)).toBe(true)
    expect(told && isSignedWith('whsec_b3RoZXI=', told)).toBe(false)
  })

  await test.step('while the receiver is ill it fails, says so, and is tried again', async () => {
    receiver.answer = (response) =>
      response.writeHead(503, { 'retry-after': RETRY_AFTER_SECONDS }).end()
    await addGroup('second')
    await expect(webhook.attempts('group.created').first()).toShowState('Failed')
    await expect(webhook.attempts('group.created').first()).toContainText('503')
    await expect(webhook.state).toShowState('Failing', { because: /the last: .*503/ })
    receiver.answer = ok
    await expect(webhook.state).toShowState('Works', { timeout: TRIED_AGAIN_WITHIN_MS })
    await expect(webhook.attempts('group.created').first()).toShowState('Delivered')
    expect.soft(await wrongWithLooks(page)).toEqual([])
    expect(receiver.objects().filter((id) => id === 'second').length).toBeGreaterThanOrEqual(2)
  })

  await test.step('what it said no to is not tried again, but by hand', async () => {
    receiver.answer = status(400)
    await addGroup('third')
    const newest = webhook.attempts('group.created').first()
    await expect(newest).toShowState('Failed')
    await expect(webhook.state).toShowState('Works')
    receiver.answer = ok
    await newest.getByRole('button', { name: /again$/ }).click()
    await expect(newest).toShowState('Delivered')
    expect(receiver.objects().slice(-2)).toEqual(['third', 'third'])
  })
  receiver.close()
})
