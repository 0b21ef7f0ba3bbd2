// SPDX-License-Identifier: MIT
// A plan says beforehand which nodes will refuse it, because their machines' owners do not allow it.
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../../src/agent-protocol/messages.gen.ts'
import { policyRefusalsOf } from '../../../../src/features/rollouts/plan/policy-refusals.ts'
import type { RolloutPlan } from '../../../../src/features/rollouts/shapes/plan-schema.ts'
import { createAskOwners } from '../../../../src/node-check/owners.ts'
import type { PolicyQuestion } from '../../../../src/node-check/policy-checks.ts'
import { example } from '../../../agents/node-client.ts'
import { build } from '../../../helper.ts'
import { type Farm, farm, order, reaches, saveVersion } from '../farm.ts'

const policy = example<{ policy: Policy }>('hello.request.policy').policy
const allowing = (rules: Partial<Policy['rules']>): Policy => ({
  ...policy,
  rules: { ...policy.rules, ...rules },
})
const TIGHT = allowing({ serve: ['/srv/www'] })
const WIDE = allowing({ serve: ['/srv/www', '/srv/film'] })
const FILM = `{
  // the archive
  "listen": [{ "address": "127.0.0.1", "port": 8080 }],
  "sites": [{ "hosts": ["*"], "root": "/srv/film" }]
}
`

/** Version 1 serves /srv/www, version 2 /srv/film. */
async function owned(policies: Record<string, Policy | null>): Promise<Farm> {
  const service = await farm(Object.keys(policies))
  for (const [i, said] of Object.values(policies).entries()) {
    const node = service.nodes[i]
    if (!node) continue
    node.policy = said
    await node.hello()
  }
  await saveVersion(service.admin, FILM, 1)
  return service
}

const planOf = async ({ admin }: Farm, version: number): Promise<RolloutPlan> =>
  (await order(admin, { version }, '?dryRun=1')).json()
const namesOf = ({ findings }: RolloutPlan['policyRefusals']) =>
  findings.items.map(({ nodes }) => nodes.items.map(({ nodeName }) => nodeName))
const refusing = ({ nodes }: RolloutPlan) =>
  nodes.items.filter(({ willRefuse }) => willRefuse).map(({ nodeName }) => nodeName)

describe('a plan', () => {
  test('names the nodes that will refuse, and what their owners do not allow, in the author’s place', async () => {
    const service = await owned({ 'edge-1': TIGHT, 'edge-2': WIDE, 'edge-3': TIGHT })
    const plan = await planOf(service, 2)
    expect(plan.policyRefusals).toMatchObject({ nodes: 2, unchecked: 0, unavailable: null })
    expect(plan.policyRefusals.findings).toMatchObject({
      total: 1,
      items: [
        {
          error: {
            code: 'policy',
            pointer: '/sites/0/root',
            line: 4,
            column: 39,
            message: expect.stringContaining('/srv/film'),
            hint: expect.stringContaining('"serve" in its policy file'),
          },
          nodes: { total: 2 },
        },
      ],
    })
    expect(namesOf(plan.policyRefusals)).toEqual([['edge-1', 'edge-3']])
    expect(refusing(plan)).toEqual(['edge-1', 'edge-3'])
    const allowed = await planOf(service, 1)
    expect(allowed.policyRefusals).toMatchObject({ nodes: 0, findings: { total: 0 } })
  })

  test('says nothing of nodes that tell no policy', async () => {
    const plan = await planOf(await owned({ 'edge-1': null }), 2)
    expect(plan.policyRefusals).toEqual({
      nodes: 0,
      findings: { total: 0, items: [] },
      unchecked: 0,
      unavailable: null,
    })
  })

  test('says nothing of nodes that it passes by, or that run the version already', async () => {
    const service = await owned({ 'edge-1': null, 'edge-2': TIGHT })
    const first = (await order(service.admin, { version: 2 })).json()
    await reaches(service, first.id, 'succeeded')
    const [runs, cordoned] = service.nodes
    if (!runs || !cordoned) throw new Error('there are two nodes')
    runs.policy = TIGHT
    await runs.hello()
    expect((await planOf(service, 2)).policyRefusals.nodes).toBe(0)
    await saveVersion(service.admin, FILM.replace('8080', '8081'), 2)
    expect((await planOf(service, 3)).policyRefusals.nodes).toBe(2)
    const url = `/api/v1/nodes/${cordoned.id}/cordon`
    await service.admin.inject({ method: 'PUT', url, payload: { reason: 'new disk' } })
    expect(refusing(await planOf(service, 3))).toEqual(['edge-1'])
  })

  test('is of what each node would get: a node’s own override is held against its policy', async () => {
    const service = await owned({ 'edge-1': TIGHT, 'edge-2': TIGHT })
    const url = `/api/v1/nodes/${service.nodes[1]?.id}/override`
    const { headers } = await service.admin.inject({ url })
    await service.admin.inject({
      method: 'PUT',
      url,
      payload: { mergePatch: { sites: [{ hosts: ['*'], root: '/home/ben' }] } },
      headers: { 'if-match': String(headers.etag) },
    })
    const plan = await planOf(service, 1)
    expect(namesOf(plan.policyRefusals)).toEqual([['edge-2']])
    expect(plan.policyRefusals.findings.items[0]?.error.message).toContain('/home/ben')
  })

  test('that nodes will refuse can be ordered all the same, and pauses when one does', async () => {
    const service = await owned({ 'edge-1': TIGHT })
    const [node] = service.nodes
    if (node) node.conduct = { kind: 'nack', code: 'policy', message: 'not allowed here' }
    const { planDigest } = await planOf(service, 2)
    const started = await order(service.admin, { version: 2, planDigest })
    expect(started.statusCode).toBe(201)
    const paused = await reaches(service, started.json().id, 'paused')
    expect(paused.reason).toMatch(/^edge-1 refused the version \(policy\): not allowed here/)
  })
})

describe('a farm of ten thousand nodes', () => {
  const TEXTS = 2
  const RULES = ['rules-1', 'rules-2', 'rules-3', 'rules-4']
  const planned = (i: number) => ({
    node: {
      id: `node-${i}`,
      name: `edge-${i}`,
      labels: '{}',
      revision: 1,
      merge_patch: '{}',
      effective: null,
      os: 'Debian',
      version: '0.1.0',
      capabilities: '[]',
      cordon: null,
      policy_rules: RULES[i % RULES.length] ?? null,
    },
    text: `text ${i % TEXTS}`,
    textId: `text-${i % TEXTS}`,
    digest: `sha256:${i % TEXTS}`,
    configDigest: `sha256:${i % TEXTS}`,
    certificates: [],
    releases: [],
    errors: [],
    unavailable: null,
    toAuthor: (error: Refusal) => error,
    group: 'default',
    settledGeneration: null,
    fromVersion: null,
  })
  const refusal = {
    pointer: '/sites/0/root',
    ...{ line: 1, column: 1, endLine: 1, endColumn: 2 },
    ...{ code: 'policy', message: 'no', hint: '' },
  }
  type Refusal = typeof refusal

  async function asked(answer: (question: PolicyQuestion) => Refusal[] | undefined) {
    const { services } = await build()
    const rows = RULES.map((id) => ({ id, rules: `{"of":"${id}"}` }))
    await services.db.insertInto('policy_rules').values(rows).execute()
    const questions: PolicyQuestion[] = []
    const askPolicies = async (all: readonly PolicyQuestion[]) => {
      questions.push(...all)
      const of = (pair: { textId: string; rulesId: string }) => {
        const question = all.find((one) => isOf(one, pair))
        return question && answer(question)
      }
      return { of, unavailable: null }
    }
    const nodes = Array.from({ length: 10_000 }, (_, i) => planned(i))
    const askOwners = createAskOwners({ db: services.db, askPolicies })
    return { questions, ...(await policyRefusalsOf(askOwners, nodes)) }
  }
  const isOf = (a: PolicyQuestion, b: { textId: string; rulesId: string }) =>
    a.textId === b.textId && a.rulesId === b.rulesId

  test('costs a question for each text and policy, and names the first of many', async () => {
    const isTight = ({ rulesId }: PolicyQuestion) => rulesId === 'rules-1'
    const { questions, policyRefusals } = await asked((one) => (isTight(one) ? [refusal] : []))
    expect(questions.map(({ textId, rules }) => `${textId} ${rules}`).sort()).toEqual([
      'text-0 {"of":"rules-1"}',
      'text-0 {"of":"rules-3"}',
      'text-1 {"of":"rules-2"}',
      'text-1 {"of":"rules-4"}',
    ])
    expect(policyRefusals).toMatchObject({ nodes: 2_500, unchecked: 0, findings: { total: 1 } })
    const [finding] = policyRefusals.findings.items
    expect(finding?.nodes).toMatchObject({ total: 2_500 })
    expect(finding?.nodes.items).toHaveLength(10)
  })

  test('says of how many nodes it was not asked', async () => {
    const { policyRefusals } = await asked(({ rulesId }) =>
      rulesId === 'rules-2' ? undefined : [],
    )
    expect(policyRefusals).toMatchObject({ nodes: 0, unchecked: 2_500 })
  })
})
