// SPDX-License-Identifier: MIT
// Of a metrics.db that was new the rows of before: read from PostgreSQL while the service works, in a session of its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { nextTurn } from '../../base/slices.ts'
import type { MetricsDb } from '../metrics-db.ts'
import { connect } from './connection.ts'
import type { Journal } from './journal.ts'
import { readOlder } from './read.ts'

const TRY_AGAIN_MS = 1_000

type Filling = { db: MetricsDb; journal: Journal; url: string }

/** The newest first. */
export function startFilling({ db, journal, url }: Filling) {
  let unread = journal.unread()
  let isStopped = false

  async function fill(): Promise<void> {
    const connection = await connect(url)
    try {
      while (!isStopped && (await readOlder({ db, journal, connection }))) {
        unread = journal.unread()
        await nextTurn()
      }
      unread = journal.unread()
    } finally {
      await connection.end()
    }
  }
  async function fillAll(): Promise<void> {
    while (unread.length > 0 && !isStopped) {
      await fill().catch(() => sleep(TRY_AGAIN_MS))
    }
  }
  const filled = fillAll()

  return {
    /** The last step that was read may not be whole. */
    readUntil(resolutionSeconds: number): number {
      const steps = unread
        .filter(({ table }) => table.resolutionSeconds === resolutionSeconds)
        .map(({ step }) => step + resolutionSeconds)
      return Math.max(0, ...steps)
    },
    async stop() {
      isStopped = true
      await filled
    },
  }
}
