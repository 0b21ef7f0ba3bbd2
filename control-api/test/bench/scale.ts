// SPDX-License-Identifier: MIT
// `npm run bench -- scale`: what the rollout engine does to the event loop with 100, 1,000 and 10,000 nodes: the
// longest time in which nothing else had its turn, how long it took in all, and how many statements it was.
//   npm run bench -- scale [--sizes 100,1000,10000] [--answering N] [--together N] [--rollouts N]
// SQLite, inbox, engine and evaluator are the service's own, put together as the simulation does it; no network is
// in between. Then what the API says of a rollout so large, in bytes and ms. --answering: so many nodes answer their offers; left out: all of them.
// --together: so many of them within a turn of the loop, as where all are offered at once (25).
// --rollouts: only so many, one over the other, with the memory of the process after each, and what it costs when nothing happens.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { inSlices } from '../../src/base/slices.ts'
import { createEvaluator } from '../../src/features/rollouts/engine/evaluator.ts'
import type { Command } from '../../src/features/rollouts/reducer/model.ts'
import type { Strategy } from '../../src/features/rollouts/shapes/schema.ts'
import { startRollout } from '../../src/features/rollouts/start.ts'
import { Connections } from '../../src/fleet/connections.ts'
import { createLatencyBoard } from '../../src/metrics-store/latency-board.ts'
import type { PlacedWindow } from '../../src/metrics-store/windows.ts'
import type { Services } from '../../src/process/services.ts'
import { CONFIG, openData, type Running, startPlane } from '../simulator/real-plane.ts'
import { REPORT_EVERY_MS, windowOf } from './recorded-report.ts'
import { answersTable, measureAnswers } from './rollout-answers.ts'
import { watchTurns } from './turns.ts'

export type Row = {
  nodes: number
  what: string
  /** Messages of nodes; null: it is not about them. */
  messages: number | null
  longestMs: number
  longestCpuMs: number
  totalMs: number
  totalCpuMs: number
  statements: number
  /** Between two turns of the loop. */
  mostStatements: number
  mostChanges: number
}
type Options = {
  sizes: readonly number[]
  answering: number
  together?: number
  say: (line: string) => void
}
type Offer = { nodeId: string; generation: number; offerId: string; digest: string }

const BOOT = '0'.repeat(32)
const BY_WAVES: Strategy = {
  waves: [{ percent: 25 }, { percent: 100 }],
  maxParallel: 200,
  minHealthySeconds: 0,
  soakSeconds: 10,
  maxSoakSeconds: 600,
}
/** Of a node in two minutes. */
const WINDOWS = 24

export async function measure({ sizes, answering, together, say }: Options): Promise<Row[]> {
  const rows: Row[] = []
  for (const nodes of sizes) {
    const farm = await Farm.open({ nodes, together }, (row) => {
      rows.push(row)
      say(line(row))
    })
    try {
      await farm.play(answering)
    } finally {
      await farm.close()
    }
  }
  return rows
}

/** Of a process that runs as the unit starts it: with --max-semi-space-size=16 --heap-growing-percent=30. */
export async function measureMemory(
  { sizes, answering, together, say }: Options,
  rollouts: number,
): Promise<void> {
  say('| nodes | rollouts | s | longest block ms | resident MiB | heap MiB |')
  say('|---|---|---|---|---|---|')
  for (const nodes of sizes) {
    const farm = await Farm.open({ nodes, together }, () => {})
    try {
      await farm.playInARow(rollouts, answering, say)
    } finally {
      await farm.close()
    }
  }
}

/** Long enough for what was kept for later to be done. */
const IDLE_SECONDS = 20

/** As many as are woken in a turn of the loop. */
const TOGETHER = 25

type Size = { nodes: number; together: number | undefined }
type Place = { dir: string; services: Services; ids: readonly string[]; together: number }

class Farm {
  readonly #dir: string
  readonly #services: Services
  readonly #ids: readonly string[]
  readonly #together: number
  readonly #plane: Running
  readonly #note: (row: Row) => void

  private constructor(place: Place, plane: Running, note: (row: Row) => void) {
    this.#dir = place.dir
    this.#services = place.services
    this.#ids = place.ids
    this.#together = place.together
    this.#plane = plane
    this.#note = note
  }

  static async open({ nodes, together = TOGETHER }: Size, note: (row: Row) => void): Promise<Farm> {
    const dir = mkdtempSync(join(tmpdir(), 'farmstead-bench-scale-'))
    const services = await openData({ dataDir: dir }, Date.now)
    const ids = Array.from({ length: nodes }, (_, i) => `node_${String(i).padStart(26, '0')}`)
    await enrol(services, ids)
    const connected = new Connections(ids)
    const plane = await startPlane(services, Date.now, { connected, isStorageFull: () => false })
    return new Farm({ dir, services, ids, together }, plane, note)
  }

  async close(): Promise<void> {
    await this.#plane.stop()
    await this.#services.close()
    rmSync(this.#dir, { recursive: true, force: true })
  }

  async play(answering: number): Promise<void> {
    const { engine } = this.#plane
    await engine.heardAgain()
    const first = await this.#order('ordered to all at once', { version: 1 })
    await this.#offered(first)
    const some = Math.min(answering, this.#ids.length)
    await this.#answered(first, 'acked, applied, confirmed', some)
    if (some < this.#ids.length) await this.#obey(first, { kind: 'freeze', actor: 'ana' })

    const second = await this.#order('ordered to all at once, over another', { version: 2 })
    await this.#offered(second)
    await this.#did('a second passes', () => engine.tick(1_000))
    await this.#did('heard again after a restart', () => engine.heardAgain())
    // One of them does not answer, so that it is not over.
    await this.#answered(second, 'acked, applied, confirmed', Math.min(some, this.#ids.length - 1))
    await this.#obey(second, { kind: 'revert', actor: 'ana', why: '' })
    await this.#obey(second, { kind: 'freeze', actor: 'ana' })

    const third = await this.#order('ordered by waves', { version: 3, strategy: BY_WAVES })
    await this.#wave(third, Math.min(some, Math.ceil(this.#ids.length / 4)))
    await this.#did('a second passes', () => engine.tick(1_000))
    await engine.tick(9_000)
    await this.#lookAtGates()
    await this.#obey(third, { kind: 'pause', actor: 'ana', why: '' })
    const all = [...this.#ids]
    await this.#did('frozen for a restore', () => engine.freezeAll('the restore'))
    const fourth = await this.#order('ordered to all at once', { version: 4 })
    await this.#did(
      'all fall away',
      async () => {
        for (const some of inSlices(all, this.#together)) {
          await Promise.all(some.map((id) => this.#plane.inbox.presence(id, 'disconnected')))
          await setImmediate()
        }
      },
      all.length,
    )
    await this.#obey(fourth, { kind: 'freeze', actor: 'ana' })
  }

  async playInARow(rollouts: number, answering: number, say: (line: string) => void) {
    const nodes = this.#ids.length
    const tell = (what: string | number, fromMs: number, longestMs: number) => {
      const { rss, heapUsed } = process.memoryUsage()
      const [resident, heap] = [rss, heapUsed].map((bytes) => (bytes / 2 ** 20).toFixed(0))
      const times = [((performance.now() - fromMs) / 1000).toFixed(1), longestMs.toFixed(0)]
      say(`| ${[nodes, what, ...times, resident, heap].join(' | ')} |`)
    }
    await this.#plane.engine.heardAgain()
    tell(0, performance.now(), 0)
    for (let i = 1; i <= rollouts; i++) {
      const fromMs = performance.now()
      const stop = watchTurns(this.#dir)
      const id = await this.#order('', { version: 1 + (i % 2) })
      await this.#offered(id)
      await this.#answered(id, '', Math.min(answering, nodes))
      // Else the next waits for those that never answer.
      if (answering < nodes) await this.#obey(id, { kind: 'freeze', actor: 'ana' })
      tell(i, fromMs, stop().longestMs)
    }
    const fromMs = performance.now()
    const before = process.cpuUsage()
    for (let i = 0; i < IDLE_SECONDS; i++) {
      await setTimeout(1000)
      await this.#plane.engine.tick(1000)
    }
    const { user, system } = process.cpuUsage(before)
    tell(`${rollouts}, and nothing for ${IDLE_SECONDS} s`, fromMs, 0)
    say(`\n${((user + system) / 10_000 / IDLE_SECONDS).toFixed(1)} % of a core meanwhile`)
  }

  async #did<T>(what: string, work: () => Promise<T>, messages: number | null = null): Promise<T> {
    await setImmediate()
    const fromMs = performance.now()
    const stop = watchTurns(this.#dir)
    const result = await work()
    await setImmediate()
    await this.#settled()
    const totalMs = performance.now() - fromMs
    const { longestMs, ...counted } = stop()
    this.#note({ nodes: this.#ids.length, what, messages, longestMs, totalMs, ...counted })
    return result
  }

  /** Until what it began is through. */
  async #settled(): Promise<void> {
    await this.#plane.engine.rested()
  }

  #order(
    what: string,
    { version, strategy = { atOnce: true } }: { version: number; strategy?: Strategy },
  ) {
    const author = { id: null, username: 'ana' }
    const order = {
      config: CONFIG,
      version,
      selector: '',
      scope: null,
      strategy,
      message: '',
      author,
    }
    return this.#did(what, () => startRollout(this.#plane.startDeps, order))
  }

  async #obey(id: string, command: Command): Promise<void> {
    const { state_version: stateVersion } = await this.#services.db
      .selectFrom('rollouts')
      .select('state_version')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await this.#did(command.kind, () => this.#plane.engine.obey(id, command, stateVersion))
  }

  /** Until each has its offer. */
  async #offered(id: string): Promise<void> {
    await this.#did('until all are offered it', async () => {
      while ((await this.#offers(id)).length < this.#ids.length) await setImmediate()
    })
  }

  #offers(rolloutId: string): Promise<Offer[]> {
    return this.#services.db
      .selectFrom('assignments')
      .select(['node_id as nodeId', 'generation', 'offer_id as offerId', 'digest'])
      .where('rollout_id', '=', rolloutId)
      .where('state', '=', 'offered')
      .orderBy('node_id')
      .execute()
  }

  async #answered(id: string, what: string, most: number): Promise<void> {
    const offers = (await this.#offers(id)).slice(0, most)
    await this.#did(what, () => this.#answer(offers), 3 * offers.length)
  }

  /** Offers come as there is room for them. */
  async #wave(id: string, nodes: number): Promise<void> {
    await this.#did(
      'a wave is acked, applied, confirmed',
      async () => {
        for (let left = nodes; left > 0; ) {
          const offers = (await this.#offers(id)).slice(0, left)
          await this.#answer(offers)
          left -= offers.length
          if (offers.length === 0) await setImmediate()
        }
      },
      3 * nodes,
    )
  }

  async #answer(offers: readonly Offer[]): Promise<void> {
    for (const some of inSlices(offers, this.#together)) {
      await Promise.all(some.map((offer) => this.#answerOne(offer)))
    }
  }

  async #answerOne({ nodeId, ...about }: Offer): Promise<void> {
    const { inbox } = this.#plane
    const { generation, digest } = about
    const effective = { generation, digest, bootId: BOOT, reloads: 0 }
    await inbox.ack(nodeId, { ...about, warnings: [] })
    await setImmediate()
    const outcome = { outcome: 'applied' as const, reason: null, message: '', evidence: [] }
    await inbox.result(nodeId, { ...about, ...outcome, effective })
    await setImmediate()
    await inbox.confirm(nodeId, { ...about, effective })
    await setImmediate()
  }

  /** Measurements are in memory, packed as the service keeps them: two minutes of a busy node's for each. */
  async #lookAtGates(): Promise<void> {
    const { db } = this.#services
    const generations = new Map(
      (await db.selectFrom('node_tasks').select(['node_id', 'generation']).execute()).map(
        ({ node_id, generation }) => [node_id, generation ?? 0],
      ),
    )
    const board = createLatencyBoard()
    const nowMs = Date.now()
    for (const id of this.#ids) board.add(id, lastMinutesOf(generations.get(id) ?? 0, nowMs), nowMs)
    const evaluator = createEvaluator({
      db,
      now: Date.now,
      isConnected: () => true,
      engine: this.#plane.engine,
      samplesOf: (nodeIds, since) => nodeIds.flatMap((id) => board.samples(id, since, Date.now())),
      heardOf: () => [],
      probe: () => {},
      looks: { ask: async () => false, lookedOf: () => null, keepOnly: () => {} },
      pathWatches: { ask: async () => {}, keepOnly: () => {} },
      reportEveryMs: REPORT_EVERY_MS,
    })
    await this.#did('gates are looked at', () => evaluator.evaluate())
  }
}

export async function enrol({ db }: Services, ids: readonly string[]): Promise<void> {
  const facts = { version: '0.1.0', os: 'linux', arch: 'x86_64', capabilities: '[]' }
  for (let from = 0; from < ids.length; from += 500) {
    const some = ids.slice(from, from + 500)
    await db
      .insertInto('nodes')
      .values(
        some.map((id) => ({
          ...{ id, name: `edge-${id.slice(-5)}`, hostname: 'edge', ...facts },
          ...{ labels: JSON.stringify({ rack: id.slice(-2) }), merge_patch: '{}', revision: 1 },
          ...{ credential_digest: id, enrolled_at_ms: 0, enrolled_with: null },
          ...{ max_epoch: 0, max_generation: 0 },
        })),
      )
      .execute()
  }
}

/** What a busy node reported, again and again. */
const lastMinutesOf = (generation: number, nowMs: number): PlacedWindow[] =>
  Array.from({ length: WINDOWS }, (_, i) => ({
    ...windowOf(i + 1, generation),
    endedAtMs: nowMs - i * REPORT_EVERY_MS,
  }))

const HEAD =
  '| nodes | what | messages | longest block ms | of it CPU | in all ms | of it CPU | statements | CPU ms a message |'
const line = ({ nodes, what, messages, statements, totalCpuMs, ...row }: Row) => {
  const each = messages === null ? '' : (totalCpuMs / messages).toFixed(2)
  const times = [row.longestMs, row.longestCpuMs, row.totalMs, totalCpuMs].map((ms) =>
    ms.toFixed(0),
  )
  const cells = [nodes, what, messages ?? '', ...times, statements]
  return `| ${[...cells, each].join(' | ')} |`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '100,1000,10000' },
      answering: { type: 'string', default: 'Infinity' },
      together: { type: 'string' },
      rollouts: { type: 'string' },
    },
  })
  const say = (text: string) => process.stdout.write(`${text}\n`)
  const sizes = values.sizes.split(',').map(Number)
  const answering = Number(values.answering)
  const together = values.together === undefined ? undefined : Number(values.together)
  const options = { sizes, answering, say, ...(together !== undefined && { together }) }
  if (values.rollouts !== undefined) return await measureMemory(options, Number(values.rollouts))
  say(`${HEAD}\n|---|---|---|---|---|---|---|---|---|`)
  await measure(options)
  say('')
  for (const text of answersTable(await measureAnswers(sizes))) say(text)
}

if (import.meta.main) await main()
