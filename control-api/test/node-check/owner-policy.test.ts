// SPDX-License-Identifier: MIT
// What the owner of a node's machine allows: told by the node, shown, audited, and no one's to change here.
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/agent-protocol/messages.gen.ts'
import { enrolNode, example, type TestNode } from '../agents/node-client.ts'
import { type Built, build, shared } from '../helper.ts'

/** Whoever counts what is written or has a clock of its own has a service, too. */
const sharedService = shared()

const policy = example<{ policy: Policy }>('hello.request.policy').policy
const wider: Policy = {
  ...policy,
  digest: `sha256:${'c'.repeat(64)}`,
  rules: { ...policy.rules, serve: ['/srv/www', '/srv/more'] },
}

async function changesOf({ admin }: Built, node: TestNode) {
  const url = `/api/v1/audit?action=policy-changed&object=${node.id}`
  const { items } = (await admin.inject({ url })).json<{ items: { id: number }[] }>()
  const entries = items.map(({ id }) => admin.inject({ url: `/api/v1/audit/${id}` }))
  return (await Promise.all(entries)).map((entry) => entry.json())
}
const rowsOf = ({ services }: Built, table: 'node_policies' | 'policy_rules') =>
  services.db.selectFrom(table).selectAll().execute()

describe('the policy of a machine’s owner', () => {
  test('is shown as the node told it, to everybody who may see the node', async () => {
    const service = await build({ now: () => Date.parse('2026-11-25T08:00:00Z') })
    const node = await enrolNode(service)
    await node.hello({ policy })
    const viewer = await service.as('viewer')
    const response = await viewer.inject({ url: `/api/v1/nodes/${node.id}` })
    expect(response.json().policy).toEqual({ ...policy, since: '2026-11-25T08:00:00.000Z' })
    const anonymous = await service.anonymous.inject({ url: `/api/v1/nodes/${node.id}` })
    expect(anonymous.statusCode).toBe(401)
  })

  test('is not known of a node that does not tell it, nor of one that no longer does', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    expect((await node.show()).policy).toBeNull()
    expect(await changesOf(service, node)).toEqual([])
    await node.hello({ policy })
    await node.hello()
    expect((await node.show()).policy).toBeNull()
    expect(await rowsOf(service, 'policy_rules')).toEqual([])
  })

  test('of a machine without a file is the one that is built in', async () => {
    const node = await enrolNode(sharedService())
    await node.hello({ policy: { ...policy, source: 'builtIn', path: null } })
    expect((await node.show()).policy).toMatchObject({ source: 'builtIn', path: null })
  })

  test('is written and audited when it changed, not with every hello', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    for (const said of [policy, policy, wider, wider]) await node.hello({ policy: said })
    const { source, path } = policy
    const [newer, older] = await changesOf(service, node)
    const whole = ({ digest, rules }: Policy) => ({ source, path, digest, rules })
    expect(older).toMatchObject({ actor: node.id, data: { before: null, after: whole(policy) } })
    expect(newer.data).toEqual({ before: whole(policy), after: whole(wider) })
    expect(await changesOf(service, node)).toHaveLength(2)
  })

  test('has its rules kept once for all nodes with the same, and as long as one has them', async () => {
    const service = await build()
    const [first, second] = [await enrolNode(service), await enrolNode(service)]
    await first.hello({ policy })
    await second.hello({ policy: { ...policy, path: '/elsewhere.json' } })
    expect(await rowsOf(service, 'node_policies')).toHaveLength(2)
    expect(await rowsOf(service, 'policy_rules')).toHaveLength(1)
    await first.hello({ policy: wider })
    expect((await second.show()).policy.rules).toEqual(policy.rules)
    await second.hello({ policy: wider })
    expect(await rowsOf(service, 'policy_rules')).toHaveLength(1)
  })

  test('that is very long does not fill the audit', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    const serve = Array.from({ length: 64 }, (_, i) => `/${i}${'x'.repeat(4000)}`)
    await node.hello({ policy: { ...policy, rules: { ...policy.rules, serve } } })
    expect((await node.show()).policy.rules.serve).toEqual(serve)
    const [entry] = await changesOf(service, node)
    expect(entry.data.after).toEqual({ ...policy, rules: null })
  })

  test.each([
    ['65 folders', { serve: Array.from({ length: 65 }, (_, i) => `/${i}`) }],
    ['a folder that is too long', { serve: [`/${'x'.repeat(4096)}`] }],
    ['an address that is too long', { listen: [`${'1'.repeat(65)}:80`] }],
    ['a rule that is left out', { serve: undefined }],
  ])('with %s is refused', async (_, rules) => {
    const node = await enrolNode(sharedService())
    const wrong = { ...policy, rules: { ...policy.rules, ...rules } } as Policy
    expect((await node.hello({ policy: wrong })).json()).toMatchObject({ code: 'invalid_message' })
  })

  test('with a rule that only a newer node knows is taken without it', async () => {
    const node = await enrolNode(sharedService())
    const newer = { ...policy, rules: { ...policy.rules, proxies: ['*'] } }
    await node.hello({ policy: newer })
    expect((await node.show()).policy.rules).toEqual(policy.rules)
  })
})
