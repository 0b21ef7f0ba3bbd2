// SPDX-License-Identifier: MIT
// What is done about a full disk, in this order: the reserve is let go, measurements give way, the write is
// tried again. When that was not enough, the disk counts as full until the reserve can be held again:
// rollouts pause, people's changes and measurements are refused, and what nodes say goes into the reserve's room.
import { createReserve, RESERVE_BYTES } from './reserve.ts'

export type DiskSpace = ReturnType<typeof createDiskSpace>
type Helpers = {
  /** By how many bytes measurements could. */
  giveWay: (wantedBytes: number) => Promise<number>
  /** Asked until it succeeds. */
  onFull: () => Promise<void>
  onRoom: () => Promise<void>
  onError: (error: unknown) => void
}

const LOOK_EVERY_MS = 1_000

const codeOf = (error: unknown) => error instanceof Error && 'code' in error && error.code
const isFolderFull = (error: unknown): boolean =>
  codeOf(error) === 'SQLITE_FULL' || codeOf(error) === 'ENOSPC'
/** PostgreSQL's disk_full: nothing that gives way here makes room there. */
const isDatabaseFull = (error: unknown): boolean => codeOf(error) === '53100'

export const isDiskFull = (error: unknown): boolean => isFolderFull(error) || isDatabaseFull(error)

export function createDiskSpace(dataDir: string) {
  const reserve = createReserve(dataDir)
  /** null: the service is not whole yet, or a command. */
  let helpers: Helpers | null = null
  let isFull = false
  let isTold = false
  let giving: Promise<boolean> | null = null
  let looking: Promise<void> | null = null

  /** True: there is room again. One at a time, whoever asks. */
  function makeRoom({ giveWay, onError }: Helpers): Promise<boolean> {
    giving ??= (async () => {
      // Measurements need some room themselves to give way.
      reserve.letGo()
      await giveWay(2 * RESERVE_BYTES).catch(onError)
      return await reserve.hold()
    })().finally(() => {
      giving = null
    })
    return giving
  }

  function noteFull(): void {
    if (!isFull) isTold = false
    isFull = true
    look()
  }

  /** Runs a transaction, once more when the first found no room and some was made. */
  async function withRoom<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt()
    } catch (error) {
      if (!isFolderFull(error) || !helpers || isFull) throw error
      const isRoom = await makeRoom(helpers)
      if (isRoom) return await lastAttempt(attempt)
      noteFull()
      throw error
    }
  }

  async function lastAttempt<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt()
    } catch (error) {
      if (isFolderFull(error)) noteFull()
      throw error
    }
  }

  async function lookOnce({ onFull, onRoom }: Helpers): Promise<void> {
    if (!isFull) {
      await reserve.hold()
      return
    }
    if (!isTold) await onFull()
    isTold = true
    if (!(await reserve.hold())) return
    isFull = false
    await onRoom()
  }

  function look(): void {
    if (!helpers || looking || giving) return
    looking = lookOnce(helpers)
      .catch(helpers.onError)
      .finally(() => {
        looking = null
      })
  }

  return {
    withRoom,
    isFull: () => isFull,

    /** From now on something is done about it. Returns how to stop; resolves when nothing is under way. */
    watch(by: Helpers): () => Promise<void> {
      helpers = by
      const timer = setInterval(look, LOOK_EVERY_MS)
      timer.unref()
      return async () => {
        clearInterval(timer)
        helpers = null
        await giving
        await looking
      }
    },
  }
}
