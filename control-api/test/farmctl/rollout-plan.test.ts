// SPDX-License-Identifier: MIT
// What farmctl says before a rollout begins.
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/agent-protocol/messages.gen.ts'
import { example } from '../agents/node-client.ts'
import { FARMCTL_TEST_MS } from './helper.ts'
import { farmOf, start } from './rollout-farm.ts'

describe('rollout', { timeout: FARMCTL_TEST_MS }, () => {
  test('says beforehand what starting does, and what is not known of the nodes', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const planned = await farm.run(['rollout', 'plan', 'default'])
    expect(planned.stdout).toMatch(/0 would take it; not known of all: 2 too old to be asked/)
    expect(planned.stdout).toContain(
      'errors4xx<=0.02:revert errors404<=0.02:revert bytesPerRequest<=4:revert',
    )
    const { stderr } = await start(farm)
    expect(stderr).toMatch(/2 nodes get it at once and nothing is watched; when one refuses it/)
    const careful = await farm.run(['rollout', 'start', 'default@1', '--dry-run', '--careful'])
    expect(careful.stdout).toContain('When a node fails: revert')
    const both = await farm.run(['rollout', 'plan', 'default', '--at-once', '--soak', '5s'])
    expect([both.code, both.stderr]).toEqual([
      1,
      expect.stringMatching(/leaves nothing else to say/),
    ])
  })

  test('has the nodes’ answers of before in its JSON, too; an emergency says that nobody was asked', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const how = ['rollout', 'start', 'default@1', '--at-once', '--yes']
    const planned = await farm.json('rollout', 'plan', 'default@1')
    expect(planned).toMatchObject({ planDigest: expect.any(String), preflight: { tooOld: 2 } })
    expect(await farm.json(...how)).toMatchObject({ state: 'succeeded', preflight: { tooOld: 2 } })
    const none = await farm.json(...how, '--no-wait')
    expect(none).toMatchObject({ preflight: null, whyNotAsked: expect.stringMatching(/No node/) })
    const order = ['default@1', '--emergency', 'Keys leaked', '--yes']
    const urgent = await farm.json('rollout', 'start', ...order)
    const nobody = expect.stringMatching(/nobody was asked/)
    expect(urgent).toMatchObject({ preflight: null, whyNotAsked: nobody })
    expect((await farm.run(['rollout', 'start', ...order])).stderr).toEqual(nobody)
  })
})

describe('rollout that machines’ owners do not allow', { timeout: FARMCTL_TEST_MS }, () => {
  test('is planned with who will refuse and why, and may be started all the same', async () => {
    const { farm, nodes } = await farmOf('node-1', 'node-2')
    const [node] = nodes
    if (!node) throw new Error('there are two nodes')
    const { policy } = example<{ policy: Policy }>('hello.request.policy')
    node.policy = { ...policy, rules: { ...policy.rules, serve: ['/srv/film'] } }
    await node.hello()
    const plan = await farm.run(['rollout', 'plan', 'default'])
    expect(plan.code).toBe(0)
    expect(plan.stdout).toMatch(/^1 +node-1 .* it will refuse$/m)
    expect(plan.stdout).toMatch(/^2 +node-2 .* new text$/m)
    expect(plan.stdout).toMatch(/^1 node will refuse it: its machine’s owner does not allow it; /m)
    expect(plan.stdout).toMatch(/^ {2}default@1:4:\d+: .*\/srv\/www.* \(node-1\)$/m)
    node.conduct = { kind: 'nack', code: 'policy', message: 'Not allowed here.' }
    expect((await start(farm)).code).toBe(2)
  })
})
