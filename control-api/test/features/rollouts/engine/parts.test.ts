// SPDX-License-Identifier: MIT
// What is done for many nodes is done in parts: a crash between two of them leaves an order that goes on, or none.

import { describe, expect, it } from 'vitest'
import type { Command } from '../../../../src/features/rollouts/reducer/model.ts'
import { startRollout } from '../../../../src/features/rollouts/start.ts'
import { findRollout } from '../../../../src/features/rollouts/store/rollouts.ts'
import { enrol } from '../../../bench/scale.ts'
import { watchTurns } from '../../../bench/turns.ts'
import type { Running } from '../../../simulator/real-plane.ts'
import { farm, ids, NODES, order, takeIt } from './parts-farm.ts'

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

it('of time that had passed for some when it failed, nobody loses more than there was', async () => {
  const { services, begin, timesLeft } = await farm()
  let left = Number.POSITIVE_INFINITY
  const write: typeof services.write = (work) => {
    if (left-- <= 0) throw new Error('the disk is full')
    return services.write(work)
  }
  const { startDeps, engine } = await begin(undefined, write)
  await startRollout(startDeps, order)
  await engine.rested()
  expect(await timesLeft()).toEqual(new Map([[10_000, NODES]]))
  left = 1
  await expect(engine.tick(1_000)).rejects.toThrow('the disk is full')
  expect(await timesLeft()).toEqual(
    new Map([
      [9_000, 500],
      [10_000, NODES - 500],
    ]),
  )
  left = Number.POSITIVE_INFINITY
  // It comes again with the next.
  await engine.tick(3_000)
  expect(await timesLeft()).toEqual(new Map([[7_000, NODES]]))
})

it('after a crash while time passed for some, all have theirs anew', async () => {
  const { begin, timesLeft } = await farm()
  const first = await begin()
  await startRollout(first.startDeps, order)
  await first.engine.rested()
  const second = await begin(100)
  const [[anew]] = [...(await timesLeft())] as [[number, number]]
  await second.engine.tick(1_000)
  await second.engine.letMorePass()
  expect((await timesLeft()).get(anew - 1_000)).toBe(200)
  const third = await begin()
  expect(await timesLeft()).toEqual(new Map([[anew, NODES]]))
  await third.engine.tick(1_000)
  expect(await timesLeft()).toEqual(new Map([[anew - 1_000, NODES]]))
})

it('those who joined meanwhile get what was released in parts, and a crash between two loses none', async () => {
  const [only = '', ...joining] = ids
  const { dir, services, begin } = await farm([only])
  const first = await begin(100)
  await startRollout(first.startDeps, order)
  await takeIt(services, first, only)
  const id = await startRollout(first.startDeps, { ...order, version: 2 })
  await enrol(services, joining)
  for (const nodeId of joining) await first.inbox.offerFirstRelease(nodeId)
  const given = async (version: number) => {
    const rows = services.db.selectFrom('assignments').select('node_id').distinct()
    const outside = rows.where('rollout_id', 'is', null).where('version', '=', version)
    return (await outside.execute()).length
  }
  expect([await given(1), await given(2)]).toEqual([joining.length, 0])

  await takeIt(services, first, only)
  expect(await given(2)).toBe(100)
  await first.engine.goOn(id)
  expect(await given(2)).toBe(200)

  const stop = watchTurns(dir)
  const second = await begin()
  await second.engine.rested()
  expect(await given(2)).toBe(joining.length)
  // An assignment, and a row or two of the audit, for each of two hundred.
  expect(stop().mostChanges).toBeLessThan(800)
})

describe('many rollouts at once', () => {
  const PER_ORDER = 50
  /**
   * Two hundred are given up, each with its task, its offer and a row of the audit; as many begin, with a row more; and all
   * leases go from one to the others.
   */
  const MOST_CHANGES = 200 * 3 + 200 * 4 + 50 + 2 * NODES

  it('begin some nodes at a time when the one that all of them wait for is over', async () => {
    const { dir, services, begin } = await farm()
    const { startDeps, engine } = await begin()
    const first = await startRollout(startDeps, order)
    for (let from = 0; from + PER_ORDER < NODES; from += PER_ORDER) {
      const nodes = ids.slice(from, from + PER_ORDER)
      await startRollout(startDeps, { ...order, version: 2, nodes })
    }
    await engine.rested()
    const given = async () => {
      const rows = services.db.selectFrom('assignments').select('node_id').distinct()
      return (await rows.where('version', '=', 2).execute()).length
    }
    expect(await given()).toBe(0)
    const version = (await findRollout(services.db, first))?.state_version ?? 0
    const stop = watchTurns(dir)
    await engine.obey(first, { kind: 'freeze', actor: 'ana' }, version)
    await engine.rested()
    expect(stop().mostChanges).toBeLessThan(MOST_CHANGES)
    expect(await given()).toBe(NODES - 1)
  })

  it('are held one by one when the disk is full, and go on one by one', async () => {
    const nodes = ids.slice(0, 20)
    const { dir, services, disk, begin } = await farm(nodes)
    const { startDeps, engine } = await begin(undefined, services.write, [])
    const { strategy: _, ...oneByOne } = order
    for (const nodeId of nodes) await startRollout(startDeps, { ...oneByOne, nodes: [nodeId] })
    await engine.rested()
    const stopFull = watchTurns(dir)
    disk.isFull = true
    await engine.storageFull()
    const full = stopFull().mostStatements
    const rows = await services.db.selectFrom('rollouts').select('progress').execute()
    const held = rows.filter(({ progress }) => JSON.parse(progress).hold?.kind === 'storage_full')
    expect(held).toHaveLength(nodes.length)
    // Nobody is there: each is put off when its time to appear is over.
    await engine.tick(300_000)
    await engine.rested()
    disk.isFull = false
    const stopRoom = watchTurns(dir)
    await engine.offerHeld()
    const room = stopRoom().mostStatements
    // Five for each of twenty, in one turn, are a hundred.
    expect(Math.max(full, room)).toBeLessThan(30)
  })
})

describe('a farm that has applied a version', () => {
  const few = ids.slice(0, 24)
  const AT_ONCE = 5

  /** Each node but the last has what was ordered second, and had the first before. */
  async function applied() {
    const { services, begin } = await farm(few)
    const first = await begin()
    await startRollout(first.startDeps, order)
    await first.engine.rested()
    for (const nodeId of few) await takeIt(services, first, nodeId)
    const id = await startRollout(first.startDeps, { ...order, version: 2 })
    await first.engine.rested()
    for (const nodeId of few.slice(1)) await takeIt(services, first, nodeId)
    const obey = async ({ engine }: Running, command: Command) => {
      const row = await findRollout(services.db, id)
      await engine.obey(id, command, row?.state_version ?? 0)
    }
    const nodes = async () => {
      const rows = await services.db
        .selectFrom('node_tasks')
        .select(['state', 'generation'])
        .where('rollout_id', '=', id)
        .execute()
      const so = (one: (row: (typeof rows)[number]) => boolean) => rows.filter(one).length
      return {
        givenBack: so(({ state, generation }) => state === 'reverting' && generation !== null),
        toGoBack: so(({ state, generation }) => state === 'reverting' && generation === null),
        keeping: so(({ state }) => state === 'done'),
        skipped: so(({ state }) => state === 'skipped'),
      }
    }
    const state = async () => (await findRollout(services.db, id))?.state
    return { id, services, begin, obey, nodes, state }
  }

  const takeBack: Command = { kind: 'revert', actor: 'ana', why: '' }

  it('goes back in parts, and a crash between two of them loses nobody', async () => {
    const { id, begin, obey, nodes } = await applied()
    const cut = await begin(AT_ONCE)
    await obey(cut, takeBack)
    let before = await nodes()
    for (let parts = 0; before.givenBack < AT_ONCE * 2; parts++) {
      expect(parts).toBeLessThan(20)
      await cut.engine.goOn(id)
      const after = await nodes()
      expect(after.givenBack - before.givenBack).toBeLessThanOrEqual(AT_ONCE)
      before = after
    }
    const next = await begin()
    await next.engine.rested()
    expect(await nodes()).toEqual({ givenBack: 23, toGoBack: 0, keeping: 0, skipped: 1 })
  })

  it('keeps what it has where it was not turned back yet, when somebody freezes it between two parts', async () => {
    const { begin, obey, nodes, state } = await applied()
    const cut = await begin(AT_ONCE)
    await obey(cut, takeBack)
    await obey(cut, { kind: 'freeze', actor: 'ben' })
    const next = await begin()
    await next.engine.rested()
    expect([await state(), await nodes()]).toEqual([
      'frozen',
      // Of the first part one had not answered yet, and four were to go back.
      { givenBack: 0, toGoBack: 0, keeping: 19, skipped: 5 },
    ])
  })
})

describe('a farm of which most nodes refuse a version', () => {
  const few = ids.slice(0, 24)
  const AT_ONCE = 5
  /** Two hundred are noted, and some rows of the rollout and the audit. */
  const MOST_CHANGES = 220

  /** Whoever is first takes the version; the others refuse it, but for the last two, who have not answered. */
  async function refused(nodes = few) {
    const { dir, services, begin } = await farm(nodes)
    const first = await begin()
    const id = await startRollout(first.startDeps, order)
    await first.engine.rested()
    const [taking = '', ...others] = nodes
    await takeIt(services, first, taking)
    for (const nodeId of others.slice(0, -2)) await refuse(first, nodeId)
    async function refuse({ inbox }: Running, nodeId: string) {
      const { generation, digest, offerId } = await services.db
        .selectFrom('assignments')
        .select(['generation', 'offer_id as offerId', 'digest'])
        .where('node_id', '=', nodeId)
        .executeTakeFirstOrThrow()
      const said = { code: 'semantic' as const, message: 'it has no folder for it', errors: [] }
      await inbox.nack(nodeId, { generation, digest, offerId, ...said })
    }
    const resume = async ({ engine }: Running) => {
      const row = await findRollout(services.db, id)
      await engine.obey(id, { kind: 'resume', actor: 'ana' }, row?.state_version ?? 0)
    }
    const excused = async () => {
      const rows = services.db.selectFrom('node_tasks').select('node_id').where('excused', '=', 1)
      return new Set((await rows.execute()).map(({ node_id }) => node_id))
    }
    const state = async () => (await findRollout(services.db, id))?.state
    return { dir, id, begin, refuse, resume, excused, state, first }
  }

  it('goes on without them in parts, with a turn of the loop between', async () => {
    const { dir, resume, excused, state, first } = await refused(ids.slice(0, 250))
    expect(await state()).toBe('paused')
    const stop = watchTurns(dir)
    await resume(first)
    await first.engine.rested()
    expect(stop().mostChanges).toBeLessThan(MOST_CHANGES)
    expect([await state(), (await excused()).size]).toEqual(['running', 247])
  })

  it('goes on without those that were seen, and no other, after a crash between two parts', async () => {
    const { id, begin, refuse, resume, excused, state } = await refused()
    const cut = await begin(AT_ONCE)
    await resume(cut)
    await cut.engine.goOn(id)
    expect([await state(), (await excused()).size]).toEqual(['paused', 2 * AT_ONCE])
    const [later = ''] = few.slice(-1)
    await refuse(cut, later)
    const next = await begin()
    await next.engine.rested()
    expect([await state(), (await excused()).size]).toEqual(['paused', few.length - 3])
    expect((await excused()).has(later)).toBe(false)
  })

  it('goes on without nobody more, when it is frozen between two parts', async () => {
    const { id, begin, resume, excused, state, first } = await refused()
    const cut = await begin(AT_ONCE)
    await resume(cut)
    await cut.engine.freezeAll('the restore')
    const { size } = await excused()
    const next = await begin()
    await next.engine.rested()
    expect([await state(), (await excused()).size]).toEqual(['frozen', size])
    await first.engine.goOn(id)
    expect((await excused()).size).toBe(size)
  })
})
