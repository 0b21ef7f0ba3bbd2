// SPDX-License-Identifier: MIT
// A bench (`npm run fleet`) says what it spares; this says that nobody notices.
import { expect, onTestFinished, test } from 'vitest'
import { Superseded } from '../../src/agent-protocol/errors.ts'
import { createJoinedWrite } from '../../src/audit/joined-write.ts'
import { runAs } from '../../src/audit/origin.ts'
import type { Unit, Write } from '../../src/audit/write.ts'
import { nextTurn } from '../../src/base/slices.ts'
import { openServices } from '../../src/process/services.ts'
import { tempDir } from '../helper.ts'
import { placeOf } from '../postgres.ts'

const noted = (id: string) => ({ kind: 'node' as const, id, action: 'noted', actor: id })
const note = (id: string) => async (unit: Unit) => {
  await unit.emit(noted(id))
  return id
}

async function begin({ takesMoreForMs = 10_000, restsAtMostMs = 0 } = {}) {
  const services = await openServices(await placeOf(tempDir()))
  onTestFinished(() => services.close())
  const { db } = services
  let begun = 0
  const write: Write = (work) => {
    begun++
    return services.write(work)
  }
  const idsNoted = async () => {
    const events = db.selectFrom('events').select(['object_id', 'request_id', 'address'])
    return await events.where('action', '=', 'noted').orderBy('id').execute()
  }
  return {
    db,
    idsNoted,
    begun: () => begun,
    joined: createJoinedWrite(write, { takesMoreForMs, restsAtMostMs }),
  }
}

test('those that are asked in a turn of the loop share a transaction, in their order', async () => {
  const { joined, idsNoted, begun } = await begin()
  const ids = ['c', 'a', 'b']
  expect(await Promise.all(ids.map((id) => joined(note(id))))).toEqual(ids)
  expect((await idsNoted()).map((row) => row.object_id)).toEqual(ids)
  expect(begun()).toBe(1)
  await joined(note('d'))
  expect(begun()).toBe(2)
})

test('each is done in the name of who asked', async () => {
  const { joined, idsNoted } = await begin()
  const as = (requestId: string, address: string) => {
    const origin = { via: 'agent' as const, tokenId: null, requestId, address }
    return runAs(
      () => origin,
      () => joined(note(requestId)),
    )
  }
  await Promise.all([as('req_1', '192.0.2.1'), as('req_2', '192.0.2.2')])
  expect(await idsNoted()).toEqual([
    { object_id: 'req_1', request_id: 'req_1', address: '192.0.2.1' },
    { object_id: 'req_2', request_id: 'req_2', address: '192.0.2.2' },
  ])
})

test('who is refused before anything changed is refused alone, without another transaction', async () => {
  const { joined, idsNoted, begun } = await begin()
  const refused = joined(async () => {
    throw new Superseded(7)
  })
  const all = await Promise.allSettled([joined(note('a')), refused, joined(note('b'))])
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await expect(refused).rejects.toThrow(Superseded)
  expect((await idsNoted()).map((row) => row.object_id)).toEqual(['a', 'b'])
  expect(begun()).toBe(1)
})

test.each([
  ['a fault', () => new Error('broken')],
  ['a refusal', () => new Superseded(7)],
])('%s after something changed undoes that alone: rows and effects', async (_what, error) => {
  const { joined, idsNoted } = await begin()
  const effects: string[] = []
  const failing = joined(async (unit) => {
    await unit.emit(noted('failing'))
    unit.afterCommit(() => effects.push('failing'))
    throw error()
  })
  const effect = joined(async (unit) => {
    unit.afterCommit(() => effects.push('well'))
    await unit.emit(noted('well'))
  })
  await Promise.allSettled([failing, effect, joined(note('b'))])
  await expect(failing).rejects.toThrow()
  expect((await idsNoted()).map((row) => row.object_id)).toEqual(['well', 'b'])
  expect(effects).toEqual(['well'])
})

test('what was to be written at the end is not, of who is refused after that', async () => {
  const { joined, idsNoted } = await begin()
  const failing = joined(async (unit) => {
    unit.beforeCommit(async () => void (await unit.emit(noted('failing'))))
    throw new Superseded(7)
  })
  await Promise.allSettled([joined(note('a')), failing, joined(note('b'))])
  await expect(failing).rejects.toThrow(Superseded)
  expect((await idsNoted()).map((row) => row.object_id)).toEqual(['a', 'b'])
})

test('when no transaction can begin all are told, and the next may', async () => {
  const { db } = await begin()
  let isHeld = true
  const write: Write = async (work) => {
    if (isHeld) throw new Error('held by another process')
    const effects: (() => void)[] = []
    const afterCommit = (effect: () => void) => effects.push(effect)
    const done = await work({
      trx: db,
      changesSoFar: async () => 0,
      afterCommit,
    } as unknown as Unit)
    for (const effect of effects) effect()
    return done
  }
  const joined = createJoinedWrite(write)
  const all = await Promise.allSettled([joined(async () => 1), joined(async () => 2)])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isHeld = false
  expect(await joined(async () => 3)).toBe(3)
})

test('an effect that fails after the commit does nothing twice, and one alone is told of it', async () => {
  const { joined, idsNoted, begun } = await begin()
  const failing = async (unit: Unit) => {
    await unit.emit(noted('a'))
    unit.afterCommit(() => {
      throw new Error('nobody woke')
    })
  }
  const all = await Promise.allSettled([joined(failing), joined(note('b')), joined(note('c'))])
  expect(all.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect((await idsNoted()).map((row) => row.object_id)).toEqual(['a', 'b', 'c'])
  expect(begun()).toBe(1)
})

test('what takes long is not put off until all are through', async () => {
  const { joined, idsNoted, begun } = await begin({ takesMoreForMs: 0 })
  const slow = async (unit: Unit) => {
    await unit.emit(noted('slow'))
    const untilMs = performance.now() + 1
    while (performance.now() < untilMs);
  }
  await Promise.all(Array.from({ length: 10 }, () => joined(slow)))
  expect(begun()).toBe(10)
  expect(await idsNoted()).toHaveLength(10)
})

test('who comes while it rests shares the next, however one after the other they come', async () => {
  const { joined, begun } = await begin({ restsAtMostMs: 10_000 })
  const takesMs = 100
  await joined(async (unit) => {
    await unit.emit(noted('slow'))
    const untilMs = performance.now() + takesMs
    while (performance.now() < untilMs);
  })
  const first = joined(note('a'))
  await nextTurn()
  const second = joined(note('b'))
  await nextTurn()
  await Promise.all([first, second, joined(note('c'))])
  expect(begun()).toBe(2)
})
