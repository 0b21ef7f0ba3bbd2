// SPDX-License-Identifier: MIT
// What single nodes make of a rollout: busy ones, edited ones, others of their kind, and how long each may take.
import { expect, it } from 'vitest'
import { hashPassword } from '../../../src/people/passwords.ts'
import { insertUser } from '../../../src/people/user-store.ts'
import { PASSWORD, signInAs } from '../../helper.ts'
import { addNode, get, order, reaches, saveVersion, servingFarm, text } from './farm.ts'

const LONG = { timeout: 30_000 }
const LOCAL = `sha256:${'c'.repeat(64)}`

it('a node that is busy is asked again, and takes the version then', async () => {
  const service = await servingFarm()
  const [busy] = service.nodes
  if (!busy) throw new Error('there is no node')
  busy.conduct = { kind: 'nack', code: 'busy', message: 'a check is running' }
  const { id } = (await order(service.admin, { version: 2 })).json()
  const task = async () => (await get(service, id)).tasks[0]
  // All in one look: it is asked again meanwhile.
  await expect.poll(task, LONG).toMatchObject({
    ...{ state: 'pending', code: 'busy' },
    message: expect.stringContaining('a check is running; it is asked again after'),
  })
  expect((await get(service, id)).state).toBe('running')
  busy.conduct = { kind: 'good' }
  await expect.poll(async () => (await get(service, id)).state, LONG).toBe('succeeded')
  expect(busy.ran.at(-1)).toBe(text(8090))
}, 60_000)

it('a node that was edited on its machine stops the rollout, and keeps its edit', async () => {
  const service = await servingFarm()
  const [edited] = service.nodes
  if (!edited?.effective) throw new Error('there is no node')
  const waves = [{ nodes: 1 }, { percent: 100 }]
  const strategy = { waves, minHealthySeconds: 0, soakSeconds: 3_600, gates: [] }
  const { id } = (await order(service.admin, { version: 2, strategy })).json()
  await expect.poll(async () => (await get(service, id)).phase, LONG).toBe('soaking')
  edited.effective = { ...edited.effective, digest: LOCAL, source: 'local' }
  await edited.report([])
  const paused = await reaches(service, id, 'paused')
  expect(paused.tasks[0]).toMatchObject({ state: 'nacked', code: 'conflict' })
  for (const words of [LOCAL, `GET /api/v1/nodes/${edited.id}/drift`]) {
    expect(paused.reason).toContain(words)
  }
  const offers = await service.services.db
    .selectFrom('assignments')
    .select('generation')
    .where('node_id', '=', edited.id)
    .execute()
  expect(offers).toHaveLength(2)
})

it('an order says how long each step may take, and the node is told', async () => {
  const service = await servingFarm()
  const times = { ackSeconds: 20, applySeconds: 40, confirmSeconds: 80 }
  const strategy = { ...times, minHealthySeconds: 0, soakSeconds: 0, gates: [] }
  const { id, policy } = (await order(service.admin, { version: 2, strategy })).json()
  expect(policy).toMatchObject(times)
  await reaches(service, id, 'succeeded')
  for (const { newest } of service.nodes) {
    expect(newest).toMatchObject({
      ackWithinMs: 20_000,
      applyWithinMs: 40_000,
      confirmWithinMs: 80_000,
    })
  }
})

it('a plan names the kinds of its nodes, and an order may leave kinds out', async () => {
  const { admin } = await servingFarm()
  const wish = { version: 2, strategy: {} }
  const plan = (await order(admin, wish, '?dryRun=1')).json()
  const [{ kind }] = plan.nodes.items
  expect(kind).toBe('Debian GNU/Linux 12 · 0.1.0 · confirm')
  const without = { ...wish, strategy: { excludeKinds: [kind] } }
  const narrowed = (await order(admin, without, '?dryRun=1')).json()
  expect(narrowed.nodes.items).toEqual([])
  expect(narrowed.excluded.items[0].reason).toBe(`The order leaves out its kind: ${kind}.`)
  expect(narrowed.planDigest).not.toBe(plan.planDigest)
})

it('an order tells a scope nothing of nodes outside: not how many, and not that they exist', async () => {
  const service = await servingFarm()
  const { write } = service.services
  const passwordHash = await hashPassword(PASSWORD, { memoryKib: 8, passes: 1 })
  const made = { username: 'eu', passwordHash, roles: ['operator' as const], scope: 'zone=eu' }
  await write((unit) => insertUser(unit, { ...made, isOneTime: false, nowMs: Date.now() }))
  const eu = await signInAs(service, 'eu', PASSWORD)
  const none = await order(eu, { version: 2, selector: 'zone=eu,app=typo' })
  expect([none.statusCode, none.json().detail]).toEqual([
    422,
    expect.stringContaining('(0 are left'),
  ])
  const [there] = (await service.admin.inject({ url: '/api/v1/nodes' })).json().items
  for (const id of [there.id, 'node_01jd4q6v2m8w3x5y7z9abcdefg']) {
    const refused = await order(eu, { version: 2, selector: 'zone=eu', nodes: [id] })
    expect([refused.statusCode, refused.json().code]).toEqual([422, 'no_such_nodes'])
  }
})

it('what goes to no node is refused, and releases nothing, unless it was meant', async () => {
  const { admin } = await servingFarm()
  for (const none of [
    { selector: 'zone=ue' },
    { strategy: { excludeKinds: [] }, selector: '!x,x' },
  ]) {
    const wish = { version: 2, ...none }
    expect((await order(admin, wish, '?dryRun=1')).json().matchesNone).toBe(true)
    const refused = await order(admin, wish)
    expect([refused.statusCode, refused.json().code]).toEqual([422, 'no_nodes'])
  }
  const meant = await order(admin, { version: 2, selector: 'zone=ue', allowEmpty: true })
  // Nothing that nobody ran is released.
  expect(meant.json()).toMatchObject({ state: 'cancelled' })
})

it('a version that succeeded lately takes the fast path, which is part of the plan', async () => {
  const service = await servingFarm()
  const { admin } = service
  const planOf = async (version: number) =>
    (await order(admin, { version, strategy: {} }, '?dryRun=1')).json()
  expect(await planOf(2)).toMatchObject({ isFastPath: false })
  for (const version of [2, 3, 4]) {
    if (version > 2) await saveVersion(admin, text(8088 + version), version - 1)
    await reaches(service, (await order(admin, { version })).json().id, 'succeeded')
  }
  expect(await planOf(1)).toMatchObject({ isFastPath: false })
  const fast = await planOf(2)
  expect(fast.isFastPath).toBe(true)
  expect(fast.policy.gates.map(({ onFail }: { onFail: string }) => onFail)).not.toContain('pause')
  const { id } = (await order(admin, { version: 2, strategy: {} })).json()
  const started = await get(service, id)
  expect(started).toMatchObject({ isFastPath: true, state: 'running' })
  expect(started.reason).toMatch(/^Fast path, for the version succeeded not long ago/)
})

it('a rollout of what every node has ends at once, and says so', async () => {
  const service = await servingFarm()
  const { id } = (await order(service.admin, { version: 1, strategy: {} })).json()
  const ended = await get(service, id)
  expect(ended.state).toBe('succeeded')
  expect(ended.reason).toBe('Nothing to do: all 3 nodes have the version already.')
})

it('a new node that will not have what was released gets the newest that others are well with', async () => {
  const service = await servingFarm()
  const released = (await order(service.admin, { version: 2 })).json()
  await reaches(service, released.id, 'succeeded')
  const late = await addNode(service, 'edge-4', false)
  late.conduct = { kind: 'revert', of: text(8090) }
  await late.connect()
  await expect.poll(() => late.effective?.digest, LONG).toBeDefined()
  await expect.poll(() => late.ran.at(-1), LONG).toBe(text(8080))
  const given = await service.services.db
    .selectFrom('assignments')
    .select(['version', 'rollout_id', 'state'])
    .where('node_id', '=', late.id)
    .orderBy('generation')
    .execute()
  expect(given.map(({ version, rollout_id }) => [version, rollout_id])).toEqual([
    [2, null],
    [1, null],
  ])
})

it('a new node that refuses all of them is left alone, and asked by the next rollout', async () => {
  const service = await servingFarm()
  const late = await addNode(service, 'edge-4', false)
  late.conduct = { kind: 'nack', code: 'missing_file', message: 'no /srv/www' }
  await late.connect()
  const given = () =>
    service.services.db
      .selectFrom('assignments')
      .select(['version', 'state'])
      .where('node_id', '=', late.id)
      .execute()
  await expect.poll(given, LONG).toEqual([{ version: 1, state: 'nacked' }])
  late.conduct = { kind: 'good' }
  const { id } = (await order(service.admin, { version: 2 })).json()
  await reaches(service, id, 'succeeded')
  expect(late.ran.at(-1)).toBe(text(8090))
  expect(await given()).toHaveLength(2)
})
