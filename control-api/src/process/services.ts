// SPDX-License-Identifier: MIT
// control.db and what hangs on it: the same for the service and for the operator's commands.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEventLog } from '../audit/log.ts'
import { createWrite } from '../audit/write.ts'
import { requireWholeFolder } from '../backup/restore.ts'
import { controlApiDir } from '../base/places.ts'
import { loadControlPlaneId } from '../control-plane/epoch.ts'
import { requireNotMoved } from '../control-plane/moved.ts'
import { enterFolder } from '../db/lock.ts'
import { migrateToLatest, stepsOf } from '../db/migrate.ts'
import { openStore } from '../db/open.ts'
import type { Store, StorePlace } from '../db/store.ts'
import { unlinkIdentitiesOf } from '../features/oidc/store.ts'
import { revokeTokensOf } from '../features/tokens/store.ts'
import type { OtherWaysIn } from '../people/recovery.ts'
import { createUserStore } from '../people/user-store.ts'
import { createDiskSpace } from '../storage/disk-space.ts'

export type Services = Awaited<ReturnType<typeof openServices>>

const manifest: { version: string } = JSON.parse(
  readFileSync(join(controlApiDir, 'package.json'), 'utf8'),
)
export const version = manifest.version

/** databaseUrl: left out, it is in the folder. store: it is open already. */
type Place = { dataDir: string } & Partial<StorePlace> & { store?: Store | undefined }

export async function openServices(
  { dataDir, databaseUrl = null, store }: Place,
  now = Date.now,
  enter = enterFolder,
) {
  const leaveFolder = enter(dataDir)
  try {
    requireWholeFolder(dataDir)
    const services = await openStores({ dataDir, databaseUrl }, store, now)
    const close = async () => {
      await services.close()
      leaveFolder()
    }
    return { ...services, close }
  } catch (error) {
    leaveFolder()
    throw error
  }
}

const waysIn: OtherWaysIn = { revokeTokens: revokeTokensOf, unlinkIdentities: unlinkIdentitiesOf }

async function openStores(place: StorePlace, store: Store | undefined, now: () => number) {
  const { db, nodeWrites, rowsChanged, databaseBytes } = store ?? (await openStore(place))
  await migrateToLatest(db, stepsOf(place))
  if (place.databaseUrl === null) await requireNotMoved(db, place.dataDir)
  const events = await openEventLog(db)
  const disk = createDiskSpace(place.dataDir)
  const write = createWrite({
    ...{ db, now, rowsChanged },
    onEvents: events.wake,
    withRoom: disk.withRoom,
  })
  const controlPlaneId = await loadControlPlaneId(db)
  const users = createUserStore(db)
  const close = async () => {
    await events.close()
    await db.destroy()
  }
  return {
    db,
    databaseBytes,
    nodeWrites,
    now,
    events,
    write,
    disk,
    controlPlaneId,
    users,
    waysIn,
    close,
  }
}
