// SPDX-License-Identifier: MIT
// What evidence says of a wave is shown by its nodes in parts; a crash between two of them leaves none that does not.
import { expect, it } from 'vitest'
import { startRollout } from '../../../../src/features/rollouts/start.ts'
import { findRollout } from '../../../../src/features/rollouts/store/rollouts.ts'
import { watchTurns } from '../../../bench/turns.ts'
import type { Running } from '../../../simulator/real-plane.ts'
import { farm, ids, order } from './parts-farm.ts'

const many = ids.slice(0, 450)
const AT_ONCE = 100
/** Two hundred are marked, and some rows of the rollout and the audit. */
const MOST_CHANGES = 220
const strategy = {
  ...{ waves: [{ percent: 100 }], maxParallel: many.length, minHealthySeconds: 0 },
  ...{ soakSeconds: 600, maxSoakSeconds: 1200 },
}
const judged = (verdict: 'fail' | 'pass') => ({
  ...{ wave: 0, onFail: 'pause' as const },
  evidence: { verdict, message: 'the share of 4xx', gates: [] },
})

/** All have the version, as if each had said so, and are watched. */
async function watched() {
  const { dir, services, begin } = await farm(many)
  const before = await begin()
  const id = await startRollout(before.startDeps, { ...order, strategy })
  await before.engine.rested()
  await services.db
    .updateTable('node_tasks')
    .set({ state: 'healthy', deadline_remaining_ms: null })
    .execute()
  const { progress } = await services.db
    .selectFrom('rollouts')
    .select('progress')
    .executeTakeFirstOrThrow()
  await services.db
    .updateTable('rollouts')
    .set({ progress: JSON.stringify({ ...JSON.parse(progress), phase: 'soaking' }) })
    .execute()
  const first = await begin()
  const marked = async () => {
    const { nodes } = await services.db
      .selectFrom('node_tasks')
      .select((eb) => eb.fn.countAll<number>().as('nodes'))
      .where('code', '=', 'gate_failed')
      .executeTakeFirstOrThrow()
    return nodes
  }
  const resume = async ({ engine }: Running) => {
    const row = await findRollout(services.db, id)
    await engine.obey(id, { kind: 'resume', actor: 'ana' }, row?.state_version ?? 0)
  }
  const state = async () => (await findRollout(services.db, id))?.state
  return { dir, id, begin, marked, resume, state, first }
}

it('a gate that all nodes fail holds the rollout, and is noted with a turn of the loop between parts', async () => {
  const { dir, id, marked, resume, state, first } = await watched()
  for (const [verdict, then] of [
    ['fail', 'paused'],
    ['pass', 'running'],
  ] as const) {
    const stop = watchTurns(dir)
    await first.engine.evaluated(id, judged(verdict))
    expect(await state()).toBe(then)
    await first.engine.rested()
    expect(stop().mostChanges).toBeLessThan(MOST_CHANGES)
    expect(await marked()).toBe(verdict === 'fail' ? many.length : 0)
    if (verdict === 'fail') await resume(first)
  }
})

it('after a crash between two parts the next process notes it of the others', async () => {
  const { id, begin, marked } = await watched()
  const cut = await begin(AT_ONCE)
  await cut.engine.evaluated(id, judged('fail'))
  expect(await marked()).toBe(AT_ONCE)
  const next = await begin()
  await next.engine.rested()
  expect(await marked()).toBe(many.length)
})
