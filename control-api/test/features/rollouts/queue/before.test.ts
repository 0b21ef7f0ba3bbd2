// SPDX-License-Identifier: MIT
// All that happens before the first offer: the line, approvals, schedule, change windows, emergencies.
import { describe, expect, it } from 'vitest'
import type { RolloutRules } from '../../../../src/features/rollout-rules/schema.ts'
import { build, type Client, withToken } from '../../../helper.ts'
import {
  act,
  BY_WAVES,
  conducts,
  type Farm,
  farm,
  get,
  order,
  reaches,
  rests,
  saveVersion,
  servingFarm,
  text,
} from '../farm.ts'

const HOUR_MS = 3_600_000
const NACK = { kind: 'nack' as const, code: 'missing_file' as const, message: 'no' }
/** A clock that can be put forward. */
function clock() {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    forward: (ms: number) => {
      aheadMs += ms
    },
  }
}

const RULES: RolloutRules = {
  approvals: 0,
  approvalHours: 72,
  windows: [],
  timeZone: 'UTC',
  blastBudget: null,
}
const url = '/api/v1/rollout-rules'
const put = (client: Client, rules: object, headers: Record<string, string>) =>
  client.inject({ method: 'PUT', url, payload: rules, headers })
async function setRules({ admin }: Farm, change: Partial<RolloutRules>): Promise<void> {
  const etag = String((await admin.inject({ url })).headers.etag)
  const changed = await put(admin, { ...RULES, ...change }, { 'if-match': etag })
  expect(changed.statusCode).toBe(200)
}
/** A window that is open on another day only. */
const closed = (now: number): Pick<RolloutRules, 'windows'> => {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
  const other = days[(new Date(now).getUTCDay() + 3) % 7] ?? 'sun'
  return { windows: [{ days: [other], from: '10:00', to: '11:00' }] }
}
const soaks = (service: Farm, id: string) =>
  expect.poll(async () => (await get(service, id)).phase).toBe('soaking')

describe('the line', () => {
  it('is first come, first served, and moves on in the step that frees the nodes', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    conducts(service, 0, NACK)
    const first = (await order(admin, { version: 2 })).json()
    await reaches(service, first.id, 'paused')
    await rests(service, first.id)
    const second = (await order(admin, { version: 1 })).json()
    expect(second).toMatchObject({ state: 'queued', blockedBy: [first.id], startedAt: null })
    expect(second.reason).toContain(`${first.id} has some of its nodes`)
    const third = (await order(admin, { version: 2 })).json()
    expect(third).toMatchObject({ state: 'queued', blockedBy: [first.id, second.id] })
    conducts(service, 0, { kind: 'good' })
    await act(admin, await get(service, first.id), 'freeze')
    const rows = await service.services.db
      .selectFrom('events')
      .select(['object_id', 'action', 'at_ms'])
      .where('action', 'in', ['frozen', 'running'])
      .where('object_id', 'in', [first.id, second.id])
      .orderBy('id')
      .execute()
    expect(rows.slice(-2).map((row) => [row.object_id, row.action])).toEqual([
      [first.id, 'frozen'],
      [second.id, 'running'],
    ])
    await reaches(service, second.id, 'succeeded')
    await reaches(service, third.id, 'succeeded')
    expect(nodes.map((node) => node.ran.at(-1))).toEqual([text(8090), text(8090), text(8090)])
  })

  it('goes back to what a node had when its turn came, not when it was ordered', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    await saveVersion(admin, text(8091), 2)
    const soaking = { ...BY_WAVES, maxParallel: 3, soakSeconds: 3_600 }
    const strategy = { ...soaking, waves: [{ percent: 100 }] }
    const first = (await order(admin, { version: 2, strategy })).json()
    await soaks(service, first.id)
    const second = (await order(admin, { version: 3, strategy })).json()
    expect(second.state).toBe('queued')
    const given = await act(admin, await get(service, first.id), 'skip-gate', { reason: 'ok' })
    expect(given.json().state).toBe('succeeded')
    await soaks(service, second.id)
    await act(admin, await get(service, second.id), 'revert')
    await reaches(service, second.id, 'reverted')
    expect(nodes.map((node) => node.ran.at(-1))).toEqual([text(8090), text(8090), text(8090)])
  })

  it('does not begin by itself with what went back before it, but begins when ordered again', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    await saveVersion(admin, text(8091), 2)
    const soaking = { ...BY_WAVES, waves: [{ percent: 100 }], maxParallel: 3, soakSeconds: 3_600 }
    const first = (await order(admin, { version: 2, strategy: soaking })).json()
    await soaks(service, first.id)
    const second = (await order(admin, { version: 3 })).json()
    const older = (await order(admin, { version: 1 })).json()
    expect([second.state, older.state]).toEqual(['queued', 'queued'])
    await act(admin, await get(service, first.id), 'revert')
    await reaches(service, first.id, 'reverted')
    const held = await reaches(service, second.id, 'cancelled')
    expect(held.reason).toContain(`It contains version 2, which ${first.id} took back`)
    expect(held.startedAt).toBeNull()
    // What is older does not contain it.
    await reaches(service, older.id, 'succeeded')
    const again = (await order(admin, { version: 3 })).json()
    await reaches(service, again.id, 'succeeded')
    expect(nodes.map((node) => node.ran.at(-1))).toEqual([text(8091), text(8091), text(8091)])
  })

  it('leaves out nodes that are gone by then', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    conducts(service, 0, NACK)
    const first = (await order(admin, { version: 2 })).json()
    await reaches(service, first.id, 'paused')
    await rests(service, first.id)
    const second = (await order(admin, { version: 1 })).json()
    const gone = await admin.inject({ method: 'DELETE', url: `/api/v1/nodes/${nodes[0]?.id}` })
    expect(gone.statusCode).toBe(204)
    const now = await get(service, first.id)
    if (now.endedAt === null) await act(admin, now, 'freeze')
    const ended = await reaches(service, second.id, 'succeeded')
    expect(ended.tasks.find(({ nodeName }) => nodeName === 'edge-1')?.state).toBe('skipped')
  })

  it('is left by who cancels, and frozen is only what has begun', async () => {
    const service = await servingFarm()
    const { admin } = service
    conducts(service, 0, NACK)
    const first = (await order(admin, { version: 2 })).json()
    await reaches(service, first.id, 'paused')
    await rests(service, first.id)
    const second = (await order(admin, { version: 1 })).json()
    for (const action of ['freeze', 'revert', 'pause']) {
      const refused = (await act(admin, second, action)).json()
      expect([refused.code, refused.detail]).toEqual([
        'action_not_possible',
        expect.stringContaining('cancel ends it'),
      ])
    }
    const cancelled = (await act(admin, second, 'cancel')).json()
    expect(cancelled).toMatchObject({ state: 'cancelled', blockedBy: [] })
    expect(cancelled.reason).toContain('test-admin cancelled it')
    const begun = await act(admin, await get(service, first.id), 'cancel')
    expect(begun.json().code).toBe('action_not_possible')
  })

  it('has an end, and says so', async () => {
    const { admin } = await farm([])
    const startAt = new Date(Date.now() + HOUR_MS).toISOString()
    const first = await order(admin, { version: 1, startAt })
    const ordered = [first]
    for (let i = 1; i < 20; i++) ordered.push(await order(admin, { version: 1, startAt }))
    expect(new Set(ordered.map(({ statusCode }) => statusCode))).toEqual(new Set([201]))
    const refused = await order(admin, { version: 1, startAt })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'queue_full'])
    await act(admin, first.json(), 'cancel')
    expect((await order(admin, { version: 1, startAt })).statusCode).toBe(201)
  })

  it('is the same after a start of the service', async () => {
    const { now, forward } = clock()
    const service = await servingFarm({ now })
    const { admin, config } = service
    conducts(service, 0, NACK)
    const first = (await order(admin, { version: 2 })).json()
    await reaches(service, first.id, 'paused')
    await rests(service, first.id)
    const queued = (await order(admin, { version: 1 })).json()
    const startAt = new Date(now() + HOUR_MS).toISOString()
    const scheduled = (await order(admin, { version: 1, startAt })).json()
    await service.close()
    forward(HOUR_MS)
    const again = await build({ config: { dataDir: config.dataDir }, now })
    const seen = async (id: string) =>
      (await again.admin.inject({ url: `/api/v1/rollouts/${id}` })).json()
    expect((await seen(queued.id)).state).toBe('queued')
    await expect
      .poll(async () => (await seen(scheduled.id)).blockedBy)
      .toEqual([first.id, queued.id])
    await act(again.admin, await seen(first.id), 'freeze')
    expect((await seen(queued.id)).state).not.toBe('queued')
  })
})

describe('the rules of the farm', () => {
  it('are read by all and changed by administrators, who have seen them', async () => {
    const service = await farm([])
    const { admin, anonymous, as } = service
    expect((await anonymous.inject({ url })).statusCode).toBe(401)
    const shown = await (await as('viewer')).inject({ url })
    expect(shown.json()).toEqual(RULES)
    const etag = { 'if-match': String(shown.headers.etag) }
    expect((await put(await as('operator'), RULES, etag)).statusCode).toBe(403)
    expect((await put(admin, { ...RULES, approvals: 6 }, etag)).statusCode).toBe(400)
    const window = { days: ['mon'], from: '22:00', to: '24:30' }
    expect((await put(admin, { ...RULES, windows: [window] }, etag)).statusCode).toBe(400)
    expect((await put(admin, RULES, {})).statusCode).toBe(428)
    expect((await put(admin, RULES, { 'if-match': '"7"' })).statusCode).toBe(412)
    const unknown = await put(admin, { ...RULES, timeZone: 'Mars/Olympus' }, etag)
    expect([unknown.statusCode, unknown.json().code]).toEqual([422, 'time_zone_unknown'])
    const rules = { ...RULES, approvals: 2, timeZone: 'Europe/Berlin', blastBudget: 7 }
    const changed = await put(admin, rules, etag)
    expect(changed.json()).toEqual(rules)
    expect(changed.headers.etag).not.toBe(etag['if-match'])
    const audited = await service.services.db
      .selectFrom('events')
      .select(['actor', 'data'])
      .where('action', '=', 'rules-changed')
      .executeTakeFirstOrThrow()
    expect([audited.actor, JSON.parse(audited.data)]).toEqual([
      'test-admin',
      { before: RULES, after: rules },
    ])
  })
})

describe('a dry run', () => {
  it('says what the order would wait for, and for whom', async () => {
    const service = await servingFarm()
    const { admin } = service
    const plan = async (change: object = {}) =>
      (await order(admin, { version: 2, ...change }, '?dryRun=1')).json()
    const nothing = { approvalsNeeded: 0, blockedBy: [], closedWindow: null }
    expect(await plan()).toMatchObject(nothing)
    conducts(service, 0, NACK)
    const first = (await order(admin, { version: 2 })).json()
    await reaches(service, first.id, 'paused')
    await rests(service, first.id)
    const second = (await order(admin, { version: 1 })).json()
    expect(await plan()).toMatchObject({ ...nothing, blockedBy: [first.id, second.id] })
    expect(await plan({ selector: 'nobody=here' })).toMatchObject(nothing)
    expect(await plan({ onOverlap: 'supersede' })).toMatchObject(nothing)
    await setRules(service, { approvals: 2, ...closed(Date.now()) })
    expect(await plan()).toMatchObject({
      approvalsNeeded: 2,
      closedWindow: expect.stringMatching(/^No change window is open: the next opens .*10:00/),
    })
    const emergency = { reason: 'everything is down' }
    expect(await plan({ emergency })).toMatchObject(nothing)
  })
})

describe('approvals', () => {
  const asked = async (options: Parameters<typeof farm>[1] = {}) => {
    const service = await farm(['edge-1'], options)
    await setRules(service, { approvals: 1, approvalHours: 1 })
    const ordered = (await order(service.admin, { version: 1 })).json()
    return { service, ordered, approver: await service.as('approver') }
  }

  it('are of that plan, of somebody else, and let it begin', async () => {
    const { service, ordered, approver } = await asked()
    expect(ordered).toMatchObject({ state: 'awaiting_approval', approvalsNeeded: 1, approvals: [] })
    expect(ordered.reason).toContain('0 of 1 approvals')
    const { planDigest } = ordered
    const approve = async (who: Client, body: object = { planDigest }) => {
      const answer = await act(who, ordered, 'approve', body)
      return answer.json()
    }
    expect(await approve(await service.as('operator'))).toMatchObject({ code: 'not_allowed' })
    expect(await approve(service.admin)).toMatchObject({ status: 403, code: 'own_rollout' })
    const program = await withToken(service, service.admin)
    expect(await approve(program)).toMatchObject({ status: 403, code: 'own_rollout' })
    expect(await approve(approver, { planDigest: 'sha256:other' })).toMatchObject({
      status: 409,
      code: 'approval_void',
    })
    const agreed = await approve(approver)
    expect(agreed).toMatchObject({
      state: 'running',
      approvals: [{ by: 'test-approver', at: expect.any(String) }],
    })
    expect(await approve(approver)).toMatchObject({ status: 409 })
    const ended = await reaches(service, ordered.id, 'succeeded')
    expect(ended.planDigest).toBe(planDigest)
  })

  it('come from as many people as the rules say', async () => {
    const { service, approver } = await asked()
    await setRules(service, { approvals: 2 })
    const { id, planDigest } = (await order(await service.as('operator'), { version: 1 })).json()
    const approve = async (who: Client) =>
      (await act(who, await get(service, id), 'approve', { planDigest })).json()
    expect(await approve(approver)).toMatchObject({
      state: 'awaiting_approval',
      reason: expect.stringContaining('1 of 2 approvals'),
    })
    expect(await approve(approver)).toMatchObject({ code: 'already_approved' })
    expect((await approve(service.admin)).approvals).toHaveLength(2)
  })

  it('can be refused, with a reason', async () => {
    const { service, ordered, approver } = await asked()
    expect((await act(approver, ordered, 'reject')).statusCode).toBe(400)
    const rejected = (await act(approver, ordered, 'reject', { reason: 'Not on a Friday.' })).json()
    expect(rejected).toMatchObject({ state: 'rejected', endedAt: expect.any(String) })
    expect(rejected.reason).toBe('test-approver rejected it: Not on a Friday.')
    expect(service.nodes[0]?.ran).toEqual([])
  })

  it('are asked for so long, and then it has expired', async () => {
    const { now, forward } = clock()
    const { service, ordered } = await asked({ now })
    forward(HOUR_MS)
    const expired = await reaches(service, ordered.id, 'expired')
    expect(expired.reason).toContain('A new order asks again.')
  })
})

describe('a time to begin at', () => {
  it('is waited for, by the wall clock, also when that jumps', async () => {
    const { now, forward } = clock()
    const service = await farm(['edge-1'], { now })
    const startAt = new Date(now() + HOUR_MS).toISOString()
    const { id, ...ordered } = (await order(service.admin, { version: 1, startAt })).json()
    expect(ordered).toMatchObject({ state: 'scheduled', startAt, startedAt: null })
    expect(ordered.reason).toContain('It begins ')
    forward(-HOUR_MS)
    expect((await get(service, id)).state).toBe('scheduled')
    forward(2 * HOUR_MS)
    const ended = await reaches(service, id, 'succeeded')
    forward(-2 * HOUR_MS)
    expect(await get(service, id)).toMatchObject({ state: 'succeeded', endedAt: ended.endedAt })
  })

  it('lies within a year, and not in the past', async () => {
    const { admin } = await farm([])
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const far = await order(admin, { version: 1, startAt: at(366 * 24 * HOUR_MS) })
    expect([far.statusCode, far.json().code]).toEqual([422, 'start_too_far'])
    const past = await order(admin, { version: 1, startAt: at(-HOUR_MS) })
    expect([past.statusCode, past.json().code]).toEqual([422, 'start_past'])
    const looked = await order(admin, { version: 1, startAt: at(-HOUR_MS) }, '?dryRun=1')
    expect(looked.statusCode).toBe(422)
    // Clocks differ a little.
    const justNow = await order(admin, { version: 1, startAt: at(-1000) })
    expect(justNow.json().startedAt).not.toBeNull()
    expect((await order(admin, { version: 1, startAt: 'soon' })).statusCode).toBe(400)
  })
})

describe('change windows', () => {
  it('are waited for before the start', async () => {
    const service = await farm(['edge-1'])
    await setRules(service, closed(Date.now()))
    const ordered = (await order(service.admin, { version: 1 })).json()
    expect(ordered).toMatchObject({ state: 'scheduled', startedAt: null })
    expect(ordered.reason).toMatch(
      /^No change window is open: the next opens \w{3} .* 10:00 \(UTC\)/,
    )
    await setRules(service, {})
    await reaches(service, ordered.id, 'succeeded')
  })

  it('end no wave, but the next one waits; the way back does not', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    const strategy = { ...BY_WAVES, soakSeconds: 3_600 }
    const { id } = (await order(admin, { version: 2, strategy })).json()
    await soaks(service, id)
    await setRules(service, closed(Date.now()))
    const paused = (await act(admin, await get(service, id), 'skip-gate', { reason: 'ok' })).json()
    expect(paused).toMatchObject({ state: 'paused', phase: 'waiting', wave: 1 })
    expect(paused.reason).toContain('Wave 2 of 2 begins by itself then.')
    const resumed = (await act(admin, paused, 'resume')).json()
    expect(resumed).toMatchObject({ code: 'action_not_possible' })
    expect(resumed.detail).toContain('when a change window opens')
    expect(nodes.map((node) => node.ran.length)).toEqual([2, 1, 1])
    await act(admin, paused, 'revert')
    await reaches(service, id, 'reverted')
    expect(nodes.map((node) => node.ran.at(-1))).toEqual([text(8080), text(8080), text(8080)])
  })

  it('let the next wave begin by itself when one opens', async () => {
    const service = await servingFarm()
    const { admin } = service
    const strategy = { ...BY_WAVES, soakSeconds: 3_600 }
    const { id } = (await order(admin, { version: 2, strategy })).json()
    await soaks(service, id)
    await setRules(service, closed(Date.now()))
    await act(admin, await get(service, id), 'skip-gate', { reason: 'ok' })
    await setRules(service, {})
    await soaks(service, id)
    await act(admin, await get(service, id), 'skip-gate', { reason: 'ok' })
    await reaches(service, id, 'succeeded')
  })
})

describe('an emergency', () => {
  const emergency = { reason: 'Keys have leaked' }

  it('is for administrators, and for tokens that say so', async () => {
    const { admin, as, ...service } = await farm([])
    const denied = await order(await as('operator'), { version: 1, emergency })
    expect([denied.statusCode, denied.json().code]).toEqual([403, 'not_allowed'])
    const program = await withToken(service, admin, { permissions: ['rollouts:run'] })
    expect((await order(program, { version: 1, emergency })).statusCode).toBe(403)
    expect((await order(admin, { version: 1, emergency: {} })).statusCode).toBe(400)
    const startAt = new Date().toISOString()
    const waits = await order(admin, { version: 1, emergency, startAt })
    expect([waits.statusCode, waits.json().code]).toEqual([422, 'emergency_starts_now'])
    expect((await order(admin, { version: 1, emergency })).json()).toMatchObject({
      state: 'cancelled',
      emergency: 'Keys have leaked',
    })
  })

  it('goes before all others, one node first, and is in the audit', async () => {
    const service = await servingFarm()
    const { admin, nodes } = service
    await saveVersion(admin, text(8091), 2)
    conducts(service, 0, NACK)
    const first = (await order(admin, { version: 2 })).json()
    await reaches(service, first.id, 'paused')
    await rests(service, first.id)
    const queued = (await order(admin, { version: 2 })).json()
    await setRules(service, { approvals: 2, ...closed(Date.now()) })
    conducts(service, 0, { kind: 'good' })
    const strategy = { minHealthySeconds: 0, soakSeconds: 0, gates: [] }
    const ordered = (await order(admin, { version: 3, emergency, strategy })).json()
    expect(ordered).toMatchObject({ approvalsNeeded: 0, policy: { maxParallel: 1 } })
    expect((await get(service, first.id)).state).toBe('frozen')
    expect(await get(service, queued.id)).toMatchObject({ state: 'superseded' })
    const ended = await reaches(service, ordered.id, 'succeeded')
    expect(ended.waves.map((wave) => wave.nodes)).toEqual([1, 2])
    expect(nodes.map((node) => node.ran.at(-1))).toEqual([text(8091), text(8091), text(8091)])
    const { data } = await service.services.db
      .selectFrom('events')
      .select('data')
      .where('object_id', '=', ordered.id)
      .where('action', '=', 'created')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(data)).toMatchObject({ emergency: 'Keys have leaked' })
  })
})
