// SPDX-License-Identifier: MIT
// Rollouts that go wave by wave, to nodes that speak the protocol.
import { describe, expect, it } from 'vitest'
import { act, BY_WAVES, conducts, get, order, reaches, servingFarm, text } from './farm.ts'

describe('a rollout by waves', () => {
  it('is planned before it begins, and only that plan is started', async () => {
    const { admin } = await servingFarm()
    const wish = { version: 2, strategy: BY_WAVES }
    const plan = (await order(admin, wish, '?dryRun=1')).json()
    expect(plan).toMatchObject({ waves: 2, policy: { maxParallel: 1, blastBudget: 4 } })
    expect(plan.nodes.items.map((node: { wave: number }) => node.wave)).toEqual([0, 1, 1])
    const other = await order(admin, { ...wish, planDigest: 'sha256:other' })
    expect(other.json()).toMatchObject({ status: 409, code: 'plan_changed' })
    const started = await order(admin, { ...wish, planDigest: plan.planDigest })
    expect(started.statusCode).toBe(201)
    expect(started.json()).toMatchObject({ planDigest: plan.planDigest, wave: 0 })
  })

  it('reaches every node, one wave after the other', async () => {
    const service = await servingFarm()
    const { id } = (await order(service.admin, { version: 2, strategy: BY_WAVES })).json()
    const ended = await reaches(service, id, 'succeeded')
    expect(ended.waves).toEqual([
      { index: 0, nodes: 1, done: 1, states: { done: 1 } },
      { index: 1, nodes: 2, done: 2, states: { done: 2 } },
    ])
    for (const node of service.nodes) expect(node.ran.at(-1)).toBe(text(8090))
    const rows = await service.services.db
      .selectFrom('events')
      .select('action')
      .where('object_id', '=', id)
      .orderBy('id')
      .execute()
    const actions = rows.map((row) => row.action).filter((action) => /offered|wave/.test(action))
    expect(actions.slice(0, 4)).toEqual(['task-offered', 'wave-1', 'task-offered', 'task-offered'])
  })

  it('stops at the wave in which a node refuses, and gives back what was changed', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    conducts(service, 1, { kind: 'nack', code: 'missing_file', message: 'no' })
    const { id } = (await order(admin, { version: 2, strategy: BY_WAVES })).json()
    const paused = await reaches(service, id, 'paused')
    expect(paused.reason).toContain('edge-2 refused the version')
    expect(nodes[2]?.ran).toEqual([text(8080)])
    const refused = await act(admin, paused, 'skip-gate', { reason: 'now' })
    expect(refused.json()).toMatchObject({ status: 409, code: 'action_not_possible' })
    expect((await act(admin, paused, 'revert', { reason: 'it was wrong' })).statusCode).toBe(200)
    const reverted = await reaches(service, id, 'reverted')
    expect(reverted.reason).toContain('test-admin takes it back: it was wrong')
    expect(reverted.tasks.map((task) => task.state)).toEqual(['reverted', 'nacked', 'skipped'])
    expect(nodes[0]?.ran).toEqual([text(8080), text(8090), text(8080)])
    await expect
      .poll(async () => (await admin.inject({ url: `/api/v1/nodes/${nodes[0]?.id}` })).json().sync)
      .toMatchObject({ state: 'in-sync', desired: { version: { number: 1 } } })
  })

  it('goes back by itself when a node went back', async () => {
    const service = await servingFarm()
    conducts(service, 1, { kind: 'revert', of: text(8090) })
    const strategy = { ...BY_WAVES, onFailure: 'revert' }
    const { id } = (await order(service.admin, { version: 2, strategy })).json()
    const reverted = await reaches(service, id, 'reverted')
    expect(reverted.reason).toContain('edge-2 went back to its last confirmed config (crash_loop)')
    expect(service.nodes.map((node) => node.ran.at(-1))).toEqual([
      text(8080),
      // It went back by itself, and was told to stay there.
      text(8080),
      text(8080),
    ])
  })

  it('goes on without a node that failed when an operator says so', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    conducts(service, 0, { kind: 'nack', code: 'port_in_use', message: 'no' })
    const { id } = (await order(admin, { version: 2, strategy: BY_WAVES })).json()
    const paused = await reaches(service, id, 'paused')
    expect((await act(admin, paused, 'resume')).statusCode).toBe(200)
    const ended = await reaches(service, id, 'succeeded')
    expect(ended.reason).toContain('an operator went on without edge-1')
    expect(nodes.map((node) => node.ran.at(-1))).toEqual([text(8080), text(8090), text(8090)])
  })

  it('leaves out nodes of the kind that refused it, but for one that gets another text', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    const payload = { mergePatch: { listen: [{ address: '127.0.0.1', port: 8070 }] } }
    const url = `/api/v1/nodes/${nodes[2]?.id}/override`
    const { etag } = (await admin.inject({ url })).headers
    const headers = { 'if-match': String(etag) }
    expect((await admin.inject({ method: 'PUT', url, headers, payload })).statusCode).toBe(200)
    conducts(service, 0, { kind: 'nack', code: 'unsupported_version', message: 'no' })
    const { id } = (await order(admin, { version: 2, strategy: BY_WAVES })).json()
    const paused = await reaches(service, id, 'paused')
    expect((await act(admin, paused, 'resume')).statusCode).toBe(200)
    const { tasks, reason } = await reaches(service, id, 'succeeded')
    expect(tasks.map(({ state, code }) => [state, code])).toEqual([
      ['nacked', 'unsupported_version'],
      ['skipped', 'unsupported_version'],
      ['done', null],
    ])
    expect(tasks[1]?.message).toBe('edge-1, of the same kind, refused the same text')
    expect(reason).toContain('an operator went on without edge-1, edge-2')
    expect(nodes[1]?.ran.at(-1)).toBe(text(8080))
  })

  it('is paused by hand and skips a gate, each with who and why in the audit', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    const strategy = { ...BY_WAVES, soakSeconds: 3_600 }
    const { id } = (await order(admin, { version: 2, strategy })).json()
    await expect.poll(async () => (await get(service, id)).phase).toBe('soaking')
    expect((await get(service, id)).reason).toContain('are watched for 3600 s')
    const held = (await act(admin, await get(service, id), 'pause', { reason: 'lunch' })).json()
    expect(held).toMatchObject({ state: 'paused', reason: expect.stringContaining(': lunch.') })
    const unexplained = await act(admin, held, 'skip-gate')
    expect(unexplained.statusCode).toBe(400)
    await act(admin, held, 'skip-gate', { reason: 'nobody is awake' })
    await expect.poll(() => nodes[2]?.ran.at(-1)).toBe(text(8090))
    const rows = await service.services.db
      .selectFrom('events')
      .select(['action', 'actor', 'data'])
      .where('object_id', '=', id)
      .where('actor', '=', 'test-admin')
      .execute()
    expect(rows.map(({ data }) => data).join()).toContain(
      'skip-gate by test-admin: nobody is awake',
    )
  })

  it('takes the nodes of another only when that is said', async () => {
    const service = await servingFarm()
    const { admin } = service
    conducts(service, 0, { kind: 'hang' })
    const first = (await order(admin, { version: 2, strategy: BY_WAVES })).json()
    const queued = (await order(admin, { version: 1 })).json()
    expect(queued).toMatchObject({ state: 'queued', blockedBy: [first.id] })
    const second = await order(admin, { version: 1, onOverlap: 'supersede' })
    expect(second.statusCode).toBe(201)
    const frozen = await get(service, first.id)
    expect(frozen).toMatchObject({ state: 'frozen' })
    expect(frozen.reason).toContain(`rollout ${second.json().id} froze it`)
    expect(await get(service, queued.id)).toMatchObject({ state: 'superseded' })
  })
})
