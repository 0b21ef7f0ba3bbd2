// SPDX-License-Identifier: MIT
// Random walks of the engine over a real database: people push and freeze at any time, nodes say
// anything in any order, time passes. What must hold, holds after every step.
import type { Kysely } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AppError } from '../../../../src/api-shapes/errors.ts'
import type { OnOverlap } from '../../../../src/api-shapes/states.ts'
import { createAssignments } from '../../../../src/assignments/assignments.ts'
import type { Database } from '../../../../src/db/database.ts'
import { findVersion, lastReleaseOf } from '../../../../src/features/configs/store.ts'
import { digestOf } from '../../../../src/features/configs/text/digest.ts'
import { parseConfigText } from '../../../../src/features/configs/text/text.ts'
import {
  createReleases,
  releaseVersion,
  saveVersion,
} from '../../../../src/features/configs/versions.ts'
import { readGrouping } from '../../../../src/features/groups/store.ts'
import { createEngine } from '../../../../src/features/rollouts/engine/engine.ts'
import { isTerminal, isWaiting } from '../../../../src/features/rollouts/reducer/model.ts'
import { rankOf } from '../../../../src/features/rollouts/reducer/tasks.ts'
import { startRollout } from '../../../../src/features/rollouts/start.ts'
import { tellReason } from '../../../../src/features/rollouts/words/reasons.ts'
import type { Offer } from '../../../../src/fleet/agent-ports.ts'
import { ReleasesAhead } from '../../../../src/fleet/ahead.ts'
import { openServices } from '../../../../src/process/services.ts'
import { tempDir, testIdentity } from '../../../helper.ts'
import { seededRandom } from '../../../histogram-of.ts'
import { placeOf } from '../../../postgres.ts'

const BOOT = '0'.repeat(32)

async function open() {
  const services = await openServices(await placeOf(tempDir()))
  onTestFinished(() => services.close())
  const { db, write, now } = services
  const { rendererOf, errorsForAuthor } = createReleases()
  const assignments = createAssignments({ identity: testIdentity, now, wake: () => {} })
  const versionOf = async (reader: Parameters<typeof findVersion>[0], config: string, n: number) =>
    (await findVersion(reader, config, n))?.text ?? null
  const engine = createEngine({
    db,
    write,
    now,
    assignments,
    rendererOf,
    errorsForAuthor,
    readGrouping,
    ahead: new ReleasesAhead({ wake: () => {} }),
    connected: { has: () => true, mark: 0, changedSince: () => [] },
    isStorageFull: () => false,
    onUnrenderable: () => {},
    versionText: ({ trx }, config, n) => versionOf(trx, config, n),
    releasedVersion: async ({ trx }, name) => (await lastReleaseOf(trx, name))?.version ?? null,
    release: (unit, released) => releaseVersion(unit, released, now()),
  })
  const push = (version: number, onOverlap: OnOverlap = 'refuse', selector = '') =>
    startRollout(
      {
        db,
        write,
        now,
        engine,
        checkFor: (text) => ({
          textFor: () => text,
          async check(target) {
            const rendered = await rendererOf(text)(db, target)
            if (!rendered) throw new Error('the test text must stay readable')
            return { ...rendered, errors: [], unavailable: null, toAuthor: (error) => error }
          },
        }),
        findVersionText: (config, n) => versionOf(db, config, n),
        readGrouping,
        lastReleases: async () => [],
        isConnected: () => true,
        throughputOf: async () => new Map(),
        changesOf: async () => null,
      },
      {
        config: 'default',
        version,
        selector,
        scope: null,
        strategy: { atOnce: true },
        message: '',
        author: { id: 'user_ana', username: 'ana' },
        onOverlap,
      },
    )
  const validate = async (text: string) => {
    const parsed = parseConfigText(text)
    if (!parsed.ok) throw new Error('the test text must parse')
    return { ok: true as const, digest: digestOf(parsed.value), errors: [] as [] }
  }
  for (const number of [1, 2, 3]) {
    const version = { config: 'default', text: `{"n": ${number}}`, parent: number - 1 || null }
    await saveVersion(
      { write, validate, sitesIn: async () => [], now },
      { ...version, author: 'ana', message: 'm', source: 'api' },
    )
  }
  return { db, write, engine, push }
}

async function insertNode(db: Kysely<Database>, id: string): Promise<void> {
  const facts = { hostname: id, version: '0.1.0', os: 'linux', arch: 'x86_64', capabilities: '[]' }
  await db
    .insertInto('nodes')
    .values({
      id,
      name: id.replace('_', '-'),
      labels: '{}',
      merge_patch: '{}',
      revision: 1,
      credential_digest: id,
      enrolled_at_ms: 0,
      enrolled_with: null,
      ...facts,
      max_epoch: 0,
      max_generation: 0,
    })
    .execute()
}

async function snapshot(db: Kysely<Database>) {
  return {
    rollouts: await db.selectFrom('rollouts').selectAll().orderBy('id').execute(),
    tasks: await db
      .selectFrom('node_tasks')
      .selectAll()
      .orderBy('rollout_id')
      .orderBy('node_id')
      .execute(),
    leases: await db.selectFrom('node_leases').selectAll().execute(),
    offers: await db.selectFrom('assignments').selectAll().orderBy('generation').execute(),
  }
}
type Snapshot = Awaited<ReturnType<typeof snapshot>>

function assertInvariants(before: Snapshot, after: Snapshot): void {
  const active = after.rollouts.filter(({ state }) => !isTerminal(state) && !isWaiting(state))
  const waiting = after.rollouts.filter(({ state }) => isWaiting(state))
  for (const { state } of waiting) expect(state).toBe('queued')
  if (waiting.length > 0) expect(active, 'whom those that wait wait for').toHaveLength(1)
  expect(active.length, 'rollouts under way').toBeLessThanOrEqual(1)
  for (const lease of after.leases) expect(lease.rollout_id).toBe(active[0]?.id)
  for (const old of before.rollouts) {
    const now = after.rollouts.find((rollout) => rollout.id === old.id)
    if (isTerminal(old.state)) expect(now?.state).toBe(old.state)
    const isSame = now?.state === old.state
    if (isSame) expect(now?.state_version).toBe(old.state_version)
    else expect(now?.state_version).toBeGreaterThan(old.state_version)
  }
  for (const old of before.tasks) {
    const now = after.tasks.find(
      (t) => t.rollout_id === old.rollout_id && t.node_id === old.node_id,
    )
    const isAskedAgain = (now?.refusals ?? 0) > old.refusals
    const rank = isAskedAgain ? rankOf('pending') : rankOf(old.state)
    expect(rankOf(now?.state ?? 'pending')).toBeGreaterThanOrEqual(rank)
  }
  const generations = new Map<string, number>()
  for (const { node_id, generation } of after.offers) {
    expect(generation).toBe((generations.get(node_id) ?? 0) + 1)
    generations.set(node_id, generation)
  }
}

describe('the engine', () => {
  it('lets nodes back off for 30 s after a restart, and calls them out of reach after that', async () => {
    const { db, engine, push } = await open()
    for (const id of ['node_a', 'node_b']) await insertNode(db, id)
    await push(1)
    await engine.tick(9_000)
    await engine.heardAgain()
    for (let s = 0; s < 40; s += 1) await engine.tick(1_000)
    const states = async () => (await snapshot(db)).tasks.map((task) => task.state)
    expect(await states()).toEqual(['offered', 'offered'])
    await engine.tick(16_000)
    expect(await states()).toEqual(['unreachable', 'unreachable'])
  })

  it('keeps the farm’s budget over all rollouts, and lets the next go on when there is room', async () => {
    const { db, write, engine, push } = await open()
    await db.updateTable('rollout_rules').set({ blast_budget: 1 }).execute()
    for (const id of ['node_a', 'node_b']) await insertNode(db, id)
    await db
      .updateTable('nodes')
      .set({ labels: '{"rack":"1"}' })
      .where('id', '=', 'node_a')
      .execute()
    await db
      .updateTable('nodes')
      .set({ labels: '{"rack":"2"}' })
      .where('id', '=', 'node_b')
      .execute()
    await push(1, 'refuse', 'rack=1')
    await push(2, 'refuse', 'rack=2')
    const states = async () => (await snapshot(db)).tasks.map((task) => task.state)
    expect(await states()).toEqual(['offered', 'pending'])
    const [holder, waiting] = (await snapshot(db)).rollouts
    expect(tellReason(JSON.parse(waiting?.reason ?? ''))).toContain(
      `1 of them waits until ${holder?.id} leaves room in the farm`,
    )
    await engine.tick(1_000)
    expect(await states()).toEqual(['offered', 'pending'])
    const [row] = (await snapshot(db)).offers
    if (!row) throw new Error('nothing was offered')
    const { node_id: nodeId, generation, offer_id: offerId, digest, rollout_id: rolloutId } = row
    const effective = { generation, digest, bootId: BOOT, reloads: 0 }
    for (const kind of ['applied', 'confirmed'] as const) {
      const event = { kind, nodeId, generation, offerId, digest, rolloutId, effective }
      await write((unit) => engine.onAgentEvent(unit, event))
    }
    await engine.tick(1_000)
    expect(await states()).toEqual(['done', 'offered'])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps its promises on random walk %i', async (seed) => {
    const { db, write, engine, push } = await open()
    const random = seededRandom(seed)
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
    const nodeIds = ['node_a', 'node_b', 'node_c']
    for (const id of nodeIds) await insertNode(db, id)

    const say = async ({ offers }: Snapshot) => {
      const row = pick(offers)
      if (!row) return
      const { node_id: nodeId, generation, offer_id: offerId, digest, rollout_id: rolloutId } = row
      const offer: Offer = { nodeId, generation, offerId, digest, rolloutId }
      const effective = { generation, digest, bootId: BOOT, reloads: 0 }
      const told = { reason: 'unconfirmed', message: 'm', evidence: [], effective: null }
      const event = pick([
        { ...offer, kind: 'acked' as const, warnings: [] },
        { ...offer, kind: 'applied' as const, effective },
        { ...offer, kind: 'confirmed' as const, effective },
        ...(random() < 0.15
          ? [
              {
                ...offer,
                kind: 'nacked' as const,
                code: 'busy' as const,
                message: 'm',
                errors: [],
              },
              { ...offer, kind: 'reverted' as const, ...told },
              { ...offer, kind: 'stuck' as const, ...told },
            ]
          : []),
      ])
      if (event) await write((unit) => engine.onAgentEvent(unit, event))
    }
    /** One alone, or with others. */
    const decommission = () => {
      const gone = nodeIds.filter(() => random() < 0.5)
      const change = { kind: 'decommissioned' as const, nodeIds: gone }
      return write((unit) => engine.onNodesChanged(unit, change))
    }
    const act = async (now: Snapshot) => {
      const kind = random()
      const onOverlap = pick<OnOverlap>(['queue', 'refuse', 'supersede'])
      if (kind < 0.1) await push(1 + Math.floor(random() * 3), onOverlap)
      else if (kind < 0.14) {
        const rollout = pick(now.rollouts)
        if (!rollout) return
        const { id, state_version } = rollout
        const seen = state_version - (random() < 0.2 ? 1 : 0)
        const kind = isWaiting(rollout.state) ? 'cancel' : 'freeze'
        await engine.obey(id, { kind, actor: 'ana' }, seen)
      } else if (kind < 0.25) await engine.tick(Math.floor(random() * 20_000))
      else if (kind < 0.26) await engine.heardAgain()
      else if (kind < 0.28) await insertNode(db, `node_x${now.tasks.length}`).catch(() => {})
      else if (kind < 0.3) await decommission()
      else await say(now)
    }

    let before = await snapshot(db)
    for (let step = 0; step < 150; step++) {
      // A refusal is an answer; what it refuses must not have happened.
      const refused = await act(before).then(
        () => false,
        (error: unknown) => {
          if (error instanceof AppError && error.statusCode < 500) return true
          throw error
        },
      )
      const after = await snapshot(db)
      if (refused) expect(after).toEqual(before)
      assertInvariants(before, after)
      before = after
    }
    expect(before.rollouts.length).toBeGreaterThan(1)
    const rows = await db
      .selectFrom('events')
      .select(['object_id', 'data'])
      .where('kind', '=', 'rollout')
      .execute()
    for (const { id, state, state_version } of before.rollouts) {
      const states = rows
        .filter((row) => row.object_id === id)
        .map((row) => JSON.parse(row.data))
        .filter((data) => data.stateVersion !== undefined)
      expect(states).toHaveLength(state_version - 1)
      expect(states.at(-1).to).toBe(state)
    }
  })
})
