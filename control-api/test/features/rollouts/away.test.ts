// SPDX-License-Identifier: MIT
// Rollouts and who is not there: nodes out of reach, those that come later, and what time does.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEADLINES } from '../../../src/assignments/deadlines.ts'
import { type Built, build } from '../../helper.ts'
import { freeze, push, taskOf } from './at-once.ts'
import { addNode, conducts, farm, get, reaches, saveVersion, text } from './farm.ts'

describe('freezing', () => {
  it('takes back what a node out of reach was offered: it keeps what it has when it returns', async () => {
    const service = await farm(['edge-1', 'edge-2'])
    const { admin, nodes } = service
    await reaches(service, (await push(admin, 1)).json().id, 'succeeded')
    await saveVersion(admin, text(8090), 1)
    const [bad, away] = nodes
    await away?.disconnect()
    conducts(service, 0, { kind: 'nack', code: 'missing_file', message: 'no' })
    const { id } = (await push(admin, 2)).json()
    const paused = await reaches(service, id, 'paused')
    const frozen = (await freeze(admin, paused)).json()
    expect(frozen).toMatchObject({ state: 'frozen', pendingNodes: 0 })
    expect(await taskOf(service, id, 'edge-2')).toMatchObject({ state: 'skipped' })

    await away?.connect()
    await expect
      .poll(async () => (await admin.inject({ url: `/api/v1/nodes/${away?.id}` })).json().sync)
      .toMatchObject({ state: 'in-sync', desired: { version: { number: 1 } } })
    conducts(service, 0, { kind: 'good' })
    await saveVersion(admin, text(8091), 2)
    await reaches(service, (await push(admin, 3)).json().id, 'succeeded')
    expect(away?.ran).toEqual([text(8080), text(8091)])
    expect(bad?.ran).toEqual([text(8080), text(8091)])
  })

  it('of the first rollout leaves a node that never had a config without one', async () => {
    const service = await farm([])
    const { admin } = service
    const away = await addNode(service, 'edge-1', false)
    const created = (await push(admin, 1)).json()
    expect((await freeze(admin, created)).statusCode).toBe(200)
    await away.connect()
    await expect
      .poll(async () => (await admin.inject({ url: `/api/v1/nodes/${away.id}` })).json().sync)
      .toMatchObject({ state: 'waiting', desired: null })
    await reaches(service, (await push(admin, 1)).json().id, 'succeeded')
    expect(away.ran).toEqual([text(8080)])
  })
})

describe('a later rollout', () => {
  it('takes over the nodes that an earlier one still waited for', async () => {
    const service = await farm(['edge-1'])
    const { admin } = service
    const away = await addNode(service, 'edge-2', false)
    const first = (await push(admin, 1)).json().id
    await expect.poll(async () => (await taskOf(service, first, 'edge-1'))?.state).toBe('done')
    await service.passTime(10_000)
    expect(await get(service, first)).toMatchObject({ state: 'succeeded', pendingNodes: 1 })
    await saveVersion(admin, text(8090), 1)
    const second = (await push(admin, 2)).json().id
    expect(await get(service, first)).toMatchObject({ state: 'succeeded', pendingNodes: 0 })
    expect(await taskOf(service, first, 'edge-2')).toMatchObject({
      state: 'skipped',
      message: `superseded by ${second}`,
    })
    await away.connect()
    await reaches(service, second, 'succeeded')
    expect(away.ran).toEqual([text(8090)])
  })

  it('does not count a node that runs the version but was never allowed to keep it', async () => {
    const service = await farm(['edge-1'])
    const { admin, nodes } = service
    conducts(service, 0, { kind: 'unconfirmed' })
    const { id } = (await push(admin, 1)).json()
    await expect.poll(async () => (await taskOf(service, id, 'edge-1'))?.state).toBe('applied')
    expect((await freeze(admin, await get(service, id))).statusCode).toBe(200)
    conducts(service, 0, { kind: 'good' })
    const again = (await push(admin, 1)).json()
    expect(again.state).toBe('running')
    await reaches(service, again.id, 'succeeded')
    expect(nodes[0]?.effective?.generation).toBe(2)
  })
})

describe('a node out of reach', () => {
  it('does not hold the others up, and takes the version when it returns', async () => {
    const service = await farm(['edge-1'])
    const away = await addNode(service, 'edge-2', false)
    const { id } = (await push(service.admin, 1)).json()
    await expect.poll(async () => (await taskOf(service, id, 'edge-1'))?.state).toBe('done')
    expect((await get(service, id)).state).toBe('running')
    await service.passTime(10_000)
    const ended = await get(service, id)
    expect(ended).toMatchObject({ state: 'succeeded', pendingNodes: 1 })
    expect(ended.reason).toContain('edge-2 will take it when reached')
    await away.connect()
    await expect.poll(async () => (await taskOf(service, id, 'edge-2'))?.state).toBe('done')
    expect(away.ran).toEqual([text(8080)])
    expect(await get(service, id)).toMatchObject({ state: 'succeeded', pendingNodes: 0 })
  })

  it('pauses the rollout when it falls silent halfway', async () => {
    const service = await farm(['edge-1'])
    conducts(service, 0, { kind: 'hang' })
    const { id } = (await push(service.admin, 1)).json()
    await expect.poll(async () => (await taskOf(service, id, 'edge-1'))?.state).toBe('applying')
    await service.passTime(30_000)
    expect(await get(service, id)).toMatchObject({
      state: 'paused',
      reason: expect.stringContaining('edge-1: no result within 30 s'),
    })
  })

  it('is skipped once it is decommissioned', async () => {
    const service = await farm(['edge-1'])
    const away = await addNode(service, 'edge-2', false)
    const { id } = (await push(service.admin, 1)).json()
    await service.admin.inject({ method: 'DELETE', url: `/api/v1/nodes/${away.id}` })
    expect((await reaches(service, id, 'succeeded')).reason).toBe('The node has the version.')
  })
})

describe('a node that joins during a rollout', () => {
  it('gets the version before it, and the new one when that has proved itself', async () => {
    const service = await farm(['edge-1'])
    const { admin, nodes } = service
    await reaches(service, (await push(admin, 1)).json().id, 'succeeded')
    await saveVersion(admin, text(8090), 1)
    const [first] = nodes
    await first?.disconnect()
    const { id } = (await push(admin, 2)).json()
    const late = await addNode(service, 'edge-2')
    await expect.poll(() => late.ran).toEqual([text(8080)])
    await first?.connect()
    await reaches(service, id, 'succeeded')
    await expect.poll(() => late.ran.at(-1)).toBe(text(8090))
  })
})

describe('a node that joins with an override that makes the version unreadable', () => {
  it('does not hold up the rollout of the others', async () => {
    const service = await farm(['edge-1'])
    const { admin, nodes } = service
    await reaches(service, (await push(admin, 1)).json().id, 'succeeded')
    await saveVersion(admin, text(8090), 1)
    await nodes[0]?.disconnect()
    const { id } = (await push(admin, 2)).json()
    const late = await addNode(service, 'edge-2')
    await expect.poll(() => late.ran).toEqual([text(8080)])
    const headers = { 'if-match': '"1"' }
    const url = `/api/v1/nodes/${late.id}/override`
    const payload = { mergePatch: { limits: { headerSeconds: 1.5 } } }
    expect((await admin.inject({ method: 'PUT', url, payload, headers })).statusCode).toBe(200)
    await nodes[0]?.connect()
    await reaches(service, id, 'succeeded')
    expect(late.ran).toEqual([text(8080)])
  })
})

/** Of the one node that was offered something. */
const leftMs = async ({ services: { db } }: Built) =>
  (
    await db
      .selectFrom('node_tasks')
      .select('deadline_remaining_ms')
      .where('state', '=', 'offered')
      .executeTakeFirstOrThrow()
  ).deadline_remaining_ms

/** Lets time pass on the clock that the service's own ticker goes by. */
function clockOfTicker(): (ms: number) => void {
  let aheadMs = 0
  const real = performance.now.bind(performance)
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => real() + aheadMs)
  onTestFinished(() => spy.mockRestore())
  return (ms) => {
    aheadMs += ms
  }
}

describe('deadlines', () => {
  it('begin anew, with time for nodes to come back, when the service was started anew', async () => {
    const service = await farm(['edge-1'])
    await addNode(service, 'edge-2', false)
    const { id } = (await push(service.admin, 1)).json()
    await service.passTime(7_000)
    expect((await taskOf(service, id, 'edge-2'))?.state).toBe('offered')
    const { services, config } = service
    await service.close()
    const again = await build({ config: { dataDir: config.dataDir } })
    await expect.poll(() => leftMs(again)).toBeGreaterThan(DEADLINES.ackMs + 30_000)
    await again.passTime(DEADLINES.ackMs + 30_000)
    expect((await taskOf(again, id, 'edge-2'))?.state).toBe('offered')
    await again.passTime((await leftMs(again)) ?? 0)
    expect((await taskOf(again, id, 'edge-2'))?.state).toBe('unreachable')
    expect(services).not.toBe(again.services)
  })

  it('are watched by the service itself', async () => {
    const service = await farm([])
    await addNode(service, 'edge-1', false)
    const { id } = (await push(service.admin, 1)).json()
    // In two steps: the service would take a longer one for a standstill of its own, and give the node its time anew.
    const stepMs = 0.45 * DEADLINES.ackMs
    const advance = clockOfTicker()
    advance(stepMs)
    await expect.poll(() => leftMs(service)).toBeLessThan(DEADLINES.ackMs - stepMs)
    advance(stepMs)
    await expect.poll(async () => (await taskOf(service, id, 'edge-1'))?.state).toBe('unreachable')
    expect((await get(service, id)).state).toBe('paused')
  })
})
