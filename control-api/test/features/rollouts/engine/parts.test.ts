// SPDX-License-Identifier: MIT
// What is done for many nodes is done in parts: a crash between two of them leaves an order that goes on, or none.
import { expect, it, onTestFinished } from 'vitest'
import { startRollout } from '../../../../src/features/rollouts/start.ts'
import { enrol } from '../../../bench/scale.ts'
import { tempDir } from '../../../helper.ts'
import { CONFIG, openData, startPlane } from '../../../simulator/real-plane.ts'

/** More than an order stores at once. */
const NODES = 601
const ids = Array.from({ length: NODES }, (_, i) => `node_${String(i).padStart(26, '0')}`)
const now = () => 0
const order = {
  ...{ config: CONFIG, version: 1, selector: '', scope: null, message: '' },
  ...{ strategy: { atOnce: true }, author: { id: null, username: 'ana' } },
}

async function farm() {
  const services = await openData(tempDir(), now)
  onTestFinished(() => services.close())
  await enrol(services, ids)
  /** A process of the control plane; nodesAtOnce: it stands still behind each part. */
  const begin = async (nodesAtOnce?: number) => {
    const found = { connected: new Set(ids), isStorageFull: () => false }
    const cut = nodesAtOnce === undefined ? {} : { nodesAtOnce }
    const plane = await startPlane(services, now, { ...found, ...cut })
    onTestFinished(() => plane.stop())
    await plane.engine.heardAgain()
    return plane
  }
  const count = async (table: 'rollouts' | 'node_tasks' | 'node_leases' | 'assignments') =>
    (await services.db.selectFrom(table).selectAll().execute()).length
  const states = async () => {
    const rows = await services.db.selectFrom('node_tasks').select('state').execute()
    return new Set(rows.map(({ state }) => state))
  }
  return { services, begin, count, states }
}

it('an order that a crash cut while it was stored is taken back whole', async () => {
  const { services, begin, count } = await farm()
  const { startDeps } = await begin()
  let writes = 0
  const write: typeof services.write = (work) => {
    if (++writes > 2) throw new Error('it crashed')
    return services.write(work)
  }
  await expect(startRollout({ ...startDeps, write }, order)).rejects.toThrow('it crashed')
  expect([await count('rollouts'), await count('node_tasks')]).toEqual([1, 500])

  const after = await begin()
  expect([await count('rollouts'), await count('node_tasks')]).toEqual([0, 0])
  await startRollout(after.startDeps, order)
  await after.engine.rested()
  expect(await count('assignments')).toBe(NODES)
})

it('an order that is refused once it is whole leaves nothing', async () => {
  const { services, begin, count } = await farm()
  const { startDeps, engine } = await begin()
  await startRollout(startDeps, order)
  await engine.rested()
  const second = { ...order, version: 2, onOverlap: 'refuse' as const }
  await expect(startRollout(startDeps, second)).rejects.toThrow()
  expect([await count('rollouts'), await count('node_tasks')]).toEqual([1, NODES])
  const { data } = await services.db
    .selectFrom('events')
    .select('data')
    .where('action', '=', 'created')
    .executeTakeFirstOrThrow()
  expect(JSON.parse(data)).toMatchObject({ nodeCount: NODES, digests: [{ nodes: NODES }] })
})

it('after a crash between two parts the next process goes on: beginning, offering, giving up', async () => {
  const { begin, count, states } = await farm()
  const first = await begin(100)
  const id = await startRollout(first.startDeps, order)
  await first.engine.goOn(id)
  expect([await count('node_leases'), await count('assignments')]).toEqual([NODES, 0])

  const second = await begin()
  await second.engine.rested()
  expect(await count('assignments')).toBe(NODES)

  const third = await begin(100)
  await third.engine.freezeAll('the restore')
  expect(await states()).toEqual(new Set(['offered', 'skipped']))
  const fourth = await begin()
  await fourth.engine.rested()
  expect(await states()).toEqual(new Set(['skipped']))
})

it('all who do not answer in time are called late, however many they are', async () => {
  const { begin, states } = await farm()
  const { startDeps, engine } = await begin()
  await startRollout(startDeps, order)
  await engine.rested()
  await engine.tick(10_000)
  await engine.rested()
  expect(await states()).toEqual(new Set(['unreachable']))
})
