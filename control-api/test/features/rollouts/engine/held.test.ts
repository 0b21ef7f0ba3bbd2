// SPDX-License-Identifier: MIT
// What nodes say in one transaction leaves what it leaves when each has one of its own: two control planes are told the same,
// one message by message, one a handful at a time.
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Strategy } from '../../../../src/features/rollouts/shapes/schema.ts'
import { startRollout } from '../../../../src/features/rollouts/start.ts'
import { Connections } from '../../../../src/fleet/connections.ts'
import { tempDir } from '../../../helper.ts'
import { seededRandom } from '../../../histogram-of.ts'
import { isOnPostgres, placeOf } from '../../../postgres.ts'
import { addNodeRow, CONFIG, openData, startPlane } from '../../../simulator/real-plane.ts'

const BOOT = '0'.repeat(32)
const LOCAL = {
  ...{ generation: 0, digest: `sha256:${'1'.repeat(64)}`, source: 'local' as const },
  ...{ bootId: BOOT, reloads: 0 },
}
const NODES = Array.from({ length: 6 }, (_, i) => `node_${String(i).padStart(26, '0')}`)
const STRATEGIES: readonly Strategy[] = [
  { atOnce: true },
  {
    ...{ waves: [{ nodes: 2 }, { percent: 100 }], maxParallel: 3, maxFailures: 1 },
    ...{ minHealthySeconds: 0, soakSeconds: 2, maxSoakSeconds: 60, onFailure: 'pause' },
  },
]
const KINDS = [
  'ack',
  'applied',
  'confirm',
  'nack',
  'reverted',
  'stuck',
  'gone',
  'back',
  'drifted',
] as const
type Kind = (typeof KINDS)[number]
type Message = { nodeId: string; kind: Kind }

async function openPlane(nowMs: () => number) {
  const services = await openData(await placeOf(tempDir()), nowMs)
  onTestFinished(() => services.close())
  for (const id of NODES) await addNodeRow(services, id, id.slice(-2))
  const connected = new Connections(NODES)
  const plane = await startPlane(services, nowMs, { connected, isStorageFull: () => false })
  onTestFinished(() => plane.stop())
  const { db } = services
  const { engine, inbox, startDeps } = plane
  await engine.heardAgain()

  const offerOf = (nodeId: string) =>
    db
      .selectFrom('assignments')
      .select(['generation', 'offer_id as offerId', 'digest'])
      .where('node_id', '=', nodeId)
      .orderBy('generation', 'desc')
      .limit(1)
      .executeTakeFirst()
  type Offer = NonNullable<Awaited<ReturnType<typeof offerOf>>>

  /** Known in memory before the database is told. */
  const notePresence = (messages: readonly Message[]) => {
    for (const { nodeId, kind } of messages) {
      if (kind === 'gone') connected.delete(nodeId)
      if (kind === 'back') connected.add(nodeId)
    }
  }
  /** What became of it. */
  const say = async ({ nodeId, kind }: Message, offer: Offer | undefined): Promise<string> => {
    try {
      if (kind === 'gone') await inbox.presence(nodeId, 'disconnected')
      else if (kind === 'back') await inbox.presence(nodeId, 'connected')
      else if (kind === 'drifted') await inbox.effectiveChanged(nodeId, LOCAL)
      else if (offer) await answer(nodeId, kind, offer)
      return 'taken'
    } catch (error) {
      return String(error)
    }
  }
  const answer = (
    nodeId: string,
    kind: Exclude<Kind, 'gone' | 'back' | 'drifted'>,
    offer: Offer,
  ) => {
    const { generation, digest } = offer
    const effective = { generation, digest, bootId: BOOT, reloads: 0 }
    const told = { message: kind, evidence: [] }
    switch (kind) {
      case 'ack':
        return inbox.ack(nodeId, { ...offer, warnings: [] })
      case 'nack':
        return inbox.nack(nodeId, { ...offer, code: 'busy', message: kind, errors: [] })
      case 'applied':
        return inbox.result(nodeId, { ...offer, ...told, outcome: kind, reason: null, effective })
      case 'confirm':
        return inbox.confirm(nodeId, { ...offer, effective })
      default:
        return inbox.result(nodeId, {
          ...{ ...offer, ...told, outcome: kind, reason: 'unconfirmed', effective: null },
        })
    }
  }
  const offers = async (messages: readonly Message[]) =>
    await Promise.all(messages.map(({ nodeId }) => offerOf(nodeId)))

  /** From now on nothing can be written of that node's tasks; null: of all it can. */
  const failFor = async (nodeId: string | null) => {
    await sql`drop trigger if exists planted`.execute(db)
    if (nodeId === null) return
    const broken = sql.lit(`a planted fault of ${nodeId}`)
    await sql`create trigger planted before update on node_tasks when new.node_id = ${sql.lit(nodeId)}
      begin select raise(abort, ${broken}); end`.execute(db)
  }

  return {
    db,
    failFor,
    tick: () => engine.tick(15_000),
    freeze: () => engine.freezeAll('ana'),
    order: (version: number, strategy: Strategy) =>
      startRollout(startDeps, {
        ...{ config: CONFIG, version, selector: '', scope: null, strategy, message: '' },
        author: { id: 'user_ana', username: 'ana' },
      }).then(() => 'ordered', String),
    async oneByOne(messages: readonly Message[]): Promise<string[]> {
      const given = await offers(messages)
      notePresence(messages)
      const became: string[] = []
      for (const [i, one] of messages.entries()) became.push(await say(one, given[i]))
      return became
    },
    /** They are asked within a turn of the loop. */
    async together(messages: readonly Message[]): Promise<string[]> {
      const given = await offers(messages)
      notePresence(messages)
      return await Promise.all(messages.map((one, i) => say(one, given[i])))
    },
    /** What it knows, but for names that it makes by itself and how often it wrote. */
    async known() {
      const rollouts = await db.selectFrom('rollouts').selectAll().orderBy('id').execute()
      const all = {
        // In whatever order they were counted.
        rollouts: rollouts.map((row) => ({ ...row, counts: JSON.parse(row.counts) })),
        tasks: await db
          .selectFrom('node_tasks')
          .selectAll()
          .orderBy('rollout_id')
          .orderBy('node_id')
          .execute(),
        offers: await db
          .selectFrom('assignments')
          .selectAll()
          .orderBy('node_id')
          .orderBy('generation')
          .execute(),
        leases: await db.selectFrom('node_leases').selectAll().orderBy('node_id').execute(),
        events: await db
          .selectFrom('events')
          .select(['id', 'kind', 'action', 'actor', 'object_id', 'data'])
          .orderBy('id')
          .execute(),
      }
      const names = new Map<string, string>()
      const renamed = JSON.stringify(all).replace(/\b(?:rollout|offer)_\w{20,}/g, (name) => {
        if (!names.has(name)) names.set(name, `name ${names.size}`)
        return names.get(name) ?? ''
      })
      return JSON.parse(renamed.replace(/"tasks_version":\d+/g, '"tasks_version":0'))
    },
  }
}

async function walk(seed: number, { withFaults }: { withFaults: boolean }): Promise<void> {
  const random = seededRandom(seed)
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const clock = { nowMs: Date.UTC(2026, 10, 28) }
  const nowMs = () => clock.nowMs
  const [alone, joined] = [await openPlane(nowMs), await openPlane(nowMs)]
  /** Mostly what goes well, or no rollout would get far. */
  const said = (): Message[] => {
    const nodeId = one(NODES)
    if (random() < 0.3) return [{ nodeId, kind: one(KINDS) }]
    return (['ack', 'applied', 'confirm'] as const).map((kind) => ({ nodeId, kind }))
  }
  let [taken, failed] = [0, 0]
  for (let step = 0; step < 60; step++) {
    clock.nowMs += 1_000
    if (step % 12 === 0) {
      const [version, strategy] = [1 + (step % 5), one(STRATEGIES)]
      const ids = [await alone.order(version, strategy), await joined.order(version, strategy)]
      expect(typeof ids[0]).toBe(typeof ids[1])
    }
    const messages = Array.from({ length: 1 + Math.floor(random() * 6) }, said).flat()
    const broken = withFaults && random() < 0.8 ? one(messages).nodeId : null
    const failingFor = async (nodeId: string | null) => {
      if (withFaults) for (const plane of [alone, joined]) await plane.failFor(nodeId)
    }
    await failingFor(broken)
    const became = await alone.oneByOne(messages)
    expect(await joined.together(messages)).toEqual(became)
    await failingFor(null)
    taken += became.filter((one) => one === 'taken').length
    failed += became.filter((one) => one.includes('planted')).length
    if (random() < 0.3) await Promise.all([alone.tick(), joined.tick()])
    expect(await joined.known(), `step ${step}`).toEqual(await alone.known())
  }
  expect(taken).toBeGreaterThan(60)
  expect(failed > 0).toBe(withFaults)
}

test.each([1, 2, 3, 4, 5, 6])('what is told together is as told one by one, walk %i', (seed) =>
  walk(seed, { withFaults: false }),
)

// Triggers are SQLite's here.
test.skipIf(isOnPostgres).each([7, 8, 9, 10])(
  'so it is when nothing can be written of some nodes for a while, walk %i',
  (seed) => walk(seed, { withFaults: true }),
)

test('of what all nodes say in a turn of the loop the rollout is written once', async () => {
  const farm = await openPlane(Date.now)
  await farm.order(1, { atOnce: true })
  const written = async () =>
    (await farm.db.selectFrom('rollouts').select('tasks_version').executeTakeFirstOrThrow())
      .tasks_version
  const before = await written()
  await farm.together(NODES.map((nodeId) => ({ nodeId, kind: 'ack' as const })))
  expect(await written()).toBe(before + 1)
  const { tasks } = await farm.known()
  expect(tasks.map(({ state }: { state: string }) => state)).toEqual(NODES.map(() => 'applying'))
})

test('who says another thing between two answers is counted with them', async () => {
  const farm = await openPlane(Date.now)
  const [first = '', second = '', third = ''] = NODES
  await farm.order(1, { atOnce: true })
  await farm.together([
    { nodeId: first, kind: 'ack' },
    { nodeId: second, kind: 'drifted' },
    { nodeId: third, kind: 'ack' },
  ])
  const { rollouts, tasks } = await farm.known()
  const states = Map.groupBy(tasks, ({ state }: { state: string }) => state)
  const counts = Object.fromEntries([...states].map(([state, { length }]) => [state, length]))
  expect(rollouts[0].counts).toEqual({ 0: counts })
  expect(counts).toMatchObject({ applying: 2, offered: 3 })
})
