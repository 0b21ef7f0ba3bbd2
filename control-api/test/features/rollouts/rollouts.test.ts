// SPDX-License-Identifier: MIT
// Rollouts from the API to nodes that speak the protocol over the real agent listener, and back.
import { describe, expect, it } from 'vitest'
import type { Conduct } from '../../simulated-node.ts'
import { freeze, push, taskOf } from './at-once.ts'
import { AT_ONCE, addNode, conducts, farm, get, reaches, saveVersion, text } from './farm.ts'

describe('POST /rollouts', () => {
  it('needs a session that may run rollouts, a version that exists, and a body that fits', async () => {
    const service = await farm([])
    const { anonymous, as, admin } = service
    expect((await push(anonymous, 1)).statusCode).toBe(401)
    expect((await push(await as('viewer'), 1)).statusCode).toBe(403)
    expect((await push(await as('editor'), 1)).statusCode).toBe(403)
    expect((await push(admin, 0)).statusCode).toBe(400)
    expect((await push(admin, 1, '?dryRun=maybe')).statusCode).toBe(400)
    const missing = await push(admin, 7)
    expect(missing.statusCode).toBe(404)
    expect(missing.json().code).toBe('version_not_found')
  })

  it('brings the version to every node, and counts only what each really runs', async () => {
    const service = await farm(['edge-1', 'edge-2', 'edge-3'])
    const { admin, as, nodes } = service
    const response = await push(await as('operator'), 1)
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({
      state: 'running',
      author: 'test-operator',
      message: 'because',
    })
    const rollout = await reaches(service, response.json().id, 'succeeded')
    expect(rollout).toMatchObject({
      reason: 'All 3 nodes have the version.',
      waves: [{ index: 0, nodes: 3, done: 3 }],
      pendingNodes: 0,
      endedAt: expect.any(String),
    })
    for (const node of nodes) {
      expect(node.ran).toEqual([text(8080)])
      const shown = (await admin.inject({ url: `/api/v1/nodes/${node.id}` })).json()
      expect(shown.sync.state).toBe('in-sync')
      expect(shown.sync.effective.version).toEqual({ config: 'default', number: 1 })
    }
    const version = (await admin.inject({ url: '/api/v1/configs/default/versions/1' })).json()
    expect(version.nodes).toBe(3)
  })

  it('leaves an event row for each step of each node and of itself', async () => {
    const service = await farm(['edge-1'])
    const { id } = (await push(service.admin, 1)).json()
    await reaches(service, id, 'succeeded')
    const rows = await service.services.db
      .selectFrom('events')
      .select(['action', 'actor', 'data'])
      .where('kind', '=', 'rollout')
      .where('object_id', '=', id)
      .orderBy('id')
      .execute()
    expect(rows.map((row) => row.action)).toEqual([
      'created',
      'running',
      'task-offered',
      'task-acked',
      'task-applying',
      'task-applied',
      'task-confirmed',
      'task-healthy',
      'task-done',
      'succeeded',
    ])
    expect(rows[0]?.actor).toBe('test-admin')
    expect(rows[3]?.actor).toBe(service.nodes[0]?.id)
    for (const row of rows.slice(1)) expect(JSON.parse(row.data).cause).toMatch(/\w/)
  })

  it('gives each node its own text, with comments, where it has an override', async () => {
    const service = await farm(['edge-1', 'edge-2'])
    const { admin, nodes } = service
    const url = `/api/v1/nodes/${nodes[1]?.id}/override`
    const etag = String((await admin.inject({ url })).headers.etag)
    const mergePatch = { listen: [{ address: '127.0.0.1', port: 8099 }] }
    await admin.inject({
      method: 'PUT',
      url,
      payload: { mergePatch },
      headers: { 'if-match': etag },
    })
    const { id } = (await push(admin, 1)).json()
    await reaches(service, id, 'succeeded')
    expect(nodes[0]?.ran).toEqual([text(8080)])
    expect(nodes[1]?.ran[0]).toContain('8099')
    expect(nodes[1]?.ran[0]).toContain('// the port')
  })

  it('has nothing to do where a node runs it already', async () => {
    const service = await farm(['edge-1'])
    await reaches(service, (await push(service.admin, 1)).json().id, 'succeeded')
    const again = await push(service.admin, 1)
    expect(again.statusCode).toBe(201)
    expect(again.json()).toMatchObject({
      state: 'succeeded',
      states: { done: 1 },
      waves: [{ index: 0, nodes: 1, done: 1, states: { done: 1 } }],
    })
    expect(await taskOf(service, again.json().id, 'edge-1')).toMatchObject({ generation: 1 })
    expect(service.nodes[0]?.ran).toHaveLength(1)
  })

  it('is careful unless it says at once, which leaves nothing else to say', async () => {
    const { admin } = await farm(['edge-1', 'edge-2'])
    const plan = (strategy?: object) => push(admin, 1, '?dryRun=1', { strategy })
    const careful = (await plan()).json()
    expect(careful).toMatchObject({ waves: 2, policy: { onFailure: 'revert', isAlone: false } })
    expect(careful.policy.gates).toHaveLength(5)
    expect((await plan({})).json().planDigest).toBe(careful.planDigest)
    expect((await plan(AT_ONCE)).json()).toMatchObject({ waves: 1, policy: { gates: [] } })
    const both = await plan({ ...AT_ONCE, soakSeconds: 5, gates: [] })
    expect([both.statusCode, both.json().code]).toEqual([422, 'at_once_alone'])
    const gates = [{ metric: 'errors5xx', path: '/docs/', max: 0.1, onFail: 'pause' }]
    const unclear = await plan({ gates })
    expect([unclear.statusCode, unclear.json().code]).toEqual([422, 'gates_unclear'])
    expect(both.json().detail).toContain('leave out soakSeconds, gates')
    expect((await plan({ ...AT_ONCE, excludeKinds: ['x'] })).statusCode).toBe(200)
  })

  it('to a single node has time let it through, for there is nobody to compare with', async () => {
    const service = await farm(['edge-1'])
    const strategy = { minHealthySeconds: 0, soakSeconds: 0 }
    const { id, policy } = (await push(service.admin, 1, '', { strategy })).json()
    expect(policy).toMatchObject({ isAlone: true })
    await reaches(service, id, 'succeeded')
    const gates = [{ metric: 'errors5xx', max: 0.1, onFail: 'revert' }]
    const said = (await push(service.admin, 1, '?dryRun=1', { strategy: { gates } })).json()
    expect(said.policy.isAlone).toBe(false)
  })

  it('proves nothing on an empty farm: what nodes to come get stays as it was', async () => {
    const service = await farm([])
    const { admin, services } = service
    expect((await push(admin, 1)).json()).toMatchObject({
      state: 'cancelled',
      reason: expect.stringContaining('Nothing is proven: there was no node to change'),
    })
    expect(await services.db.selectFrom('releases').selectAll().execute()).toEqual([])
    const node = await addNode(service, 'edge-1')
    const { id } = (await push(admin, 1)).json()
    await reaches(service, id, 'succeeded')
    expect(node.ran).toEqual([text(8080)])
  })

  it('is refused while another one is under way when it says so, and names that one', async () => {
    const service = await farm(['edge-1'])
    const { admin } = service
    conducts(service, 0, { kind: 'hang' })
    const { id } = (await push(admin, 1)).json()
    await saveVersion(admin, text(8090), 1)
    const refuse = { onOverlap: 'refuse' }
    const second = await push(admin, 2, '', refuse)
    expect(second.statusCode).toBe(409)
    expect(second.json()).toMatchObject({ code: 'rollout_active', rolloutId: id })
    expect(second.json().detail).toContain(`/rollouts/${id}/actions/freeze`)
    const both = await Promise.all([push(admin, 2, '', refuse), push(admin, 2, '', refuse)])
    expect(both.map((response) => response.statusCode)).toEqual([409, 409])
  })

  it('starts once when pushed twice at the same time', async () => {
    // Silent, so that the first is still under way however late the second is planned.
    const service = await farm([])
    await addNode(service, 'edge-1', false)
    const both = await Promise.all([push(service.admin, 1), push(service.admin, 1)])
    expect(both.map((response) => response.json().state).sort()).toEqual(['queued', 'running'])
  })

  it('is refused when a node’s override makes the version wrong for it', async () => {
    const service = await farm(['edge-1', 'edge-2'])
    const { admin, nodes } = service
    const url = `/api/v1/nodes/${nodes[1]?.id}/override`
    const etag = String((await admin.inject({ url })).headers.etag)
    const payload = { mergePatch: { workers: 'many' } }
    await admin.inject({ method: 'PUT', url, payload, headers: { 'if-match': etag } })
    const response = await push(admin, 1)
    expect(response.statusCode).toBe(422)
    expect(response.json()).toMatchObject({
      code: 'rollout_invalid',
      detail: expect.stringContaining('edge-2'),
      errors: [{ pointer: '/workers', line: 0, hint: expect.stringContaining('override') }],
    })
    const plan = (await push(admin, 1, '?dryRun=1')).json()
    expect(plan.nodes.items).toMatchObject([
      { nodeName: 'edge-1', errors: [] },
      { nodeName: 'edge-2', digest: null, errors: [{ pointer: '/workers' }] },
    ])
    expect(plan.textErrors).toMatchObject({
      nodes: 1,
      findings: { items: [{ nodes: { total: 1, items: [{ nodeName: 'edge-2' }] } }] },
    })
  })

  it('names the node whose override makes the version unreadable, and goes on once that is mended', async () => {
    const service = await farm(['edge-1'])
    const { admin, nodes } = service
    const url = `/api/v1/nodes/${nodes[0]?.id}/override`
    const override = async (mergePatch: object) => {
      const etag = String((await admin.inject({ url })).headers.etag)
      const headers = { 'if-match': etag }
      await admin.inject({ method: 'PUT', url, payload: { mergePatch }, headers })
    }
    await override({ limits: { headerSeconds: 1.5 } })
    const response = await push(admin, 1)
    expect(response.json()).toMatchObject({
      code: 'rollout_invalid',
      errors: [{ code: 'not_integer', line: 0, hint: expect.stringContaining('override') }],
    })
    const plan = (await push(admin, 1, '?dryRun=1')).json()
    expect(plan.nodes.items).toMatchObject([{ digest: null, errors: [{ code: 'not_integer' }] }])
    await override({})
    await reaches(service, (await push(admin, 1)).json().id, 'succeeded')
  })

  it('says with dryRun=1 what it would do, and does not do it', async () => {
    const service = await farm(['edge-1'])
    await addNode(service, 'edge-2', false)
    const response = await push(service.admin, 1, '?dryRun=1')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      config: 'default',
      version: 1,
      nodes: {
        total: 2,
        items: [
          { nodeName: 'edge-1', connected: true, fromVersion: null, changes: true, errors: [] },
          { nodeName: 'edge-2', connected: false, changes: true },
        ],
      },
      ...{ changingNodes: 2, awayNodes: 1, cordonedNodes: 0, textErrors: { nodes: 0 } },
      fromVersions: { items: [{ version: null, nodes: 2 }] },
    })
    expect((await service.admin.inject({ url: '/api/v1/rollouts' })).json().items).toEqual([])
  })
})

describe('a node that says no', () => {
  const nack: Conduct = {
    kind: 'nack',
    code: 'missing_file',
    message: '/srv/www does not exist here',
  }

  it('means places of its own text; the task names those of the version’s', async () => {
    const service = await farm(['edge-1'])
    const { admin, nodes } = service
    const url = `/api/v1/nodes/${nodes[0]?.id}/override`
    const etag = String((await admin.inject({ url })).headers.etag)
    // One line of the version's text becomes several on the node.
    const mergePatch = { listen: [{ address: '127.0.0.1', port: 8099 }] }
    const headers = { 'if-match': etag }
    await admin.inject({ method: 'PUT', url, payload: { mergePatch }, headers })
    conducts(service, 0, { ...nack, at: '"/srv/www"' })
    const { id } = (await push(admin, 1)).json()
    await reaches(service, id, 'paused')
    const line =
      text(8080)
        .split('\n')
        .findIndex((words) => words.includes('/srv/www')) + 1
    expect((await taskOf(service, id, 'edge-1'))?.errors).toMatchObject([{ line, endLine: line }])
  })

  it('pauses the rollout, which says which node and why; freezing ends it', async () => {
    const service = await farm(['edge-1', 'edge-2'])
    const { admin, nodes, as } = service
    conducts(service, 1, nack)
    const { id } = (await push(admin, 1)).json()
    const paused = await reaches(service, id, 'paused')
    expect(paused.reason).toContain(
      'edge-2 refused the version (missing_file): /srv/www does not exist here',
    )
    expect(await taskOf(service, id, 'edge-2')).toMatchObject({
      state: 'nacked',
      code: 'missing_file',
    })

    expect((await freeze(await as('viewer'), paused)).statusCode).toBe(403)
    const stale = await freeze(admin, { id, stateVersion: paused.stateVersion - 1 })
    expect(stale.statusCode).toBe(409)
    expect(stale.json()).toMatchObject({ code: 'stale_state', state: 'paused' })
    const current = await get(service, id)
    const frozen = await freeze(admin, current)
    expect(frozen.statusCode).toBe(200)
    expect(frozen.json()).toMatchObject({
      state: 'frozen',
      reason: expect.stringContaining('test-admin froze it'),
    })
    const again = await freeze(admin, frozen.json())
    expect(again.json()).toMatchObject({ status: 409, code: 'rollout_ended' })
    expect(
      (await freeze(admin, { id: `rollout_${'0'.repeat(26)}`, stateVersion: 1 })).statusCode,
    ).toBe(404)

    conducts(service, 1, { kind: 'good' })
    await saveVersion(admin, text(8090), 1)
    await reaches(service, (await push(admin, 2)).json().id, 'succeeded')
    expect(nodes.map((node) => node.ran.at(-1))).toEqual([text(8090), text(8090)])
  })

  it('does not make a refused version the one new nodes get', async () => {
    const service = await farm(['edge-1'])
    const { admin } = service
    await reaches(service, (await push(admin, 1)).json().id, 'succeeded')
    await saveVersion(admin, text(8090), 1)
    conducts(service, 0, nack)
    const { id } = (await push(admin, 2)).json()
    await reaches(service, id, 'paused')
    const late = await addNode(service, 'edge-2')
    await expect.poll(() => late.ran).toEqual([text(8080)])
    expect((await get(service, id)).previousVersion).toBe(1)
  })

  it('pauses also when it took the version and then went back', async () => {
    const service = await farm(['edge-1'])
    const { admin } = service
    conducts(service, 0, { kind: 'revert' })
    const { id } = (await push(admin, 1)).json()
    const paused = await reaches(service, id, 'paused')
    expect(paused.reason).toContain('edge-1 went back to its last confirmed config (crash_loop)')
  })
})

describe('GET /rollouts', () => {
  it('lists them newest first, in pages, for viewers', async () => {
    const service = await farm([])
    const { anonymous, as, admin } = service
    const viewer = await as('viewer')
    const ids = []
    for (let i = 0; i < 3; i++) ids.push((await push(admin, 1)).json().id)
    expect((await anonymous.inject({ url: '/api/v1/rollouts' })).statusCode).toBe(401)
    const first = (await viewer.inject({ url: '/api/v1/rollouts?limit=2' })).json()
    const second = (
      await viewer.inject({ url: `/api/v1/rollouts?limit=2&cursor=${first.nextCursor}` })
    ).json()
    const listed = [...first.items, ...second.items].map((item: { id: string }) => item.id)
    expect(listed).toHaveLength(3)
    expect(new Set(listed)).toEqual(new Set(ids))
    expect(second.nextCursor).toBeNull()
    expect(
      (await viewer.inject({ url: `/api/v1/rollouts/rollout_${'0'.repeat(26)}` })).statusCode,
    ).toBe(404)
  })
})
