// SPDX-License-Identifier: MIT
// One verification at a time, whoever asks; its last outcome is remembered. Once a day it runs by itself,
// and the head goes to the log: a chain that was cut or made anew is found only by a head noted elsewhere.
import type { Kysely } from 'kysely'
import { chainEnd } from '../../audit/chain.ts'
import type { Database } from '../../db/database.ts'
import type { AuditVerification } from './schema.ts'
import { beginChain, type Verdict, verifyChain } from './verify.ts'

export type Log = {
  info(facts: object, text: string): void
  error(facts: object, text: string): void
}
type Deps = { db: Kysely<Database>; controlPlaneId: string; now: () => number; log: Log }
export type AuditVerifier = {
  start(): void
  state(): AuditVerification
  close(): Promise<void>
}

const DAY_MS = 24 * 3600_000

export async function createVerifier({
  db,
  controlPlaneId,
  now,
  log,
}: Deps): Promise<AuditVerifier> {
  let verdict: Verdict = beginChain(controlPlaneId)
  let checkedAtMs: number | null = null
  let running: Promise<void> | null = null
  let closed = false

  const run = async () => {
    verdict = await verifyChain(db, {
      controlPlaneId,
      onProgress: (soFar) => {
        verdict = soFar
      },
      isStopped: () => closed,
    })
    checkedAtMs = now()
    const { broken } = verdict
    if (broken) log.error({ row: broken.at, reason: broken.reason }, 'the audit is broken')
  }
  const start = () => {
    if (closed) return
    running ??= run()
      .catch((error: unknown) => log.error({ err: error }, 'the audit could not be verified'))
      .finally(() => {
        running = null
      })
  }
  const noteHead = async () => {
    const { id, hash } = await chainEnd(db)
    log.info({ row: id, head: hash }, 'the head of the audit')
  }
  const daily = setInterval(() => {
    noteHead().catch((error: unknown) => log.error({ err: error }, 'the audit could not be read'))
    start()
  }, DAY_MS)
  daily.unref()
  await noteHead()

  return {
    start,
    state: () => ({
      state: running ? 'running' : checkedAtMs === null ? 'never' : stateOf(verdict),
      rows: verdict.rows,
      headId: verdict.headId,
      head: verdict.head,
      brokenAt: verdict.broken?.at ?? null,
      reason: verdict.broken?.reason ?? null,
      checkedAt: checkedAtMs === null ? null : new Date(checkedAtMs).toISOString(),
    }),
    async close() {
      closed = true
      clearInterval(daily)
      await running
    },
  }
}

const stateOf = ({ broken }: Verdict) => (broken ? 'broken' : 'whole')
