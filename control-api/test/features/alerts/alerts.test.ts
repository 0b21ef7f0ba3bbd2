// SPDX-License-Identifier: MIT
// Rules of states over a farm whose clock the test moves: what fires, who is told of it, how often, and who may see it.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Built, build, type Client, tempDir } from '../../helper.ts'
import { personWith } from '../../person.ts'
import { type Farm, farm } from '../metrics/farm.ts'
import { startReceiver } from '../webhooks/test-receiver.ts'

type Shown = {
  id: string
  ruleName: string
  state: string
  subject: { id: string; name: string }
  [member: string]: unknown
}
type Told = { type: string; data: { id: string; detail: Record<string, unknown> } }

const NODE_SILENT = `rule_${'0'.repeat(25)}1`
const LABELS = { 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } }

async function start(dataDir = tempDir()) {
  const receiver = await startReceiver()
  const service = await farm(LABELS, { config: { dataDir, webhookAllow: ['127.0.0.0/8'] } })
  const payload = { url: receiver.url, events: ['alert'] }
  await service.admin.inject({ method: 'POST', url: '/api/v1/webhooks', payload })
  const told = () => receiver.received.map(({ event }) => event as unknown as Told)
  return { ...service, receiver, told, types: () => told().map(({ type }) => type) }
}

/** Time passes, and the rules are looked at each fifteen seconds. */
async function pass(
  { clock, lookAtAlerts }: Pick<Farm, 'clock' | 'lookAtAlerts'>,
  seconds: number,
) {
  for (let i = 0; i < seconds / 15; i++) {
    clock.nowMs += 15_000
    await lookAtAlerts()
  }
}

const list = async (client: Client, query = ''): Promise<Shown[]> => {
  const answer = await client.inject({ url: `/api/v1/alerts?${query}` })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().items
}

async function fallSilent(service: Farm, i: number) {
  const node = service.nodes[i]
  await node?.disconnect()
  service.fleet.cutOff(node?.id ?? '')
}
const isBack = (service: Farm, i: number) => service.nodes[i]?.connect()

const asRules = async ({ admin }: Built) =>
  (await admin.inject({ url: '/api/v1/alert-rules' })).json().items

async function patchRule({ admin }: Built, id: string, payload: object) {
  const url = `/api/v1/alert-rules/${id}`
  const { headers } = await admin.inject({ url })
  const ifMatch = { 'if-match': String(headers.etag) }
  return await admin.inject({ method: 'PATCH', url, headers: ifMatch, payload })
}
const silence = ({ admin }: Built, payload: object) =>
  admin.inject({ method: 'POST', url: '/api/v1/alert-silences', payload })

describe('a node that falls silent', () => {
  test('is pending, fires after two minutes, is told once, and once that it is back', async () => {
    const service = await start()
    await fallSilent(service, 0)
    await pass(service, 45)
    expect(await list(service.admin)).toMatchObject([
      { ruleName: 'Node silent', state: 'pending', subject: { name: 'edge-1' } },
    ])
    expect(service.types()).toEqual([])
    await pass(service, 120)
    await expect.poll(service.types).toEqual(['alert.firing'])
    const [alert] = await list(service.admin, 'state=firing')
    expect(service.told()[0]?.data).toMatchObject({
      id: alert?.id,
      detail: {
        ...{ rule: { id: NODE_SILENT, name: 'Node silent' }, severity: 'critical' },
        subject: { kind: 'node', id: service.nodes[0]?.id, name: 'edge-1' },
        message: expect.stringMatching(
          /^Not heard from since \d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC\.$/,
        ),
      },
    })
    await pass(service, 300)
    await isBack(service, 0)
    await pass(service, 90)
    await expect.poll(service.types).toEqual(['alert.firing', 'alert.resolved'])
    expect(await list(service.admin)).toMatchObject([{ id: alert?.id, state: 'resolved' }])
  })

  test('is shown by the name that it has by now', async () => {
    const service = await start()
    await fallSilent(service, 0)
    await pass(service, 180)
    const url = `/api/v1/nodes/${service.nodes[0]?.id}`
    const { headers } = await service.admin.inject({ url })
    const ifMatch = { 'if-match': String(headers.etag) }
    const payload = { name: 'edge-one' }
    const renamed = await service.admin.inject({ method: 'PATCH', url, headers: ifMatch, payload })
    expect(renamed.statusCode, renamed.body).toBe(200)
    await pass(service, 15)
    expect((await list(service.admin)).map(({ subject }) => subject.name)).toEqual(['edge-one'])
    await expect.poll(service.types).toEqual(['alert.firing'])
  })

  test('is shown to whose scope has it, and to nobody else', async () => {
    const service = await start()
    await fallSilent(service, 0)
    await pass(service, 180)
    const [alert] = await list(service.admin)
    const [inside, outside] = [
      await personWith(service, ['operator'], 'zone=eu'),
      await personWith(service, ['operator', 'viewer'], 'zone=us'),
    ]
    expect(await list(inside)).toEqual([alert])
    expect(await list(outside)).toEqual([])
    const url = `/api/v1/alerts/${alert?.id}`
    expect((await outside.inject({ url })).statusCode).toBe(404)
    const take = { method: 'POST', url: `${url}/actions/acknowledge`, payload: {} } as const
    expect((await outside.inject(take)).statusCode).toBe(404)
    const taken = await inside.inject({ ...take, payload: { comment: 'on it' } })
    expect(taken.json()).toMatchObject({ comment: 'on it', acknowledgedBy: expect.any(String) })
    await expect.poll(service.types).toEqual(['alert.firing', 'alert.acknowledged'])
    const viewer = await service.as('viewer')
    expect((await viewer.inject(take)).statusCode).toBe(403)
  })

  test('that flaps is told of three times an hour, then once how often it was', async () => {
    const service = await start()
    for (let i = 0; i < 6; i++) {
      await fallSilent(service, 0)
      await pass(service, 180)
      await isBack(service, 0)
      await pass(service, 90)
    }
    const three = Array(3).fill(['alert.firing', 'alert.resolved']).flat()
    await expect.poll(service.types).toEqual(three)
    expect(await list(service.admin)).toHaveLength(6)
    await fallSilent(service, 0)
    await pass(service, 3600)
    await expect.poll(service.types).toEqual([...three, 'alert.firing'])
    expect(service.told().at(-1)?.data.detail.firedInLastHour).toBeGreaterThan(1)
  })
})

test('a restart neither resolves what fires nor tells it again, and what was not told is told then', async () => {
  const dataDir = tempDir()
  const service = await start(dataDir)
  await fallSilent(service, 0)
  await pass(service, 180)
  await expect.poll(service.types).toEqual(['alert.firing'])
  // As a kill between the change of state and its telling leaves it.
  await fallSilent(service, 1)
  await pass(service, 45)
  const { db } = service.services
  const second = service.nodes[1]?.id ?? ''
  await sql`update alerts set state = 'firing', firing_at_ms = ${service.clock.nowMs}, is_untold = 1
    where subject_id = ${second}`.execute(db)
  await service.close()

  const { clock } = service
  clock.nowMs += 600_000
  const again = await build({
    config: { dataDir, webhookAllow: ['127.0.0.0/8'] },
    now: () => clock.nowMs,
  })
  await pass({ clock, lookAtAlerts: again.lookAtAlerts }, 180)
  await expect.poll(service.types).toEqual(['alert.firing', 'alert.firing'])
  expect(service.told()[1]?.data.detail.subject).toMatchObject({ id: second })
  expect((await list(again.admin)).map(({ state }) => state)).toEqual(['firing', 'firing'])
})

test('the time in which nobody looked is no time that a rule waits for', async () => {
  const service = await start()
  await fallSilent(service, 0)
  await pass(service, 45)
  service.clock.nowMs += 3_600_000
  await service.lookAtAlerts()
  expect(await list(service.admin)).toMatchObject([{ state: 'pending' }])
  await pass(service, 120)
  expect(await list(service.admin)).toMatchObject([{ state: 'firing' }])
})

test('a healthy farm has no alert from the rules that every farm begins with', async () => {
  const service = await start()
  expect((await asRules(service)).map(({ name }: { name: string }) => name)).toEqual([
    ...['Certificate near its end', 'Config changed on a node', 'Disk filling', 'Node silent'],
    ...['Rollout waiting', 'Server errors'],
  ])
  await pass(service, 3600)
  expect(await list(service.admin)).toEqual([])
  expect((await asRules(service)).map(({ failing }: { failing: string }) => failing)).toEqual(
    Array(6).fill(null),
  )
})

test('machines that come and go by themselves may be away', async () => {
  const service = await start()
  const group = { name: 'spot', selector: 'zone=eu', forgetAfterHours: 24 }
  await service.admin.inject({ method: 'POST', url: '/api/v1/groups', payload: group })
  await fallSilent(service, 0)
  await pass(service, 300)
  expect(await list(service.admin)).toEqual([])
})

describe('a silence', () => {
  test('tells nobody until its end; what still fires then is told', async () => {
    const service = await start()
    const until = new Date(service.clock.nowMs + 600_000).toISOString()
    const made = await silence(service, { selector: 'zone=eu', reason: 'new disks', until })
    expect(made.statusCode, made.body).toBe(201)
    await fallSilent(service, 0)
    await fallSilent(service, 1)
    await pass(service, 180)
    await expect.poll(service.types).toEqual(['alert.firing'])
    expect(service.told()[0]?.data.detail.subject).toMatchObject({ name: 'edge-2' })
    const shown = await list(service.admin, `node=${service.nodes[0]?.id}`)
    expect(shown).toMatchObject([{ state: 'firing', silencedUntil: until, toldAt: null }])
    await pass(service, 600)
    await expect.poll(service.types).toEqual(['alert.firing', 'alert.firing'])
  })

  test('does not keep the end from who was told of the beginning, nor the next beginning', async () => {
    const service = await start()
    await fallSilent(service, 0)
    await pass(service, 180)
    await expect.poll(service.types).toEqual(['alert.firing'])
    const until = new Date(service.clock.nowMs + 300_000).toISOString()
    await silence(service, { ruleId: NODE_SILENT, reason: 'new disks', until })
    await isBack(service, 0)
    await pass(service, 90)
    const told = ['alert.firing', 'alert.resolved']
    await expect.poll(service.types).toEqual(told)
    await pass(service, 240)
    await fallSilent(service, 0)
    await pass(service, 180)
    await expect.poll(service.types).toEqual([...told, 'alert.firing'])
  })

  test('holds over a restart', async () => {
    const dataDir = tempDir()
    const service = await start(dataDir)
    const until = new Date(service.clock.nowMs + 86_400_000).toISOString()
    await silence(service, { selector: 'zone=eu', reason: 'new disks', until })
    await fallSilent(service, 0)
    await pass(service, 180)
    await service.close()
    const { clock } = service
    const again = await build({
      config: { dataDir, webhookAllow: ['127.0.0.0/8'] },
      now: () => clock.nowMs,
    })
    await pass({ clock, lookAtAlerts: again.lookAtAlerts }, 120)
    const [alert] = await list(again.admin, 'state=firing')
    expect(alert).toMatchObject({ subject: { name: 'edge-1' }, silencedUntil: until, toldAt: null })
    expect(service.types()).toEqual([])
  })

  test('of a rule ends with the rule', async () => {
    const service = await start()
    const until = new Date(service.clock.nowMs + 600_000).toISOString()
    const made = await silence(service, { ruleId: NODE_SILENT, reason: 'new disks', until })
    await silence(service, { selector: 'zone=eu', reason: 'of no rule', until })
    const url = `/api/v1/alert-rules/${NODE_SILENT}`
    const { headers } = await service.admin.inject({ url })
    const ifMatch = { 'if-match': String(headers.etag) }
    await service.admin.inject({ method: 'DELETE', url, headers: ifMatch })
    const left = (await service.admin.inject({ url: '/api/v1/alert-silences' })).json().items
    expect(left.map(({ reason }: { reason: string }) => reason)).toEqual(['of no rule'])
    const audit = await service.admin.inject({ url: `/api/v1/audit?object=${made.json().id}` })
    expect(audit.json().items.map(({ action }: { action: string }) => action)).toEqual([
      'ended',
      'created',
    ])
  })

  test('is about something, has a reason and an end, and can be ended', async () => {
    const service = await start()
    const until = new Date(service.clock.nowMs + 600_000).toISOString()
    const codes = []
    for (const payload of [
      { reason: 'all of it', until },
      { selector: 'zone=', reason: 'x', until },
      { ruleId: `rule_${'9'.repeat(26)}`, reason: 'x', until },
      { ruleId: NODE_SILENT, reason: 'x', until: '2020-01-01T00:00:00.000Z' },
      { ruleId: NODE_SILENT, until },
    ]) {
      codes.push((await silence(service, payload)).json().code)
    }
    expect(codes).toEqual([
      ...['alert_silence_refused', 'selector_invalid', 'alert_rule_not_found'],
      ...['alert_silence_refused', 'invalid_request'],
    ])
    const { id } = (await silence(service, { ruleId: NODE_SILENT, reason: 'x', until })).json()
    const scoped = await personWith(service, ['operator'], 'zone=eu')
    const end = { method: 'DELETE', url: `/api/v1/alert-silences/${id}` } as const
    expect((await scoped.inject(end)).statusCode).toBe(403)
    expect((await service.admin.inject(end)).statusCode).toBe(204)
    const left = await service.admin.inject({ url: '/api/v1/alert-silences' })
    expect(left.json().items).toEqual([])
  })
})

test('many at once are told as one', async () => {
  const service = await start()
  await sql`with recursive number (i) as (select 1 union all select i + 1 from number where i < 30)
    insert into nodes (id, name, labels, merge_patch, revision, enrolled_at_ms, last_seen_at_ms, hostname, version, os,
      arch, capabilities, max_epoch, max_generation)
    select 'node_' || printf('%026d', i), 'far-' || i, '{}', '{}', 1, 1, 1, '', '', '', '', '[]', 0, 0
    from number`.execute(service.services.db)
  await pass(service, 210)
  await expect.poll(service.types).toEqual(['alert.many'])
  const { id, detail } = service.told()[0]?.data ?? { id: '', detail: {} }
  expect([id, detail.firing, (detail.first as unknown[]).length]).toEqual(['*', 30, 20])
  expect(await list(service.admin, 'state=firing')).toHaveLength(30)
})

test('a rollout that waits for approval fires, and who sees some nodes only does not see it', async () => {
  const service = await start()
  await patchRule(service, `rule_${'0'.repeat(25)}3`, { forSeconds: 60 })
  const { db } = service.services
  await sql`insert into configs (name, draft_text, draft_base, draft_updated_at_ms, draft_revision, updated_at_ms)
    values ('site', '', 1, 1, 1, 1)`.execute(db)
  await sql`insert into config_versions (config, number, digest, text, author, message, source, created_at_ms)
    values ('site', 7, 'digest', '', 'ana', 'first', 'ui', 1)`.execute(db)
  await sql`insert into rollouts (id, config, version, state, state_version, reason, author, message, created_at_ms)
    values ('rollout_01jd4q6v2m8w3x5y7z9abcdefg', 'site', 7, 'awaiting_approval', 1, '{"code":"planned"}', 'ana', '', 1)`.execute(
    service.services.db,
  )
  await pass(service, 90)
  expect(await list(service.admin)).toMatchObject([
    { state: 'firing', subject: { kind: 'rollout', name: 'site v7' } },
  ])
  expect(await list(await personWith(service, ['viewer'], 'zone=eu'))).toEqual([])
})

describe('a rule', () => {
  test('is made, changed by who saw it last, and deleted; each is in the audit', async () => {
    const service = await start()
    const { admin } = service
    const url = '/api/v1/alert-rules'
    const payload = {
      name: 'Far nodes',
      condition: { kind: 'node-silent' },
      appliesTo: 'nodes:zone=us',
    }
    const viewer = await service.as('viewer')
    expect((await viewer.inject({ method: 'POST', url, payload })).statusCode).toBe(403)
    const made = await admin.inject({ method: 'POST', url, payload })
    expect(made.statusCode, made.body).toBe(201)
    const { id } = made.json()
    expect(made.json()).toMatchObject({ severity: 'warning', forSeconds: 300, enabled: true })
    expect((await admin.inject({ method: 'POST', url, payload })).json().code).toBe(
      'alert_rule_exists',
    )
    const patch = {
      method: 'PATCH',
      url: `${url}/${id}`,
      payload: { severity: 'critical' },
    } as const
    expect((await admin.inject(patch)).statusCode).toBe(428)
    expect((await patchRule(service, id, { severity: 'critical' })).json()).toMatchObject({
      severity: 'critical',
    })
    const { headers } = await admin.inject({ url: `${url}/${id}` })
    const ifMatch = { 'if-match': String(headers.etag) }
    const removed = await admin.inject({ method: 'DELETE', url: `${url}/${id}`, headers: ifMatch })
    expect(removed.statusCode).toBe(204)
    const audit = await admin.inject({ url: `/api/v1/audit?kind=alert-rule&object=${id}` })
    expect(audit.json().items.map(({ action }: { action: string }) => action)).toEqual([
      'deleted',
      'changed',
      'created',
    ])
  })

  test('that makes no sense is refused with what to write', async () => {
    const { admin } = await start()
    const measurement = {
      ...{ kind: 'measurement', each: 'node', by: 'rate:requests', comparison: 'above' },
      ...{ threshold: 1, windowSeconds: 300 },
    }
    for (const [payload, code] of [
      [{ condition: { kind: 'drift' }, appliesTo: 'everything' }, 'alert_rule_refused'],
      [{ condition: { kind: 'rollout-waiting' }, appliesTo: 'group:web' }, 'alert_rule_refused'],
      [{ condition: { ...measurement, by: 'quantile:no:0.9' } }, 'alert_rule_refused'],
      [{ condition: { ...measurement, clearThreshold: 2 } }, 'alert_rule_refused'],
      [{ condition: { ...measurement, windowSeconds: 7200 } }, 'alert_rule_refused'],
      [{ condition: { ...measurement, windowSeconds: 61 } }, 'invalid_request'],
      [
        { condition: { kind: 'burn-rate', objective: 0.999 }, appliesTo: 'nodes:zone=eu' },
        'alert_rule_refused',
      ],
      [{ condition: { kind: 'burn-rate', objective: 1 } }, 'invalid_request'],
    ] as const) {
      const refused = await admin.inject({
        method: 'POST',
        url: '/api/v1/alert-rules',
        payload: { name: 'x', ...payload },
      })
      expect([refused.statusCode >= 400, refused.json().code], JSON.stringify(payload)).toEqual([
        true,
        code,
      ])
    }
  })

  test('that is disabled or deleted ends its alerts, which were told and are told to be over', async () => {
    const service = await start()
    await fallSilent(service, 0)
    await pass(service, 180)
    await expect.poll(service.types).toEqual(['alert.firing'])
    await patchRule(service, NODE_SILENT, { enabled: false })
    await pass(service, 15)
    await expect.poll(service.types).toEqual(['alert.firing', 'alert.resolved'])
    expect(await list(service.admin)).toMatchObject([
      { state: 'resolved', resolvedBecause: 'Its rule was disabled.' },
    ])
  })

  test('can be tried: who is told of alerts is told a test', async () => {
    const service = await start()
    const url = `/api/v1/alert-rules/${NODE_SILENT}/actions/test`
    const tried = await service.admin.inject({ method: 'POST', url })
    expect(tried.json()).toEqual({ eventId: expect.any(Number) })
    await expect.poll(service.types).toEqual(['alert.test'])
    expect(service.told()[0]?.data.detail).toMatchObject({ message: 'This is a test.' })
  })
})
