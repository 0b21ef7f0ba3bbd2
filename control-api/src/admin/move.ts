// SPDX-License-Identifier: MIT
// Moves a control plane from SQLite into PostgreSQL, with all it ever knew; or says where it went.
import type { Command } from 'commander'
import { defineError } from '../api-shapes/errors.ts'
import { openSecretBox } from '../base/secret-box.ts'
import { arrive, requireHighestEpoch, requireNotMoved } from '../control-plane/moved.ts'
import { readOwn, removeOwn, writeOwn } from '../control-plane/store.ts'
import { claimFolder } from '../db/lock.ts'
import { migrateToLatest, stepsOf } from '../db/migrate.ts'
import { type Copied, copyAll } from '../db/move/copy.ts'
import { MOVED } from '../db/move/keys.ts'
import { openStore } from '../db/open.ts'
import type { Store, StorePlace } from '../db/store.ts'
import { readStoreConfig } from '../environment/config.ts'
import { verifyChain } from '../features/audit/verify.ts'

type Io = { print: (value: unknown) => void; say: (line: string) => void }
type Options = { dryRun?: boolean; undo?: boolean; json?: boolean }

export const NoTarget = defineError(
  400,
  'no_target',
  'Nobody said where to',
  () =>
    'Set DATABASE_URL to the database of PostgreSQL that is to hold the control plane, and FARMSTEAD_DATA_DIR to the folder that holds it now.',
)
export const NothingToMove = defineError(
  404,
  'nothing_to_move',
  'There is no control plane in the folder',
  (dataDir: string) =>
    `${dataDir} holds none: FARMSTEAD_DATA_DIR must name the folder of the one to move.`,
)
const ChainBroken = defineError(
  409,
  'chain_broken',
  'The audit is not whole',
  (reason: string) => `${reason} "admin verify-audit" tells more. Nothing was moved.`,
)
/** All was done that a real move does; then it is undone. */
class OnlyTried extends Error {}

export function addMoveCommand(program: Command, { print, say }: Io): void {
  program
    .command('migrate-to-postgres')
    .description(
      'move this control plane from SQLite into the empty database that DATABASE_URL names',
    )
    .option('--dry-run', 'do all of it, and undo it at the end')
    .option(
      '--undo',
      'let the control plane in the folder start again, as long as no node obeyed the other',
    )
    .option('--json', 'print JSON')
    .action(async ({ dryRun = false, undo = false, json }: Options) => {
      const { dataDir, databaseUrl, secretsKeyFile } = readStoreConfig()
      if (undo) {
        const was = await letStartAgain(dataDir)
        if (json) print({ undone: was !== null })
        else
          say(
            was === null
              ? 'Nothing to undo: it was not moved.'
              : 'It may start again without DATABASE_URL. Where nodes obeyed the other one, "admin raise-epoch --yes" once they have been heard.',
          )
        return
      }
      if (databaseUrl === null) throw new NoTarget()
      const how = { dryRun, makesKey: secretsKeyFile === null, say: json ? () => {} : say }
      const copied = await move(dataDir, databaseUrl, how)
      const rows = copied.reduce((sum, one) => sum + one.rows, 0)
      if (json) print({ dryRun, rows, tables: copied })
      else
        say(
          dryRun
            ? `${rows} rows can be moved. Nothing was kept.`
            : `${rows} rows are moved, and were read back and compared. Start the service with DATABASE_URL from now on; what is in ${dataDir} stays, and will not start without it.`,
        )
    })
}

type How = {
  dryRun: boolean
  /** Nobody named a file that holds secrets.key. */
  makesKey: boolean
  say: (line: string) => void
}

async function move(
  dataDir: string,
  databaseUrl: string,
  { dryRun, makesKey, say }: How,
): Promise<Copied[]> {
  const leave = claimFolder(dataDir)
  const from = await openStore({ dataDir, databaseUrl: null })
  try {
    await migrateToLatest(from.db)
    const id = await readOwn(from.db, 'controlPlaneId')
    if (id === null) throw new NothingToMove(dataDir)
    await requireNotMoved(from.db, dataDir)
    await requireHighestEpoch(from.db)
    const chain = await verifyChain(from.db, { controlPlaneId: id })
    if (chain.broken) throw new ChainBroken(chain.broken.reason)
    const to = await openTarget({ dataDir, databaseUrl })
    try {
      // Marked before the other is there: whatever ends in between, there are never two that start.
      const beforeCommit = async () => {
        // As its next start here would: in PostgreSQL who has none is taken for a replica that was not given it.
        if (makesKey) openSecretBox(dataDir)
        await markMoved(from, databaseUrl)
      }
      return await fill(from, to, {
        beforeCommit: dryRun ? null : beforeCommit,
        say,
      }).catch(async (error: unknown) => {
        if (!dryRun) await unmarkIfAlone(from, { dataDir, databaseUrl })
        throw error
      })
    } finally {
      await to.db.destroy()
    }
  } finally {
    await from.db.destroy()
    leave()
  }
}

async function openTarget(place: StorePlace): Promise<Store> {
  const { requireFit, requireUnused } = await import('../db/postgres/target.ts')
  const to = await openStore(place)
  try {
    await requireFit(to.db)
    await requireUnused(to.db)
    await migrateToLatest(to.db, stepsOf(place))
    return to
  } catch (error) {
    await to.db.destroy()
    throw error
  }
}

type Filling = { beforeCommit: (() => Promise<void>) | null; say: (line: string) => void }

async function fill(from: Store, to: Store, { beforeCommit, say }: Filling): Promise<Copied[]> {
  const { continueNumbers, requireUnused, withoutRules } = await import('../db/postgres/target.ts')
  let copied: Copied[] = []
  try {
    await to.db.transaction().execute(async (trx) => {
      // Who came first meanwhile has ended: transactions wait for each other.
      await requireUnused(trx)
      copied = await withoutRules(trx, MOVED, () =>
        copyAll(from.db, trx, ({ table, rows, replaced }) => {
          if (rows > 0) say(`${table}: ${rows}`)
          for (const [column, count] of Object.entries(replaced)) {
            say(`${table}: in ${count} rows U+FFFD stands for a NUL in ${column} now`)
          }
        }),
      )
      await continueNumbers(trx)
      await arrive(trx)
      if (beforeCommit === null) throw new OnlyTried()
      await beforeCommit()
    })
  } catch (error) {
    if (!(error instanceof OnlyTried)) throw error
  }
  return copied
}

/** Who lost the connection while it committed looks whether it did. */
async function unmarkIfAlone(from: Store, place: StorePlace): Promise<void> {
  const { requireUnused } = await import('../db/postgres/target.ts')
  const to = await openStore(place).catch(() => null)
  if (to === null) return
  try {
    await to.db.transaction().execute((trx) => requireUnused(trx))
    await from.db.transaction().execute((trx) => removeOwn(trx, 'movedTo'))
  } catch {
    // It is there, or nobody knows: the mark says where, and how to go on here.
  } finally {
    await to.db.destroy()
  }
}

/** Without user and password, whatever is in those. */
export const withoutSecrets = (databaseUrl: string) =>
  databaseUrl.replace(/^(\w+:\/\/)[^/?#]*@/, '$1').replace(/[?#].*$/s, '')

function markMoved({ db }: Store, databaseUrl: string): Promise<void> {
  const text = JSON.stringify({ to: withoutSecrets(databaseUrl), at: new Date().toISOString() })
  return db.transaction().execute((trx) => writeOwn(trx, 'movedTo', text))
}

async function letStartAgain(dataDir: string): Promise<string | null> {
  const leave = claimFolder(dataDir)
  const { db } = await openStore({ dataDir, databaseUrl: null })
  try {
    const was = await readOwn(db, 'movedTo')
    await db.transaction().execute((trx) => removeOwn(trx, 'movedTo'))
    return was
  } finally {
    await db.destroy()
    leave()
  }
}
