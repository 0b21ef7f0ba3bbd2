// SPDX-License-Identifier: MIT
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSecretBox } from '../../src/base/secret-box.ts'
import {
  AlreadyDone,
  KeyReused,
  OutcomeUnknown,
  StillRunning,
} from '../../src/idempotency/errors.ts'
import {
  createIdempotencyKeys,
  KEPT_MS,
  KEYS_PER_CALLER,
  type KeptAnswer,
  type KeyedRequest,
  LARGEST_ANSWER_BYTES,
} from '../../src/idempotency/keys.ts'
import { openServices } from '../../src/process/services.ts'
import { tempDir } from '../helper.ts'
import { placeOf } from '../postgres.ts'

const REQUEST: KeyedRequest = { caller: 'user_a', route: 'POST /a', key: 'k', digest: 'd' }
const ANSWER: KeptAnswer = { status: 201, headers: { location: '/a/1' }, body: '{"a":1}' }

async function open() {
  const dataDir = tempDir()
  const services = await openServices(await placeOf(dataDir))
  onTestFinished(() => services.close())
  const clock = { nowMs: 1_000_000 }
  const box = openSecretBox(dataDir)
  const start = () => createIdempotencyKeys({ ...services, now: () => clock.nowMs, box })
  return { ...services, clock, start, keys: start() }
}

describe('a key', () => {
  test('gets the first answer again, for a day', async () => {
    const { keys, clock, start } = await open()
    expect(await keys.begin(REQUEST)).toBeNull()
    await keys.finish(REQUEST, { kind: 'done', answer: ANSWER })
    expect(await keys.begin(REQUEST)).toEqual(ANSWER)
    clock.nowMs += KEPT_MS - 1
    expect(await start().begin(REQUEST)).toEqual(ANSWER)
    clock.nowMs += 1
    expect(await keys.begin(REQUEST)).toBeNull()
  })

  test('is one caller’s, on one route', async () => {
    const { keys } = await open()
    await keys.begin(REQUEST)
    expect(await keys.begin({ ...REQUEST, caller: 'user_b' })).toBeNull()
    expect(await keys.begin({ ...REQUEST, route: 'POST /b' })).toBeNull()
  })

  test('is for one request only, while that runs and after', async () => {
    const { keys } = await open()
    const other = { ...REQUEST, digest: 'other' }
    await keys.begin(REQUEST)
    await expect(keys.begin(other)).rejects.toThrow(KeyReused)
    await keys.finish(REQUEST, { kind: 'done', answer: ANSWER })
    await expect(keys.begin(other)).rejects.toThrow(KeyReused)
  })

  test('waits for nobody: who comes too early is told so', async () => {
    const { keys } = await open()
    await keys.begin(REQUEST)
    await expect(keys.begin(REQUEST)).rejects.toThrow(StillRunning)
    await keys.finish(REQUEST, { kind: 'done', answer: ANSWER })
    expect(await keys.begin(REQUEST)).toEqual(ANSWER)
  })

  test('is free again when nothing was done', async () => {
    const { keys } = await open()
    await keys.begin(REQUEST)
    await keys.finish(REQUEST, { kind: 'forget' })
    expect(await keys.begin({ ...REQUEST, digest: 'other' })).toBeNull()
  })

  test('whose request was cut off by a crash, or failed, is not answered by guessing', async () => {
    const { keys, start } = await open()
    await keys.begin(REQUEST)
    await expect(start().begin(REQUEST)).rejects.toThrow(OutcomeUnknown)
    await keys.finish(REQUEST, { kind: 'unknown' })
    await expect(keys.begin(REQUEST)).rejects.toThrow(OutcomeUnknown)
  })

  test('keeps no answer that is large or not to be kept, but knows that it is done', async () => {
    const { keys } = await open()
    const large = { ...ANSWER, body: 'x'.repeat(LARGEST_ANSWER_BYTES) }
    for (const [key, answer] of [
      ['large', large],
      ['secret', null],
    ] as const) {
      await keys.begin({ ...REQUEST, key })
      await keys.finish({ ...REQUEST, key }, { kind: 'done', answer })
      await expect(keys.begin({ ...REQUEST, key })).rejects.toThrow(AlreadyDone)
    }
  })
})

describe('what is kept', () => {
  test('is sealed', async () => {
    const { keys, db } = await open()
    await keys.begin(REQUEST)
    await keys.finish(REQUEST, { kind: 'done', answer: ANSWER })
    const row = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow()
    expect(row.outcome).toBe('done')
    expect(JSON.stringify(row)).not.toContain('/a/1')
  })

  test('is bounded for each caller, in keys and in bytes: the oldest go first', async () => {
    const { keys, db, clock } = await open()
    const old = Array.from({ length: KEYS_PER_CALLER }, (_, i) => ({
      ...{ caller: 'user_a', route: 'POST /a', key: `old-${i}`, request_digest: 'd' },
      ...{ outcome: 'done' as const, answer: null, size_bytes: 4096, started_at_ms: i },
    }))
    for (let i = 0; i < old.length; i += 100) {
      await db
        .insertInto('idempotency_keys')
        .values(old.slice(i, i + 100))
        .execute()
    }
    await db
      .insertInto('idempotency_keys')
      .values({ ...old[0], caller: 'user_b' } as (typeof old)[0])
      .execute()
    clock.nowMs = 2000
    await keys.begin(REQUEST)
    const count = async () => {
      const rows = await db.selectFrom('idempotency_keys').select(['caller', 'key']).execute()
      return rows
    }
    await keys.finish(REQUEST, { kind: 'done', answer: ANSWER })
    const few = await count()
    expect(few).toHaveLength(KEYS_PER_CALLER + 1)
    expect(few).toContainEqual({ caller: 'user_b', key: 'old-0' })
    expect(few).not.toContainEqual({ caller: 'user_a', key: 'old-0' })
    expect(few).toContainEqual({ caller: 'user_a', key: 'k' })
    await db.updateTable('idempotency_keys').set({ size_bytes: 100_000 }).execute()
    await keys.begin({ ...REQUEST, key: 'k2' })
    await keys.finish({ ...REQUEST, key: 'k2' }, { kind: 'done', answer: ANSWER })
    expect((await count()).filter(({ caller }) => caller === 'user_a')).toHaveLength(42)
  })
})
