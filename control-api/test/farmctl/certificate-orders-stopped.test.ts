// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { problem } from '../acme/stub-ca.ts'
import { status } from '../features/webhooks/test-receiver.ts'
import { ORDER, withOrders } from './certificate-farm.ts'
import { FARMCTL_TEST_MS } from './helper.ts'

describe('orders', { timeout: FARMCTL_TEST_MS }, () => {
  test('are paused, refused, watched for so long, and given up', async () => {
    // Three seconds are all it waits: a process of its own gives the service its turn.
    const { say, dns, ca } = await withOrders({ asProcess: true })
    expect((await say(`${ORDER} --wait`)).code).toBe(0)
    expect((await say('certificates pause shop')).stdout).toContain('shop is paused')
    const paused = await say('certificates order-now shop')
    expect([paused.code, paused.stderr]).toEqual([6, expect.stringContaining('while it is paused')])
    expect((await say('certificates resume shop')).code).toBe(0)

    ca.instead.set('newOrder', problem('rejectedIdentifier', 403))
    const refused = await say('certificates order-now shop --wait')
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/it is rejectedIdentifier.* It is tried again at 20/),
    ])
    ca.instead.clear()
    dns.answer = status(202)
    const late = await say('certificates order-now shop --wait --timeout 0.05')
    expect([late.code, late.stderr]).toEqual([
      4,
      expect.stringMatching(
        /publishing at own: .* not everywhere yet[\s\S]*certificates wait shop/,
      ),
    ])
    expect((await say('certificates cancel shop')).stdout).toContain('shop is')
    expect((await say('certificates cancel shop')).code).toBe(6)
    expect((await say('certificates unmanage shop --yes')).stdout).toMatch(/not renewed any more/)
    expect((await say('get certificate shop')).code).toBe(0)
  })
})
