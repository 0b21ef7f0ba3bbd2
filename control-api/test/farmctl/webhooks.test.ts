// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { isSignedWith, startReceiver, status } from '../features/webhooks/test-receiver.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

describe('webhooks', { timeout: FARMCTL_TEST_MS }, () => {
  test('are made with a secret shown once, tested, changed and removed', async () => {
    const { run, json } = await farmctl({ config: { webhookAllow: ['127.0.0.0/8'] } })
    const receiver = await startReceiver()
    const args = ['webhooks', 'create', receiver.url, '--event', 'backup']
    const { id, secret }: { id: string; secret: string } = await json(...args)
    const taken = await run(['webhooks', 'test', id])
    expect([taken.code, taken.stdout]).toEqual([0, expect.stringMatching(/^status 204 after/)])
    const [first] = receiver.received
    expect(first && isSignedWith(secret, first)).toBe(true)

    const rotated = await run(['webhooks', 'rotate-secret', id, '--yes'])
    expect(rotated.stdout).toMatch(/^whsec_\S+\n$/)
    expect(rotated.stdout.trim()).not.toBe(secret)
    receiver.answer = status(500)
    const refused = await run(['webhooks', 'test', id])
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/^status 500/)])
    expect((await run(['webhooks', 'deliveries', id])).stdout.split('\n')).toHaveLength(4)

    const changed = await run(['webhooks', 'change', id, '--event', 'user', '--disable'])
    expect(changed.stdout).toBe(`${receiver.url}: user, disabled\n`)
    expect((await run(['get', 'webhooks'])).stdout).toContain(id)
    expect((await run(['webhooks', 'remove', id, '--yes'])).code).toBe(0)
    expect(await json('get', 'webhooks')).toEqual({ items: [] })
  })
})
