// SPDX-License-Identifier: MIT
// Nodes of one zone give each other the contents of releases (decision 0186): what nodes are told of it, and what they are
// answered. Who is to ask whom: exchange.ts.
import type { Kysely } from 'kysely'
import type {
  Fetching,
  HelloResponse,
  ReleasesNeighboursRequest,
  ReleasesNeighboursResponse,
  ReportRequest,
} from '../agent-protocol/messages.gen.ts'
import type { Write } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import type { Database } from '../db/database.ts'
import { etagOf, requireIfMatch } from '../http/preconditions.ts'
import { Exchange } from './exchange.ts'
import { createPassKeys, type PassKeys } from './keys.ts'
import { PASS_MS, passOf } from './pass.ts'
import {
  addDistrust,
  type DistrustRow,
  distrustBy,
  distrusted,
  dropAllPassKeys,
  dropDistrust,
  type NeighbourSettings,
  readSettings,
  storeSettings,
} from './store.ts'

export type NeighbourRules = NonNullable<HelloResponse['neighbours']>
/** A node that speaks. */
export type Speaker = {
  id: string
  /** JSON: read only while it matters, as every report is spoken by one. */
  labels: string
  /** Of its certificate; null: it came with a secret, and gives and takes nothing. */
  keySha256: string | null
}
export type Neighbours = Awaited<ReturnType<typeof openNeighbours>>

/** One node's word is taken against so many others: more than that says something of itself. */
const MOST_TOLD_ON = 3
/** Instead of rules that a node was told. */
const OFF = 'off'
const LOST = 'lost'
const FETCH_HERE: ReleasesNeighboursResponse = { waitMs: 0, neighbours: [] }

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  box: SecretBox
  isConnected: (nodeId: string) => boolean
  monotonicMs?: () => number
}

export async function openNeighbours({
  db,
  write,
  now,
  box,
  isConnected,
  monotonicMs = () => performance.now(),
}: Deps) {
  const keys = createPassKeys({ write, now, box })
  const bad = new Map((await distrusted(db)).map((row) => [row.node_id, row]))
  let stored = await readSettings(db)
  /** By node: which rules it was told last. */
  const told = new Map<string, string>()
  /** By node: the zone it was heard from last. */
  const zones = new Map<string, string | null>()
  const begin = () =>
    new Exchange({
      ...{ monotonicMs, random: Math.random, isConnected },
      isTrusted: (nodeId) => !bad.has(nodeId),
    })
  let exchange = begin()

  const rulesWith = ({ publicKeys }: PassKeys): NeighbourRules => ({
    passKeys: publicKeys,
    maxBytesPerSecond: stored.settings.maxBytesPerSecond ?? 0,
    atOnce: stored.settings.atOnce,
  })
  const zoneOf = ({ labels }: Speaker): string | null => {
    const { zoneLabel } = stored.settings
    return (zoneLabel !== null && JSON.parse(labels)[zoneLabel]) || null
  }
  const isOn = () => stored.settings.zoneLabel !== null

  /** Named no more until somebody has looked at it. */
  const distrust = async (wrong: readonly string[], toldBy: string, manifest: string) => {
    const isToldByThis = (row: DistrustRow) => row.told_by === toldBy
    for (const nodeId of new Set(wrong)) {
      if (bad.has(nodeId) || [...bad.values()].filter(isToldByThis).length >= MOST_TOLD_ON) continue
      const row = { node_id: nodeId, told_by: toldBy, manifest_sha256: manifest, at_ms: now() }
      const isNew = await write(async ({ trx, emit }) => {
        if ((await distrustBy(trx, toldBy)) >= MOST_TOLD_ON) return false
        if (!(await addDistrust(trx, row))) return false
        const data = { manifestSha256: manifest }
        await emit({
          kind: 'node',
          id: nodeId,
          action: 'neighbour-distrusted',
          actor: toldBy,
          data,
        })
        return true
      })
      if (isNew) bad.set(nodeId, row)
    }
  }

  return {
    /** For the answer to hello; undefined: off. */
    async rulesFor(nodeId: string): Promise<NeighbourRules | undefined> {
      // What it gave before its start it says anew.
      exchange.gives(nodeId, null)
      told.delete(nodeId)
      return (await this.newsFor(nodeId)) ?? undefined
    },

    /** What it was not told yet. null: off from now on; undefined: nothing. */
    async newsFor(nodeId: string): Promise<NeighbourRules | null | undefined> {
      const before = told.get(nodeId)
      if (!isOn()) {
        if (before === undefined || before === OFF) return undefined
        told.set(nodeId, OFF)
        return null
      }
      const current = await keys.get()
      const of = `${stored.revision} ${current.number}`
      if (before === of) return undefined
      told.set(nodeId, of)
      return rulesWith(current)
    },

    /** What it was told last may not have reached it. */
    untold(nodeId: string): void {
      told.set(nodeId, LOST)
    },

    /** Its report. */
    heard(
      speaker: Speaker,
      { neighbours, fetching }: Pick<ReportRequest, 'neighbours' | 'fetching'>,
    ) {
      const { id, keySha256 } = speaker
      const zone = zoneOf(speaker)
      // What it gives it says when it is told the rules: of another zone it is to say it anew.
      if (isOn() && zones.has(id) && zones.get(id) !== zone) told.delete(id)
      zones.set(id, zone)
      const address = neighbours?.address
      if (keySha256 === null || zone === null || address === null) exchange.gives(id, null)
      else if (neighbours && address !== undefined) {
        exchange.gives(id, { zone, keySha256, address, holds: [...new Set(neighbours.holds)] })
      } else exchange.spoke(id, { zone, keySha256 })
      if (fetching) this.fetching(id, fetching)
    },

    fetching(nodeId: string, { manifestSha256, bytesDone }: Fetching): void {
      exchange.fetching(nodeId, manifestSha256, bytesDone)
    },

    async ask(
      speaker: Speaker,
      { manifestSha256, state, failed = [] }: Omit<ReleasesNeighboursRequest, 'incarnation'>,
    ): Promise<ReleasesNeighboursResponse> {
      const { id, keySha256 } = speaker
      if (!isOn()) return FETCH_HERE
      if (state === 'held') {
        await distrust(exchange.holds(id, manifestSha256, failed), id, manifestSha256)
        return FETCH_HERE
      }
      const zone = zoneOf(speaker)
      if (zone === null || keySha256 === null) return FETCH_HERE
      const question = { nodeId: id, zone, manifestSha256, failed }
      const { answer, wrong } = exchange.ask(question, stored.settings)
      await distrust(wrong, id, manifestSha256)
      if (answer.kind !== 'ask')
        return { waitMs: answer.kind === 'wait' ? answer.waitMs : 0, neighbours: [] }
      const notAfterMs = now() + PASS_MS
      const { signing } = await keys.get()
      return {
        waitMs: 0,
        pass: passOf(signing, { manifestSha256, takerKeySha256: keySha256, notAfterMs }),
        neighbours: answer.givers.map(({ address, keySha256: key }) => ({
          address,
          keySha256: key,
        })),
      }
    },

    settings: () => ({ settings: stored.settings, etag: etagOf(stored.revision) }),

    /** Throws what requireIfMatch throws. Nodes hear of it with their next report. */
    async change(
      settings: NeighbourSettings,
      { ifMatch, actor }: { ifMatch: string | undefined; actor: string },
    ): Promise<void> {
      await write(async ({ trx, emit }) => {
        const { settings: before, revision } = await readSettings(trx)
        requireIfMatch(ifMatch, etagOf(revision))
        await storeSettings(trx, settings)
        // Turned on again it has others: whoever had one of these is out.
        if (settings.zoneLabel === null) await dropAllPassKeys(trx)
        const data = { before, after: settings }
        await emit({ kind: 'system', id: 'neighbours', action: 'neighbours-changed', actor, data })
      })
      stored = await readSettings(db)
      keys.forget()
      exchange = begin()
    },

    counts: (isWithin: (nodeId: string) => boolean) => exchange.counts(isWithin),
    giverOf: (nodeId: string) => exchange.giverOf(nodeId),
    distrusted: (): DistrustRow[] => [...bad.values()],
    distrustOf: (nodeId: string): DistrustRow | null => bad.get(nodeId) ?? null,

    /** Somebody has looked at it: it may be named again. */
    async trust(nodeId: string, actor: string): Promise<void> {
      await write(async ({ trx, emit }) => {
        if (!(await dropDistrust(trx, nodeId))) return
        await emit({ kind: 'node', id: nodeId, action: 'neighbour-trusted', actor })
      })
      bad.delete(nodeId)
    },

    /** The node is gone. */
    async forget(nodeId: string): Promise<void> {
      exchange.forget(nodeId)
      told.delete(nodeId)
      zones.delete(nodeId)
      if (!bad.delete(nodeId)) return
      await write(async ({ trx }) => {
        await dropDistrust(trx, nodeId)
      })
    },
  }
}
