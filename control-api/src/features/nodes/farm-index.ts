// SPDX-License-Identifier: MIT
// What lists and counts of nodes are chosen and sorted by, of every node in memory: a state hangs on rows of three
// tables and on who is connected now, so no index of SQLite can hold it. Written once at the first question, then
// only what changed since is read again; so an answer is never older than what was committed before it was asked.

import type { Kysely } from 'kysely'
import type { Labels, Scope } from '../../access/scope.ts'
import type { SyncState } from '../../api-shapes/node-facts.ts'
import type { Assignment } from '../../assignments/store.ts'
import { inSlices, nextTurn } from '../../base/slices.ts'
import type { Identity } from '../../control-plane/identity.ts'
import type { Database } from '../../db/database.ts'
import type { NodeWrites } from '../../db/node-writes.ts'
import type { ReadGrouping } from '../../fleet/config-ports.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Grouping } from '../../labels/grouping.ts'
import { matches } from '../../labels/selector.ts'
import { newestCertificates } from '../../node-identity/store/certificates.ts'
import type { NodeRow } from '../../node-identity/store/nodes.ts'
import { identityNow, identityOf, type KnownIdentity } from './identity-state.ts'
import { KeptNodes } from './kept-nodes.ts'
import { type IdentityState, silentState } from './rules.ts'
import { type NodeStanding, readStandings, syncOfStanding } from './standings.ts'
import { nodesByName, nodesOf } from './store.ts'

type Deps = {
  db: Kysely<Database>
  nodeWrites: NodeWrites
  now: () => number
  identity: Pick<Identity, 'epoch'>
  isTls: boolean
  fleet: Pick<Fleet, 'presence'>
  readGrouping: ReadGrouping
}

/** As the database has it. */
export type KeptNode = {
  id: string
  name: string
  labels: Labels
  group: string
  /** Name, host and labels, in small letters: what is looked for. */
  text: string
  running: { config: string; version: number; generation: number } | null
  /** Of the text it runs, or was told last when nobody knows that; undefined: there is none. */
  textId: string | undefined
  hostname: string
  /** From which it speaks to us. */
  address: string | null
  stateIfHeard: SyncState
  lastSeenAtMs: number | null
  identity: KnownIdentity
  isCordoned: boolean
  forgetsByToken: boolean
  overridesSites: boolean
  /** Its token or its group says that it is forgotten when it is away: machines that come and go by themselves. */
  comesAndGoes: boolean
  /** Its override, or its group's, puts sites in place of the config's. */
  hasOwnSites: boolean
  /** It does not run what it was told last. */
  isBehind: boolean
  /** It refused that, or went back from it. */
  isRefusing: boolean
}
/** As it is now. */
export type IndexedNode = {
  node: Readonly<KeptNode>
  state: SyncState
  connected: boolean
  lastSeenAtMs: number | null
  identity: IdentityState
}

export type FarmIndex = {
  /** By name, of the nodes within the scope. */
  nodes(scope: Scope): Promise<IndexedNode[]>
  /** All, as the database has them. */
  kept(): Promise<readonly Readonly<KeptNode>[]>
}

const SITES = 'sites'
const NO_PATCH = '{}'
/** Rows that are read, and nodes that are grouped, between two turns of the loop. */
const AT_ONCE = 200

export async function openFarmIndex(deps: Deps): Promise<FarmIndex> {
  const { db, now, fleet, readGrouping } = deps
  await deps.nodeWrites.watch()
  const takeChanged = deps.nodeWrites.taker()
  const kept = new KeptNodes<KeptNode>()
  let groupedBy = ''
  /** Not while something that was noted is not read yet. */
  let isWhole = false
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  const keep = async (rows: readonly NodeRow[]) => {
    const grouping = await readGrouping(db)
    for (const node of await readKept(deps, rows)) kept.set(grouped(node, grouping))
  }

  const readAll = async () => {
    kept.clear()
    for (let after: string | undefined; ; await nextTurn()) {
      const rows = await nodesByName(db, { after, limit: AT_ONCE })
      await keep(rows)
      after = rows.at(-1)?.name
      if (rows.length < AT_ONCE) return
    }
  }

  const readAgain = async (changed: readonly string[]) => {
    for (const ids of inSlices(changed, AT_ONCE)) {
      for (const id of ids) kept.delete(id)
      await keep(await nodesOf(db, ids))
      if (changed.length > AT_ONCE) await nextTurn()
    }
  }

  /** Groups change seldom, and then any node may be in another. */
  const groupAgain = async () => {
    const grouping = await readGrouping(db)
    if (grouping.fingerprint === groupedBy) return
    for (const nodes of inSlices(kept.inOrder, AT_ONCE)) {
      for (const node of nodes) Object.assign(node, groupOf(node, grouping))
      await nextTurn()
    }
    groupedBy = grouping.fingerprint
  }

  const catchUp = async () => {
    for (let isDone = false; !isDone; ) {
      const changed = takeChanged()
      const isAll = changed.all || !isWhole
      isDone = !isAll
      isWhole = false
      if (isAll) await readAll()
      else await readAgain(changed.ids)
      isWhole = true
    }
    await groupAgain()
  }

  /** What is under way may have looked before the last commit: who asks meanwhile gets the one after it. */
  const upToDate = (): Promise<void> => {
    if (!running) {
      running = catchUp().finally(() => {
        running = null
      })
      return running
    }
    next ??= running
      .catch(() => {}) // its own askers are told
      .then(() => {
        next = null
        return upToDate()
      })
    return next
  }

  const asNow = (node: KeptNode, nowMs: number): IndexedNode => {
    const presence = fleet.presence(node.id)
    const { connected } = presence
    const lastSeenAtMs = presence.lastSeenAtMs ?? node.lastSeenAtMs
    return {
      ...{ node, connected, lastSeenAtMs },
      state: silentState({ connected, lastSeenAtMs }) ?? node.stateIfHeard,
      identity: identityNow(node.identity, nowMs),
    }
  }

  return {
    async nodes(scope) {
      await upToDate()
      const nowMs = now()
      const all = kept.inOrder
      const within = scope ? all.filter(({ labels }) => matches(scope, labels)) : all
      return within.map((node) => asNow(node, nowMs))
    },
    async kept() {
      await upToDate()
      return kept.inOrder
    },
  }
}

type Ungrouped = Omit<KeptNode, 'group' | 'comesAndGoes' | 'hasOwnSites'>

function groupOf({ labels, forgetsByToken, overridesSites }: Grouped, grouping: Grouping) {
  const { name, forgetAfterHours, mergePatch } = grouping.of(labels)
  return {
    group: name,
    comesAndGoes: forgetsByToken || forgetAfterHours !== null,
    hasOwnSites: overridesSites || SITES in mergePatch,
  }
}
type Grouped = Pick<Ungrouped, 'labels' | 'forgetsByToken' | 'overridesSites'>
const grouped = (node: Ungrouped, grouping: Grouping): KeptNode => ({
  ...node,
  ...groupOf(node, grouping),
})

async function readKept(
  { db, identity, isTls }: Deps,
  rows: readonly NodeRow[],
): Promise<Ungrouped[]> {
  const ids = rows.map(({ id }) => id)
  const certificates = await newestCertificates(db, ids)
  const standings = await readStandings(db, rows)
  return standings.map((standing) => {
    const { row, running, desired } = standing
    const labels: Labels = JSON.parse(row.labels)
    return {
      ...{ id: row.id, name: row.name, labels, text: searchText(row, labels) },
      running: running ? runningOf(standing, running) : null,
      textId: (running ?? desired)?.text_id,
      ...{ hostname: row.hostname, address: row.address },
      stateIfHeard: syncOfStanding(standing, {
        ...{ presence: HEARD, epoch: identity.epoch, identity: 'good' },
      }).state,
      lastSeenAtMs: row.last_seen_at_ms,
      identity: identityOf(row, { certificate: certificates.get(row.id), isTls }),
      isCordoned: row.cordon !== null,
      forgetsByToken: row.forget_after_hours !== null,
      overridesSites: row.merge_patch !== NO_PATCH && SITES in JSON.parse(row.merge_patch),
      ...comparisons(standing),
    }
  })
}

const runningOf = ({ effective }: NodeStanding, { config, version, generation }: Assignment) => ({
  ...{ config, version },
  generation: effective?.generation ?? generation,
})

/** Only that it is heard decides its state. */
const HEARD = {
  ...{ connected: true, lastSeenAtMs: 0, gauges: {} },
  ...{ host: null, refused: null },
}

const searchText = ({ name, hostname }: NodeRow, labels: Labels) =>
  [name, hostname, ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)]
    .join(' ')
    .toLowerCase()

const REFUSED = new Set(['nacked', 'reverted', 'stuck'])

function comparisons({ effective, desired }: NodeStanding) {
  const isBehind = desired !== undefined && effective?.digest !== desired.digest
  return { isBehind, isRefusing: isBehind && REFUSED.has(desired.state) }
}
