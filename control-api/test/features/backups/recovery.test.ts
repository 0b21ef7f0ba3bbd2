// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { beginRecovery, survey } from '../../../src/control-plane/recovery.ts'
import { openServices } from '../../../src/process/services.ts'
import { assign, enrolNode, example, post } from '../../agents/node-client.ts'
import { type Built, build } from '../../helper.ts'

const HOUR_MS = 3600_000
const health = async ({ anonymous }: Built) =>
  (await anonymous.inject({ url: '/api/v1/health' }))
    .json()
    .checks.find(({ name }: { name: string }) => name === 'backup')

describe('a control plane that was restored', () => {
  /** As `admin restore` leaves it. */
  async function restored(prepare: (service: Built) => Promise<void>) {
    const before = await build()
    await prepare(before)
    const { dataDir } = before.config
    await before.close()
    const services = await openServices(before.config)
    const at = Date.now()
    await services.write((unit) =>
      beginRecovery(unit, { restoredAtMs: at, backupCreatedAtMs: at - HOUR_MS }),
    )
    await services.close()
    return await build({ config: { dataDir } })
  }
  const confirm = (service: Built, payload = {}) =>
    service.admin.inject({ method: 'POST', url: '/api/v1/recovery/confirm', payload })
  const show = async ({ admin }: Built) =>
    (await admin.inject({ url: '/api/v1/recovery' })).json().recovery

  test('says so, gives nodes nothing, and goes on without those that are gone when told to', async () => {
    const service = await restored(async (before) => {
      await (await enrolNode(before)).hello()
    })
    expect(await show(service)).toMatchObject({ nodes: 1, unheard: ['edge-1'], epoch: 2 })
    expect(await health(service)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/until somebody confirms/),
    })
    const node = await enrolNode(service)
    await node.hello({ fences: { maxEpoch: 9, maxGeneration: 4 } })
    await expect(assign(service, { nodeId: node.id })).rejects.toMatchObject({
      code: 'in_recovery',
    })
    expect((await node.desired(null)).json()).toEqual({ assignment: null })
    // Whom it waits for is told to who may see them; the epoch is of all.
    const elsewhere = await survey(service.services.db, [{ kind: 'exists', key: 'nowhere' }])
    expect(elsewhere).toEqual({ nodes: 0, highestEpoch: 9, unheard: [] })
    expect((await confirm(service)).json()).toMatchObject({ code: 'nodes_unheard' })
    expect((await confirm(service, { withoutUnheard: true })).statusCode).toBe(200)
    expect(await health(service)).toMatchObject({ ok: true })
  })

  test('offers nothing of what it had assigned before, and goes on above every epoch it heard', async () => {
    let id = ''
    let credential = ''
    const service = await restored(async (before) => {
      const node = await enrolNode(before)
      id = node.id
      credential = node.credential ?? ''
      await node.hello()
      await assign(before, { nodeId: id })
    })
    const [name] = (await show(service)).unheard
    expect(name).toBeTruthy()
    expect((await confirm(service)).json()).toMatchObject({
      status: 409,
      code: 'nodes_unheard',
      detail: expect.stringContaining(name),
    })
    const say = (message: string, body: object) => post(service, message, body, credential)
    await say('hello', {
      ...example('hello.request.first'),
      nodeId: id,
      fences: { maxEpoch: 41, maxGeneration: 7 },
    })
    const ask = () => say('desired', { ...example('desired.request'), have: null, waitMs: 0 })
    expect((await ask()).json()).toEqual({ assignment: null })
    expect(await show(service)).toMatchObject({ unheard: [], highestEpoch: 41 })
    const confirmed = await confirm(service)
    expect([confirmed.statusCode, confirmed.json()]).toEqual([200, { recovery: null }])
    await assign(service, { nodeId: id })
    expect((await ask()).json().assignment).toMatchObject({ epoch: 42, generation: 8 })
    expect((await confirm(service)).json()).toMatchObject({ status: 409, code: 'not_in_recovery' })
    const { dataDir } = service.config
    await service.close()
    const again = await build({ config: { dataDir } })
    expect((await again.admin.inject({ url: '/api/v1/system' })).json().epoch).toBe(43)
    expect(await show(again)).toBeNull()
  })
})
