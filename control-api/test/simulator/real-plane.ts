// SPDX-License-Identifier: MIT
// The real control plane for a tape to be played to: SQLite, inbox, engine and the agents' listener, put together
// as app.ts does it, but nothing in it moves by itself, and its wall clock is in our hands.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { NoSuchRelease } from '../../src/agent-protocol/errors.ts'
import { createIdentify } from '../../src/agents/callers.ts'
import type { NodeCertificates } from '../../src/agents/certificates.ts'
import { createInbox } from '../../src/agents/inbox.ts'
import { buildAgentListener } from '../../src/agents/listener.ts'
import type { NodeReleases } from '../../src/agents/releases.ts'
import { createAssignments } from '../../src/assignments/assignments.ts'
import { createJoinedWrite } from '../../src/audit/joined-write.ts'
import { sha256 } from '../../src/base/ids.ts'
import { takeEpoch } from '../../src/control-plane/epoch.ts'
import type { Identity } from '../../src/control-plane/identity.ts'
import { beginRecovery, readRecovery } from '../../src/control-plane/recovery.ts'
import { copyControlDb } from '../../src/db/sqlite/copy.ts'
import { findVersion, lastReleaseOf, lastReleases } from '../../src/features/configs/store.ts'
import { digestOf } from '../../src/features/configs/text/digest.ts'
import { parseConfigText } from '../../src/features/configs/text/text.ts'
import { createReleases, releaseVersion, saveVersion } from '../../src/features/configs/versions.ts'
import { readGrouping } from '../../src/features/groups/store.ts'
import { createEngine } from '../../src/features/rollouts/engine/engine.ts'
import type { StartDeps } from '../../src/features/rollouts/start.ts'
import { createTaskMemory } from '../../src/features/rollouts/store/task-memory.ts'
import { ReleasesAhead } from '../../src/fleet/ahead.ts'
import { Challenges } from '../../src/fleet/challenges.ts'
import type { Connections } from '../../src/fleet/connections.ts'
import { Fleet } from '../../src/fleet/fleet.ts'
import { WatchOrders } from '../../src/fleet/path-watch.ts'
import { ProbeOrders } from '../../src/fleet/probe-orders.ts'
import { checkQuestions, logQuestions } from '../../src/fleet/questions.ts'
import { createRequestLooks } from '../../src/fleet/request-looks.ts'
import { RequestSearches } from '../../src/fleet/request-searches.ts'
import { RHYTHM } from '../../src/fleet/rhythm.ts'
import { SampleWatches } from '../../src/fleet/sample-watches.ts'
import { createEnrolment } from '../../src/node-identity/enrolment.ts'
import { openServices, type Services } from '../../src/process/services.ts'
import { hostOf } from './kinds.ts'

export const CONFIG = 'default'
/** As many as orders choose from. */
const VERSIONS = 5

export type Running = Awaited<ReturnType<typeof startPlane>>
export const textOf = (version: number) => `{"n": ${version}}`
export const credentialOf = (nodeId: string) => `${nodeId}-credential-of-the-simulation`

type DataPlace = Parameters<typeof openServices>[0]

export async function openData(place: DataPlace, now: () => number): Promise<Services> {
  const services = await openServices(place, now)
  const { write } = services
  const validate = async (text: string) => {
    const parsed = parseConfigText(text)
    if (!parsed.ok) throw new Error('the text must parse')
    return { ok: true as const, digest: digestOf(parsed.value), errors: [] as [] }
  }
  for (let number = 1; number <= VERSIONS; number++) {
    const version = { config: CONFIG, text: textOf(number), parent: number - 1 || null }
    const about = { author: 'ana', message: 'm', source: 'api' as const }
    await saveVersion({ write, validate, sitesIn: async () => [], now }, { ...version, ...about })
  }
  await services.nodeWrites.watch()
  return services
}

/** What its process finds out. */
type Found = {
  connected: Connections
  isStorageFull: () => boolean
  /** Left out: as large as the service's own, one after the other. */
  nodesAtOnce?: number
  /** What it would have heard of files that go first. Left out: nothing. */
  ahead?: Parameters<typeof createEngine>[0]['ahead']
}

/** Keys go over TLS alone. */
const NOBODYS: NodeCertificates = {
  mayHave: async () => false,
  open: async () => null,
  ticketKeys: async () => {
    throw new Error('over plain HTTP there are none')
  },
}

const NO_RELEASES: NodeReleases = {
  manifest: async (_, sha256) => Promise.reject(new NoSuchRelease(sha256)),
  delta: async (_, sha256) => Promise.reject(new NoSuchRelease(sha256)),
  contents: async (_, [sha256 = '']) => Promise.reject(new NoSuchRelease(sha256)),
  demandOwn: async (_, sha256) => Promise.reject(new NoSuchRelease(sha256)),
  send: async (reply) => reply,
  sentBytes: () => 0,
}
const NO_NEIGHBOURS = {
  ask: async () => ({ waitMs: 0, neighbours: [] }),
  heard: () => {},
  newsFor: async () => undefined,
  untold: () => {},
  rulesFor: async () => undefined,
}

/** A process of it: what it knows in memory is new. */
export async function startPlane(
  services: Services,
  now: () => number,
  { connected, isStorageFull, nodesAtOnce, ahead = new ReleasesAhead({ wake: () => {} }) }: Found,
) {
  const { db, nodeWrites, write, controlPlaneId } = services
  const identity: Identity = {
    controlPlaneId,
    epoch: await takeEpoch(write),
    recovery: await readRecovery(db),
  }
  const { has: isConnected } = connected
  const fleet = new Fleet({ now, monotonicMs: () => 0, onPresence: () => {} })
  const assignments = createAssignments({ identity, now, wake: () => {} })
  const releases = createReleases()
  const versionOf = async (reader: Parameters<typeof findVersion>[0], config: string, n: number) =>
    (await findVersion(reader, config, n))?.text ?? null
  const memory = createTaskMemory()
  const engine = createEngine({
    memory,
    ...(nodesAtOnce !== undefined && { cut: { nodesAtOnce } }),
    db,
    write,
    now,
    assignments,
    rendererOf: releases.rendererOf,
    errorsForAuthor: releases.errorsForAuthor,
    readGrouping,
    connected,
    ahead,
    isStorageFull,
    onUnrenderable: () => {},
    versionText: ({ trx }, config, n) => versionOf(trx, config, n),
    release: (unit, released) => releaseVersion(unit, released, now()),
    releasedVersion: async ({ trx }, name) => (await lastReleaseOf(trx, name))?.version ?? null,
  })
  const startDeps: StartDeps = {
    db,
    write,
    now,
    engine,
    checkFor: (text) => {
      const render = releases.rendererOf(text)
      return {
        textFor: () => text,
        async check(target) {
          const rendered = await render(db, target)
          if (!rendered) throw new Error('the text must stay readable')
          return { ...rendered, errors: [], unavailable: null, toAuthor: (error) => error }
        },
      }
    },
    findVersionText: (config, n) => versionOf(db, config, n),
    readGrouping,
    lastReleases: (name, most) => lastReleases(db, name, most),
    isConnected,
    throughputOf: async () => new Map(),
    changesOf: async () => null,
  }
  const inbox = createInbox({
    db,
    write: createJoinedWrite(write, { restsAtMostMs: 0 }),
    assignments,
    engine,
    releases,
    readGrouping,
    now,
    onUnrenderable: () => {},
    onCloneDetected: () => {},
  })
  const agents = await buildAgentListener({
    logLevel: 'silent',
    db,
    nodeWrites,
    identity,
    fleet,
    inbox,
    enrolment: createEnrolment({ db, write, controlPlaneId, now, authority: null, fleet }),
    identify: createIdentify({ db, nodeWrites, write, now, authority: null, fleet }),
    authority: null,
    logQuestions: logQuestions(() => {}),
    checkQuestions: checkQuestions(() => {}),
    probeOrders: new ProbeOrders(() => {}),
    watchOrders: new WatchOrders(() => {}),
    looks: createRequestLooks(new SampleWatches(() => {}), new RequestSearches(() => {})),
    challenges: new Challenges({ wakeAll: () => {} }),
    certificates: NOBODYS,
    releases: NO_RELEASES,
    neighbours: NO_NEIGHBOURS,
    metrics: { record: async () => 0, slowdown: () => 1 },
    now,
    reportEveryMs: RHYTHM.reportEveryMs,
  })
  const stop = async () => {
    fleet.close()
    await agents.close()
  }
  return { identity, engine, memory, assignments, inbox, agents, startDeps, stop }
}

export async function addNodeRow({ db }: Services, id: string, name: string): Promise<void> {
  const facts = { hostname: name, ...hostOf(name) }
  await db
    .insertInto('nodes')
    .values({
      id,
      name,
      labels: '{}',
      merge_patch: '{}',
      revision: 1,
      credential_digest: sha256(credentialOf(id)),
      enrolled_at_ms: 0,
      enrolled_with: null,
      ...facts,
      capabilities: '[]',
      max_epoch: 0,
      max_generation: 0,
    })
    .execute()
}

const FILE = 'control.db'

export const backUp = (dataDir: string, to: string): Promise<void> =>
  copyControlDb(join(dataDir, FILE), to)

/** As `admin restore` leaves it. */
export async function putBack(dataDir: string, from: string, now: () => number): Promise<Services> {
  for (const file of [FILE, `${FILE}-wal`, `${FILE}-shm`])
    rmSync(join(dataDir, file), { force: true })
  cpSync(from, join(dataDir, FILE))
  const services = await openServices({ dataDir }, now)
  const recovery = { restoredAtMs: now(), backupCreatedAtMs: now() }
  await services.write((unit) => beginRecovery(unit, recovery))
  return services
}
