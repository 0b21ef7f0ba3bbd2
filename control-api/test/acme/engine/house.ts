// SPDX-License-Identifier: MIT
// The engine over a real database, with a clock of its own, a CA, and nodes that say what they answer as real ones do.
import { onTestFinished } from 'vitest'
import {
  type AuthorityRow,
  insertAuthority,
  newAccount,
} from '../../../src/acme/authority-store.ts'
import type { RollOut } from '../../../src/acme/engine/context.ts'
import { type AcmeEngine, createAcmeEngine } from '../../../src/acme/engine/engine.ts'
import { createHttpChallenges } from '../../../src/acme/http-challenges.ts'
import {
  findManaged,
  insertManaged,
  type ManagedRow,
  type NewManagedRow,
} from '../../../src/acme/managed-store.ts'
import { listOrders } from '../../../src/acme/order-store.ts'
import type { Write } from '../../../src/audit/write.ts'
import { openSecretBox } from '../../../src/base/secret-box.ts'
import { createKeeper } from '../../../src/certificates/keep.ts'
import { findCertificate, listVersions } from '../../../src/certificates/store.ts'
import { createGuard } from '../../../src/features/webhooks/targets.ts'
import { Challenges } from '../../../src/fleet/challenges.ts'
import { RHYTHM } from '../../../src/fleet/rhythm.ts'
import { openServices } from '../../../src/process/services.ts'
import { tempDir } from '../../helper.ts'
import { placeOf } from '../../postgres.ts'
import { type StubCa, startStubCa } from '../stub-ca.ts'

export const SECOND_MS = 1000
export const HOUR_MS = 3600 * SECOND_MS
export const DAY_MS = 24 * HOUR_MS

/** `eachMs`: passes whenever somebody asks, as on a machine that is busy with other things. */
export function createClock({ eachMs = 0 } = {}) {
  let offsetMs = 0
  return {
    now: () => {
      offsetMs += eachMs
      return Date.now() + offsetMs
    },
    advance: (ms: number) => {
      offsetMs += ms
    },
  }
}
export type House = Awaited<ReturnType<typeof openHouse>>

export async function openHouse(clock = createClock()) {
  const dataDir = tempDir()
  const services = await openServices(await placeOf(dataDir), clock.now)
  onTestFinished(() => services.close())
  const { db, write } = services
  const box = openSecretBox(dataDir)
  const faults: unknown[] = []
  const state = {
    /** Of the nodes: who serves every name, is there, and answers. */
    nodes: ['edge-1'],
    /** The tokens they were told last. */
    shown: [] as string[],
    isHeld: false,
    rollOut: (async () => []) as RollOut,
    /** null: as it comes. */
    random: 0.5 as number | null,
  }

  /** A start of the control plane: what was in memory is gone. `through`: what becomes of each change. */
  function start(through: (write: Write) => Write = (same) => same): AcmeEngine {
    const challenges: Challenges = new Challenges({
      wakeAll: () => {
        const tokens = challenges.newsFor(['none'])?.map(({ token }) => token) ?? []
        state.shown = tokens
        for (const nodeId of state.nodes) challenges.heard(nodeId, tokens)
      },
    })
    const written = through(write)
    const engine = createAcmeEngine({
      ...{ db, write: written, box, now: clock.now, userAgent: 'farmstead/test' },
      keeper: createKeeper({ db, write: written, now: clock.now, box }),
      guard: createGuard(['127.0.0.0/8']),
      http: createHttpChallenges({
        challenges,
        nodesServing: async () => new Set(state.nodes),
        connectedIds: () => state.nodes,
        isConnected: () => true,
        now: clock.now,
        soonestMs: RHYTHM.orderLookMs / 2,
      }),
      soonestMs: RHYTHM.orderLookMs,
      postDns: async () => ({ status: 500, error: 'none is told', retryAfterMs: null }),
      rollOut: (...asked) => state.rollOut(...asked),
      isHeld: () => state.isHeld,
      onError: (error) => faults.push(error),
      random: () => state.random ?? Math.random(),
    })
    onTestFinished(() => engine.stop())
    return engine
  }

  const addAuthority = async (
    name: string,
    { directoryUrl, trustedRoots }: Pick<StubCa, 'directoryUrl' | 'trustedRoots'>,
    columns: Partial<AuthorityRow> = {},
  ) =>
    await write((unit) =>
      insertAuthority(unit, {
        ...{ name, revision: 1, directory_url: directoryUrl, contact: '[]' },
        trusted_roots: trustedRoots,
        ...newAccount(box, name, null),
        ...{ created_at_ms: clock.now(), created_by: 'ana', ...columns },
      }),
    )
  const manage = async (name: string, columns: Partial<NewManagedRow> = {}) =>
    await write((unit) =>
      insertManaged(unit, {
        ...{ name, revision: 1, names: JSON.stringify([`${name}.example`]) },
        key_type: 'ecdsa-p256',
        authorities: JSON.stringify([{ name: 'ca', profile: null }]),
        challenge: 'http-01',
        ...{ roll_out: 0, asked_by: 'ana', random: 0.5 },
        next_action_at_ms: clock.now(),
        ...{ created_at_ms: clock.now(), created_by: 'ana', ...columns },
      }),
    )

  /** As if time went by, second by second, until it holds. */
  const goOnUntil = async (
    engine: AcmeEngine,
    holds: () => Promise<boolean>,
    stepMs = SECOND_MS,
  ) => {
    for (let step = 0; step < 500; step++) {
      await engine.look()
      if (await holds()) return
      clock.advance(stepMs)
    }
    throw new Error('it did not come to that')
  }
  const versions = async (name: string) =>
    await listVersions(db, name, { before: null, limit: 100 })
  return {
    ...{ db, write, box, services, clock, state, faults, start, addAuthority, manage, goOnUntil },
    versions,
    managed: async (name: string): Promise<ManagedRow> => {
      const row = await findManaged(db, name)
      if (!row) throw new Error(`${name} is not managed`)
      return row
    },
    latest: async (name: string) => await findCertificate(db, name),
    orders: async (name: string) => await listOrders(db, name, { before: null, limit: 100 }),
    events: async (name: string) =>
      (await services.events.after(0, 1000))
        .filter(({ event }) => event.kind === 'certificate' && event.id === name)
        .map(({ event }) => event.action),
  }
}

/** With a CA that everything is ordered from. */
export async function houseWithCa(clock = createClock()) {
  const [house, ca] = [await openHouse(clock), await startStubCa(clock.now)]
  await house.addAuthority('ca', ca)
  const has = (name: string, count: number) => async () =>
    (await house.versions(name)).length === count
  return { house, ca, clock, has }
}
