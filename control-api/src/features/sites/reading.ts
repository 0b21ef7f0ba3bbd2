// SPDX-License-Identifier: MIT
// Reads texts whose sites nobody has kept yet: those from before there was a table of them, after the first start with
// it; and older versions that nodes came back to. One text after the other, each a short transaction of its own.
import { setTimeout } from 'node:timers/promises'
import { nextTurn } from '../../base/slices.ts'

export type ConfigVersion = { config: string; version: number }
type Deps<Read> = {
  /** Newest versions that were never read. */
  unreadNewest: () => Promise<readonly ConfigVersion[]>
  unreadOf: (versions: readonly ConfigVersion[]) => Promise<readonly ConfigVersion[]>
  /** null: the version has gone. */
  textOf: (of: ConfigVersion) => Promise<string | null>
  sitesIn: (text: string) => Promise<Read>
  keep: (of: ConfigVersion, sites: Read) => Promise<void>
  /** No room on the disk. */
  isHeld: () => boolean
  onError: (error: unknown, of: ConfigVersion) => void
}
export type SiteReading = ReturnType<typeof createSiteReading>

/** Who looks at the list is not kept waiting longer: what is not there yet is counted. */
const WAIT_MS = 1500

export function createSiteReading<Read>(deps: Deps<Read>) {
  const left = new Map<string, ConfigVersion>()
  let underWay: Promise<void> | null = null
  let isStopped = false

  async function readOne(of: ConfigVersion): Promise<void> {
    const text = await deps.textOf(of)
    if (text !== null) await deps.keep(of, await deps.sitesIn(text))
  }

  async function readAll(): Promise<void> {
    // Those that are wanted meanwhile, too.
    for (const [key, of] of left) {
      if (isStopped || deps.isHeld()) return
      try {
        await readOne(of)
        left.delete(key)
      } catch (error) {
        if (!isStopped) deps.onError(error, of)
      }
      await nextTurn()
    }
  }

  function want(versions: readonly ConfigVersion[]): Promise<void> {
    for (const of of versions) left.set(`${of.config} ${of.version}`, of)
    if (left.size > 0 && !isStopped) {
      underWay ??= readAll().finally(() => {
        underWay = null
      })
    }
    return underWay ?? Promise.resolve()
  }

  return {
    start: async (): Promise<void> => {
      void want(await deps.unreadNewest())
    },
    /** Of these and the newest, as far as a moment reaches. How many are left. */
    async catchUp(versions: readonly ConfigVersion[]): Promise<number> {
      const reading = want(await deps.unreadOf(versions))
      if (left.size > 0)
        await Promise.race([reading, setTimeout(WAIT_MS, undefined, { ref: false })])
      return left.size
    },
    /** These, before all others. */
    async readNow(versions: readonly ConfigVersion[]): Promise<void> {
      for (const of of await deps.unreadOf(versions)) await readOne(of)
    },
    async stop(): Promise<void> {
      isStopped = true
      await underWay
    },
  }
}
