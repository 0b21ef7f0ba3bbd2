// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { managed, ORDER, withCa } from './certificate-farm.ts'
import { FARMCTL_TEST_MS } from './helper.ts'

describe('orders', { timeout: FARMCTL_TEST_MS }, () => {
  test('are watched to their end, made again, and changed', async () => {
    const farm = await withCa()
    const { say, dns, at } = farm
    expect((await say(`certificate-authorities create own ${at} --agree-terms`)).stdout).toMatch(
      /^own is unregistered: https:\/\/127/,
    )
    expect((await say('certificate-authorities test own')).stdout).toMatch(/^own answers/)
    expect((await say(`dns-webhooks create dns ${dns.url}`)).stdout).toMatch(/^whsec_/)
    const issued = await say(`${ORDER} --wait`)
    expect([issued.code, issued.stdout]).toEqual([
      0,
      expect.stringMatching(/^shop has version 1, until \d{4}/),
    ])
    expect(issued.stderr).toContain('shop: ')
    expect(await managed(farm, 'shop')).toMatchObject({
      ...{ state: 'issued', rollOut: false, challenge: { type: 'dns-01', webhook: 'dns' } },
    })
    const again = await say('certificates order-now shop --wait')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('version 2')])
    const quiet = await say('certificates wait shop')
    expect([quiet.code, quiet.stdout]).toEqual([0, expect.stringContaining('nothing is ordered')])
    const more = await say('certificates order shop --names shop.example,a.b.example --wait')
    expect([more.code, more.stdout]).toEqual([0, expect.stringContaining('version 3')])
    expect((await say('certificates orders shop')).stdout).toMatch(/issued +own +test-admin +1 /)
  })
})
