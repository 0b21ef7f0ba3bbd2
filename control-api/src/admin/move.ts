// SPDX-License-Identifier: MIT
// Moves a control plane from SQLite into PostgreSQL, with all it ever knew; or says where it went.
import type { Command } from 'commander'
import { defineError } from '../api-shapes/errors.ts'
import { requireNotMoved } from '../control-plane/moved.ts'
import { readOwn, removeOwn, writeOwn } from '../control-plane/store.ts'
import { claimFolder } from '../db/lock.ts'
import { migrateToLatest, stepsOf } from '../db/migrate.ts'
import { type Copied, copyAll } from '../db/move/copy.ts'
import { openStore } from '../db/open.ts'
import type { Store } from '../db/store.ts'
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
export const TargetInUse = defineError(
  409,
  'target_in_use',
  'The database holds a control plane',
  (id: string) =>
    `The database has the control plane ${id} in it. Name an empty one in DATABASE_URL; nothing was changed.`,
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
      const { dataDir, databaseUrl } = readStoreConfig()
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
      const copied = await move(dataDir, databaseUrl, { dryRun, say: json ? () => {} : say })
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

type How = { dryRun: boolean; say: (line: string) => void }

async function move(dataDir: string, databaseUrl: string, { dryRun, say }: How): Promise<Copied[]> {
  const leave = claimFolder(dataDir)
  const from = await openStore({ dataDir, databaseUrl: null })
  try {
    await migrateToLatest(from.db)
    const id = await readOwn(from.db, 'controlPlaneId')
    if (id === null) throw new NothingToMove(dataDir)
    await requireNotMoved(from.db, dataDir)
    const chain = await verifyChain(from.db, { controlPlaneId: id })
    if (chain.broken) throw new ChainBroken(chain.broken.reason)
    const to = await openTarget({ dataDir, databaseUrl }, id)
    // It ended between the last two steps.
    if (to === null) {
      await markMoved(from, databaseUrl)
      return []
    }
    try {
      const copied = await fill(from, to, { dryRun, say })
      if (!dryRun) await markMoved(from, databaseUrl)
      return copied
    } finally {
      await to.db.destroy()
    }
  } finally {
    await from.db.destroy()
    leave()
  }
}

/** null: it has been moved there. */
async function openTarget(
  place: { dataDir: string; databaseUrl: string },
  ownId: string,
): Promise<Store | null> {
  const { requireFit } = await import('../db/postgres/target.ts')
  const to = await openStore(place)
  try {
    await requireFit(to.db)
    await migrateToLatest(to.db, stepsOf(place))
    const id = await readOwn(to.db, 'controlPlaneId')
    if (id === ownId) {
      await to.db.destroy()
      return null
    }
    if (id !== null) throw new TargetInUse(id)
    // Its triggers note what is written of nodes where nobody else sees it.
    await to.nodeWrites.watch()
    return to
  } catch (error) {
    await to.db.destroy()
    throw error
  }
}

async function fill(from: Store, to: Store, { dryRun, say }: How): Promise<Copied[]> {
  const { continueNumbers } = await import('../db/postgres/target.ts')
  let copied: Copied[] = []
  try {
    await to.db.transaction().execute(async (trx) => {
      copied = await copyAll(from.db, trx, ({ table, rows }) => {
        if (rows > 0) say(`${table}: ${rows}`)
      })
      await continueNumbers(trx)
      // Above any that the one in the folder began, should somebody start it once more.
      await writeOwn(trx, 'epoch', `${Number(await readOwn(trx, 'epoch')) + 1}`)
      if (dryRun) throw new OnlyTried()
    })
  } catch (error) {
    if (!(error instanceof OnlyTried)) throw error
  }
  return copied
}

/** Without user and password. */
function markMoved({ db }: Store, databaseUrl: string): Promise<void> {
  const where = databaseUrl.replace(/^(\w+:\/\/)[^@/]*@/, '$1').replace(/\?.*$/, '')
  const text = JSON.stringify({ to: where, at: new Date().toISOString() })
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
