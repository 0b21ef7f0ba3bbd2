// SPDX-License-Identifier: MIT
// Does to the real control plane what a run of the simulation did to its maps, deed by deed. After each, both
// must say the same: of each rollout and task, of leases, offers, nodes, and as the answer. So what the
// simulation proves of the reducer holds for the SQL too.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { confirmRecovery } from '../../src/control-plane/recovery.ts'
import { digestOf } from '../../src/features/configs/text/digest.ts'
import { parseConfigText } from '../../src/features/configs/text/text.ts'
import { giveAgain } from '../../src/features/nodes/drift-routes.ts'
import { planVersion, prepare, store } from '../../src/features/rollouts/start.ts'
import { findRollout } from '../../src/features/rollouts/store/rollouts.ts'
import { countsOf, countTasksByWave } from '../../src/features/rollouts/store/task-counts.ts'
import { Connections } from '../../src/fleet/connections.ts'
import { decommission, setCordon } from '../../src/node-identity/store/nodes.ts'
import type { Services } from '../../src/process/services.ts'
import { makeQuickFolder } from '../quick-folder.ts'
import type { Database } from './database.ts'
import type { Order } from './engine.ts'
import type { Answer } from './messages.ts'
import { sayTo } from './real-messages.ts'
import {
  addNodeRow,
  backUp,
  CONFIG,
  openData,
  putBack,
  type Running,
  startPlane,
  textOf,
} from './real-plane.ts'
import { type StoredRollout, StoredRollouts } from './stored-rollouts.ts'
import type { Deed, FilesKnown, Note } from './tape.ts'
import { type RolloutView, tasksShown, viewOf, viewOfReal } from './view.ts'
import { Words } from './words.ts'

export class Divergence extends Error {}

export async function replay(notes: readonly Note[], nodesAtOnce: number): Promise<void> {
  const dataDir = makeQuickFolder()
  const player = await Player.open(dataDir, nodesAtOnce)
  try {
    for (const [i, note] of notes.entries()) await player.play(note, i)
  } finally {
    await player.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

class Player {
  readonly #dataDir: string
  readonly #nodesAtOnce: number
  /** The wall clock, which jumps. */
  readonly #clock: { nowMs: number }
  readonly #now = () => this.#clock.nowMs
  readonly #words = new Words()
  readonly #connected = new Connections()
  readonly #backups = new Map<Database, string>()
  readonly #stored = new StoredRollouts()
  readonly #translations = new WeakMap<RolloutView, RolloutView>()
  #services: Services
  #running: Running | null = null
  #isStorageFull = false
  /** As of the deed that is played: the texts of the simulation have no releases. */
  #files: FilesKnown = new Map()
  readonly #ahead = {
    set: () => {},
    knows: (id: string) => this.#files.has(this.#words.ours(id)),
    stateOf: (id: string, nodeId: string) =>
      this.#files.get(this.#words.ours(id))?.get(this.#words.nodeName(nodeId)) ?? null,
  }
  #approvals = 0

  private constructor(
    { dataDir, nodesAtOnce }: { dataDir: string; nodesAtOnce: number },
    clock: { nowMs: number },
    services: Services,
  ) {
    this.#dataDir = dataDir
    this.#nodesAtOnce = nodesAtOnce
    this.#clock = clock
    this.#services = services
    for (let n = 1; n <= 5; n++) {
      const parsed = parseConfigText(textOf(n))
      if (parsed.ok) this.#words.add(`v${n}`, digestOf(parsed.value))
    }
  }

  static async open(dataDir: string, nodesAtOnce: number): Promise<Player> {
    const clock = { nowMs: 0 }
    const services = await openData({ dataDir }, () => clock.nowMs)
    return new Player({ dataDir, nodesAtOnce }, clock, services)
  }

  async close(): Promise<void> {
    await this.#running?.stop()
    await this.#services.close()
  }

  async play({ deed, result, db, wallMs, files }: Note, i: number): Promise<void> {
    this.#clock.nowMs = wallMs
    this.#files = files
    const where = `deed ${i}, ${JSON.stringify(deed).slice(0, 300)}`
    const said = await this.#do(deed).catch((error: unknown) => {
      throw new Divergence(`${where}: ${error instanceof Error ? error.stack : error}`)
    })
    await this.#learn(db)
    const rollouts = await this.#stored.read(this.#services.db)
    this.#requireRemembered(where, rollouts)
    requireCounted(where, rollouts)
    if (said !== undefined)
      requireSame(where, { answer: result }, this.#words.translate({ answer: said }))
    const real = await viewOfReal(this.#services.db, rollouts)
    const translated = real.rollouts.map((one) => this.#translated(one))
    const others = this.#words.translate({ ...real, rollouts: [] })
    requireSame(where, viewOf(db), { ...others, rollouts: translated })
  }

  /** One that did not change is not translated again: a word that was missing then has been noticed. */
  #translated(rollout: RolloutView): RolloutView {
    const known = this.#translations.get(rollout)
    if (known) return known
    const translation = this.#words.translate(rollout)
    this.#translations.set(rollout, translation)
    return translation
  }

  get #plane(): Running {
    if (!this.#running) throw new Error('it is down')
    return this.#running
  }

  /** undefined: nothing is answered that could be compared. */
  async #do(deed: Deed): Promise<Answer | boolean | undefined> {
    const { db, write } = this.#services
    const words = this.#words
    switch (deed.kind) {
      case 'crash':
        await this.#running?.stop()
        this.#running = null
        this.#isStorageFull = false
        this.#connected.clear()
        return undefined
      case 'start':
        this.#running = await this.#start()
        await this.#plane.engine.heardAgain()
        return undefined
      case 'backup': {
        const to = join(this.#dataDir, `backup-${this.#backups.size}`)
        this.#backups.set(deed.copy, to)
        await backUp(this.#dataDir, to)
        return undefined
      }
      case 'restore':
        await this.#restore(deed.copy)
        return undefined
      case 'confirm-recovery':
        await confirmRecovery({ write, db }, this.#plane.identity, {
          actor: 'ana',
          withoutUnheard: true,
        })
        await this.#plane.engine.offerHeld()
        return undefined
      case 'enrol':
        await addNodeRow(this.#services, words.nodeId(deed.nodeId), deed.nodeId)
        return undefined
      case 'presence': {
        const nodeId = words.nodeId(deed.nodeId)
        if (deed.change === 'connected') this.#connected.add(nodeId)
        else this.#connected.delete(nodeId)
        await this.#plane.inbox.presence(nodeId, deed.change)
        return undefined
      }
      case 'message':
        // The listener tells of many at once, and after a while (agents/fetching.ts).
        if (deed.message.kind === 'fetching') {
          const { files, filesDone } = deed.message
          const nodeId = words.nodeId(deed.nodeId)
          await this.#plane.inbox.fetching([{ nodeId, files, filesDone }])
          return { code: 'ok' }
        }
        return await sayTo(this.#plane.agents, words, deed.nodeId, deed.message)
      case 'desired':
        return await sayTo(this.#plane.agents, words, deed.nodeId, { ...deed, ahead: undefined })
      case 'first-release':
        await this.#plane.inbox.offerFirstRelease(words.nodeId(deed.nodeId))
        return undefined
      case 'order':
        return await this.#order(deed.order)
      case 'goes-on':
        await this.#plane.engine.goOn(words.rolloutId(deed.id))
        return undefined
      case 'approve':
        return await this.#approve(deed.id)
      case 'rules': {
        const { approvals, windows, timeZone, blastBudget: blast_budget } = deed.rules
        await db
          .updateTable('rollout_rules')
          .set({
            approvals,
            windows: JSON.stringify(windows),
            time_zone: timeZone,
            blast_budget,
            approval_hours: 1,
          })
          .execute()
        return undefined
      }
      case 'command':
        return await this.#command(deed)
      case 'evaluated': {
        const { wave, verdict, onFail, message } = deed.event
        const found = { wave, onFail, evidence: { verdict, message, gates: [] } }
        await this.#plane.engine.evaluated(words.rolloutId(deed.id), found)
        return undefined
      }
      case 'ill': {
        const found = { nodeId: words.nodeId(deed.nodeId), gate: 'errors5xx' }
        await this.#plane.engine.ill(words.rolloutId(deed.id), { ...found, message: 'answers 5xx' })
        return undefined
      }
      case 'tick':
        await this.#plane.engine.tick(deed.ms)
        return undefined
      case 'more-time-passes':
        await this.#plane.engine.letMorePass()
        return undefined
      case 'storage': {
        this.#isStorageFull = deed.isFull
        const { engine } = this.#plane
        await (deed.isFull ? engine.storageFull() : engine.offerHeld())
        return undefined
      }
      case 'decommission': {
        const nodeIds = deed.nodeIds.map((id) => words.nodeId(id))
        await write(async (unit) => {
          await decommission(unit, nodeIds, this.#now())
          await this.#plane.engine.onNodesChanged(unit, { kind: 'decommissioned', nodeIds })
        })
        return undefined
      }
      case 'cordon': {
        const nodeIds = deed.nodeIds.map((id) => words.nodeId(id))
        await write(async (unit) => {
          await setCordon(unit, nodeIds, deed.cordon)
          if (deed.cordon)
            await this.#plane.engine.onNodesChanged(unit, { kind: 'cordoned', nodeIds })
        })
        return undefined
      }
      case 'keep-clone':
        await this.#keepClone(words.nodeId(deed.nodeId), words.incarnation(deed.keep))
        return undefined
      case 'discard-drift':
        await this.#discardDrift(words.nodeId(deed.nodeId), words.digest(deed.drift))
        return undefined
    }
  }

  #start(): Promise<Running> {
    const isStorageFull = () => this.#isStorageFull
    const found = {
      ...{ connected: this.#connected, isStorageFull, nodesAtOnce: this.#nodesAtOnce },
      ahead: this.#ahead,
    }
    return startPlane(this.#services, this.#now, found)
  }

  async #restore(copy: Database): Promise<void> {
    const from = this.#backups.get(copy)
    if (from === undefined) throw new Error('there is no such backup')
    await this.#running?.stop()
    await this.#services.close()
    this.#connected.clear()
    this.#services = await putBack(this.#dataDir, from, this.#now)
    this.#running = await this.#start()
    await this.#running.engine.freezeAll('the restore')
  }

  /** False: it is refused, as it means nothing now. */
  async #command({ id, command }: Extract<Deed, { kind: 'command' }>): Promise<boolean> {
    const { real, stateVersion } = await this.#find(id)
    return await isNoConflict(this.#plane.engine.obey(real, command, stateVersion))
  }

  async #approve(id: string): Promise<boolean> {
    const { real, stateVersion, planDigest } = await this.#find(id)
    const username = `person-${++this.#approvals}`
    const approval = { userId: username, username, planDigest }
    return await isNoConflict(this.#plane.engine.approve(real, approval, stateVersion))
  }

  async #find(id: string) {
    const real = this.#words.rolloutId(id)
    const row = await findRollout(this.#services.db, real)
    return { real, stateVersion: row?.state_version ?? 0, planDigest: row?.plan_digest ?? '' }
  }

  /** With the simulation's waves and policy, which nobody could ask the API for. */
  async #order({ id, digest, waves, policy, isForAll, asked }: Order): Promise<boolean> {
    const { startDeps } = this.#plane
    const words = this.#words
    const config = { config: CONFIG, version: Number(digest.slice(1)), scope: null, selector: '' }
    const plan = await planVersion(startDeps, config)
    const waveOf = new Map(
      waves.flatMap((wave, i) => wave.map((name) => [words.nodeId(name), i] as const)),
    )
    const nodes = plan.nodes.filter(({ node }) => waveOf.has(node.id))
    const others = plan.nodes.filter(({ node }) => !waveOf.has(node.id))
    const excluded = others.map(({ node, group }) => ({ node, group, reason: 'not chosen' }))
    const arranged = { ...plan.arranged, waveOf, waves: waves.length, policy }
    const { isEmergency, onOverlap, startAtMs } = asked
    const order = {
      ...config,
      selector: isForAll ? '' : 'chosen',
      message: '',
      author: { id: null, username: 'ana' },
      ...(isEmergency ? { emergency: 'because' } : { onOverlap }),
      ...(startAtMs !== null && { startAtMs }),
    }
    const prepared = await prepare(startDeps, { ...plan, nodes, excluded, arranged })
    return await isNoConflict(
      this.#services.write(async (unit) => {
        const real = await store(startDeps, unit, order, prepared)
        if (real === null) throw new Error('the fleet is another one')
        words.add(id, real)
      }),
    )
  }

  async #keepClone(nodeId: string, keep: string): Promise<void> {
    const { db } = this.#services
    const row = await db
      .selectFrom('nodes')
      .select('clone')
      .where('id', '=', nodeId)
      .executeTakeFirstOrThrow()
    const clone = { ...JSON.parse(row.clone ?? '{}'), keep }
    await db
      .updateTable('nodes')
      .set({ clone: JSON.stringify(clone), incarnation: null })
      .where('id', '=', nodeId)
      .execute()
  }

  async #discardDrift(nodeId: string, digest: string): Promise<void> {
    const decision = { digest, action: 'discard', actor: 'ana', atMs: this.#now() }
    await this.#services.write(async (unit) => {
      await unit.trx
        .updateTable('nodes')
        .set({ drift_decision: JSON.stringify(decision) })
        .where('id', '=', nodeId)
        .execute()
      await giveAgain(unit, this.#plane.assignments, nodeId)
    })
  }

  /** What the engine remembers of tasks is what the database says, but for what of now it shows of their nodes. */
  #requireRemembered(where: string, rollouts: readonly StoredRollout[]): void {
    const { memory } = this.#running ?? {}
    const stored = new Map(rollouts.map(({ view }) => [view.id, view.tasks]))
    for (const id of memory?.ids() ?? []) {
      const remembered = tasksShown(memory?.committed(id) ?? [])
      requireSame(`${where}, remembered of ${id}`, stored.get(id) ?? [], remembered)
    }
  }

  /** Which real offer is which of ours: those of one node in the same order. */
  async #learn(db: Database): Promise<void> {
    const rows = await this.#services.db
      .selectFrom('assignments')
      .select(['node_id', 'generation', 'offer_id'])
      .execute()
    const real = new Map(rows.map((row) => [`${row.node_id} ${row.generation}`, row.offer_id]))
    for (const { nodeId, generation, offerId } of [...db.offers.values()].flat()) {
      const found = real.get(`${this.#words.nodeId(nodeId)} ${generation}`)
      if (found) this.#words.add(offerId, found)
    }
  }
}

/** What each rollout says of its tasks is what they say themselves. */
function requireCounted(where: string, rollouts: readonly StoredRollout[]): void {
  for (const { row, taskRows } of rollouts) {
    requireSame(`${where}, counted of ${row.id}`, countTasksByWave(taskRows), countsOf(row))
  }
}

async function isNoConflict(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 409) return false
    throw error
  }
}

function requireSame(where: string, expected: unknown, found: unknown): void {
  if (isDeepStrictEqual(found, expected)) return
  throw new Divergence(`${where}: ${difference(expected, found, '')}`)
}

/** The first place where they differ. */
function difference(expected: unknown, found: unknown, at: string): string {
  if (typeof expected !== 'object' || typeof found !== 'object' || !expected || !found) {
    return `${at} is ${JSON.stringify(found)}, the simulation has ${JSON.stringify(expected)}`
  }
  const [ours, theirs] = [new Map(Object.entries(expected)), new Map(Object.entries(found))]
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])]
  const key = keys.find((one) => !isDeepStrictEqual(ours.get(one), theirs.get(one))) ?? ''
  return difference(ours.get(key), theirs.get(key), `${at}/${key}`)
}
