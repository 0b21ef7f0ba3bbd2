// SPDX-License-Identifier: MIT
// One node that says the same over and over fills no disk, and nothing of it is left out unsaid.
import { expect, test } from 'vitest'
import { BURST } from '../../src/audit/event-bounds.ts'
import { createFailedSignIns } from '../../src/features/session/failed-sign-ins.ts'
import { type Built, build } from '../helper.ts'
import { enrolNode } from './node-client.ts'

const eventsOf = async ({ services }: Built, id: string) =>
  (
    await services.db
      .selectFrom('events')
      .select(['action', 'actor', 'data'])
      .where('object_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(({ data, ...event }) => ({ ...event, data: JSON.parse(data) }))

const countOf = (events: { action: string }[], action: string) =>
  events.filter((one) => one.action === action).length

async function flooded() {
  const clock = { now: 1_800_000_000_000 }
  const service = await build({ now: () => clock.now })
  const [loud, quiet] = [await enrolNode(service), await enrolNode(service)]
  for (let i = 0; i < BURST + 80; i++) await loud.hello()
  return { clock, service, loud, quiet }
}

test('what a node says too often is counted, not written', async () => {
  const { clock, service, loud } = await flooded()
  const during = await eventsOf(service, loud.id)
  expect(countOf(during, 'hello')).toBe(BURST)
  expect(during.filter(({ action }) => action === 'events-left-out')).toEqual([
    { action: 'events-left-out', actor: null, data: expect.objectContaining({ leftOut: 1 }) },
  ])
  clock.now += 30_000
  await loud.hello()
  await loud.hello()
  const after = await eventsOf(service, loud.id)
  expect(countOf(after, 'hello')).toBe(BURST + 1)
  const since = new Date(clock.now - 30_000).toISOString()
  expect(after.filter(({ action }) => action === 'events-left-out').at(1)?.data).toEqual({
    action: 'hello',
    leftOut: 80,
    since,
  })
})

test('other nodes, other actions and what people do are written as ever', async () => {
  const { service, loud, quiet } = await flooded()
  await quiet.hello()
  expect(countOf(await eventsOf(service, quiet.id), 'hello')).toBe(1)
  const url = `/api/v1/nodes/${loud.id}`
  for (let i = 0; i < 3; i++) {
    const { headers } = await service.admin.inject({ url })
    const changed = await service.admin.inject({
      method: 'PATCH',
      url,
      payload: { labels: { turn: `${i}` } },
      headers: { 'if-match': String(headers.etag) },
    })
    expect(changed.statusCode).toBe(200)
  }
  expect(countOf(await eventsOf(service, loud.id), 'changed')).toBe(3)
})

test('the audit’s chain holds, and the node’s state is what it said last', async () => {
  const { service, loud } = await flooded()
  const url = '/api/v1/audit/verification'
  expect((await service.admin.inject({ method: 'POST', url })).statusCode).toBe(202)
  const state = async () => (await service.admin.inject({ url })).json().state
  await expect.poll(state).toBe('whole')
  await loud.hello({ hostname: 'said-last' })
  const view = (await service.admin.inject({ url: `/api/v1/nodes/${loud.id}` })).json()
  expect(view.machine?.hostname ?? view.hostname).toBe('said-last')
})

test('failed sign-ins from any number of networks are counted, too, not all written', async () => {
  const clock = { now: 1_800_000_000_000 }
  const { services } = await build({ now: () => clock.now })
  const now = () => clock.now
  const tellFailure = createFailedSignIns({ write: services.write, now })
  for (let i = 0; i < BURST + 80; i++) await tellFailure(null, `10.0.${i}.1`, 'wrong password')
  const events = async () =>
    await services.db.selectFrom('events').selectAll().where('kind', '=', 'session').execute()
  expect(countOf(await events(), 'sign-in-failed')).toBe(BURST)
  clock.now += 30_000
  await tellFailure(null, '10.1.0.1', 'wrong password')
  const leftOut = (await events()).filter(({ action }) => action === 'events-left-out').at(-1)
  expect(JSON.parse(leftOut?.data ?? '{}')).toMatchObject({ action: 'sign-in-failed', leftOut: 80 })
})

test('what came to nothing counts as nothing said, and what was left out is told all the same', async () => {
  const { clock, service, loud } = await flooded()
  const { services } = service
  const hello = { kind: 'node' as const, id: loud.id, action: 'hello', actor: loud.id }
  clock.now += 30_000
  for (const broken of ['the work', 'what is written at the end']) {
    const failing = services.write(async (unit) => {
      await unit.emit(hello)
      const fail = () => Promise.reject(new Error(broken))
      if (broken === 'the work') await fail()
      unit.beforeCommit(fail)
    })
    await expect(failing).rejects.toThrow(broken)
  }
  await services.write((unit) => unit.emit(hello))
  const events = await eventsOf(service, loud.id)
  expect(countOf(events, 'hello')).toBe(BURST + 1)
  expect(events.filter(({ action }) => action === 'events-left-out').at(-1)?.data).toMatchObject({
    leftOut: 80,
  })
})
