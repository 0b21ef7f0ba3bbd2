// SPDX-License-Identifier: MIT
// Keeps PostgreSQL's record of metrics.db: what a report brought is there before it is acknowledged, all else within a second.
// A transaction at a time, and what comes meanwhile shares the next. While PostgreSQL does not answer nothing is taken, so
// what is not sent stays little.
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricsDb } from '../metrics-db.ts'
import { openToRead } from '../open.ts'
import { MOST_SLOW_OF_FARM } from '../slow-requests.ts'
import { type Connection, connect } from './connection.ts'
import { type Copy, openCopy, type WritersPlace } from './copy.ts'
import { startFilling } from './filling.ts'
import { takeSnapshot } from './journal.ts'
import { createPartitions, type Partitions } from './partitions.ts'
import { type Reading, readOlder } from './read.ts'
import { claim, Deposed, goOn, makeTables, readRecord, writtenBy } from './record.ts'
import { sendChanges } from './send.ts'
import { KEPT_TABLES, remoteName, SLOW_TABLE } from './tables.ts'

const ROUND_EVERY_MS = 1_000
const TRY_AGAIN_MS = 1_000
/** A node is not kept waiting longer; it sends again what was not acknowledged. */
const KEEP_WITHIN_MS = 10_000
/** Of what a file never had so long is read before anything is taken: of a small farm that is all. */
const READ_FIRST_MS = 2_000
const FORGET_BOOT_MS = 24 * 3600_000

export class NotKept extends Error {}

export type Mirror = {
  /** Why nothing can be taken; null: it can. */
  trouble(): string | null
  /** Everything from this step of so many seconds on is here: what is older is still being read. */
  readUntil(resolutionSeconds: number): number
  /** Resolves when what was written up to now is in PostgreSQL; rejects when that takes too long. */
  kept(): Promise<void>
  /** Makes and drops parts of tables, soon. */
  keepUp(nowMs: number): void
  /** While nothing else has the file open. */
  alone<T>(work: () => T): Promise<T>
  close(): Promise<void>
}
export type Mirrored = { db: MetricsDb; mirror: Mirror }
/** null: it is over. */
export type TellTrouble = (trouble: string | null) => void

type Waiting = { resolve: () => void; reject: (error: Error) => void }

export const messageOf = (error: unknown): string =>
  `PostgreSQL takes no measurements: ${error instanceof Error ? error.message : String(error)}`

/** Throws when PostgreSQL can't be reached, and what record.ts does. */
export async function openMirrored(
  path: string,
  place: WritersPlace,
  tell: TellTrouble,
): Promise<Mirrored> {
  const connection = await connect(place.url)
  try {
    await makeTables(connection, place.controlPlaneId)
    await readRecord(connection, place.controlPlaneId)
    const token = crypto.randomUUID()
    await claim(connection, token, place.epoch)
    const copy = await openCopy(path, connection, { ...place, isWriter: true })
    await readNewest({ ...copy, connection })
    return { db: copy.db, mirror: startMirror({ path, place, token, copy, connection, tell }) }
  } catch (error) {
    await connection.end()
    throw error
  }
}

/** Nodes measure meanwhile, and send it afterwards. */
async function readNewest(reading: Reading): Promise<void> {
  const untilMs = performance.now() + READ_FIRST_MS
  while (performance.now() < untilMs && (await readOlder(reading)));
}

type Started = {
  path: string
  place: WritersPlace
  token: string
  copy: Copy
  connection: Connection
  tell: TellTrouble
}

function startMirror({ path, place, token, copy, connection: first, tell }: Started): Mirror {
  const { db, journal } = copy
  journal.note()
  let { v } = copy
  let session: { connection: Connection; partitions: Partitions } | null = null
  let handedOver: Connection | null = first
  let trouble: string | null = null
  let failures = 0
  let isOver = false
  let lastTurn = 0
  let keepUpAtMs: number | null = null
  let waiting: Waiting[] = []
  let wake = () => {}
  let round: Promise<void> | null = null
  const filling = startFilling({ db, journal, url: place.url })

  function setTrouble(next: string | null): void {
    if (next === trouble) return
    trouble = next
    tell(next)
  }

  /** Of a transaction whose end was not heard it is asked whether it was done. */
  async function begin() {
    const connection = handedOver ?? (await connect(place.url))
    handedOver = null
    try {
      const written = await writtenBy(connection, token)
      if (written === null) {
        isOver = true
        throw new Deposed()
      }
      if (written === v + 1) {
        v = written
        journal.sent(lastTurn, { token, v })
      }
      return { connection, partitions: await createPartitions(connection) }
    } catch (error) {
      await connection.end()
      throw error
    }
  }

  async function sendOnce(): Promise<void> {
    session ??= await begin()
    if (!journal.hasUnsent() && !journal.hasToSend()) return
    const { connection, partitions } = session
    lastTurn = journal.nextTurn()
    const snapshot = takeSnapshot(openToRead(path))
    try {
      const sentOld = await connection.transaction(async () => {
        if (!(await goOn(connection, token, v))) throw new NotKept('the record went on without us')
        return await sendChanges(connection, partitions, { snapshot, v: v + 1 })
      })
      v += 1
      journal.sent(lastTurn, { token, v })
      for (const { table, before } of sentOld) {
        journal.setToSend(KEPT_TABLES.indexOf(table), before)
      }
    } finally {
      snapshot.close()
    }
  }

  async function tidy(nowMs: number): Promise<void> {
    if (!session) return
    const { connection, partitions } = session
    await partitions.keepUp(nowMs)
    await connection.rows(
      `delete from metrics_taken t where taken_at_ms < $1::bigint and exists (
         select 1 from metrics_taken newer where newer.node = t.node and newer.taken_at_ms > t.taken_at_ms)`,
      [nowMs - FORGET_BOOT_MS],
    )
    await connection.rows(
      `delete from ${remoteName(SLOW_TABLE)} where key <= (select max(key) from ${remoteName(SLOW_TABLE)}) - $1::bigint`,
      [MOST_SLOW_OF_FARM],
    )
  }

  async function goRound(): Promise<void> {
    const covered = waiting.splice(0)
    try {
      await sendOnce()
      failures = 0
      setTrouble(null)
      for (const { resolve } of covered) resolve()
    } catch (error) {
      waiting = [...covered, ...waiting]
      failures++
      // A session ends now and then, and the next one goes on.
      if (failures > 1 || isOver) setTrouble(messageOf(error))
      if (isOver) giveUp()
      await session?.connection.end()
      session = null
      return
    }
    if (keepUpAtMs === null || !session) return
    const nowMs = keepUpAtMs
    keepUpAtMs = null
    // What was not done now is done next time: rows make the parts that they need.
    await tidy(nowMs).catch(() => {})
    if (session.connection.isEnded()) session = null
  }

  function giveUp(): void {
    for (const { reject } of waiting.splice(0)) {
      reject(new NotKept(trouble ?? 'the service is stopping'))
    }
  }

  let isClosing = false
  let pause: Promise<void> | null = null
  async function goOnRounds(): Promise<void> {
    while (!isClosing && !isOver) {
      while (pause) await pause
      round = goRound()
      await round
      round = null
      if (isClosing) return
      if (failures > 1) await sleep(TRY_AGAIN_MS)
      else if (failures === 0 && waiting.length === 0 && !journal.hasToSend()) await soon()
    }
  }
  function soon(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ROUND_EVERY_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
  const rounds = goOnRounds()

  return {
    trouble: () => trouble,
    readUntil: filling.readUntil,

    kept() {
      if (!round && !journal.hasUnsent()) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting = waiting.filter((one) => one !== mine)
          reject(new NotKept(trouble ?? 'PostgreSQL has not taken it in time'))
        }, KEEP_WITHIN_MS)
        const mine: Waiting = {
          resolve() {
            clearTimeout(timer)
            resolve()
          },
          reject(error) {
            clearTimeout(timer)
            reject(error)
          },
        }
        waiting.push(mine)
        wake()
      })
    },

    keepUp(nowMs) {
      keepUpAtMs = nowMs
    },

    async alone(work) {
      const { promise, resolve } = Promise.withResolvers<void>()
      pause = promise
      try {
        // What there was no room for is not read again by this process.
        await filling.stop()
        await round
        return work()
      } finally {
        pause = null
        resolve()
      }
    },

    async close() {
      isClosing = true
      wake()
      await filling.stop()
      await rounds
      // What nobody waited for.
      if (failures === 0) await goRound()
      giveUp()
      await session?.connection.end()
    },
  }
}
