// SPDX-License-Identifier: MIT
// Failed sign-ins are worth an event, but whoever fails must not fill the disk with them.
import type { Write } from '../../audit/write.ts'
import type { User } from '../../people/user-store.ts'
import { networkOf } from './sign-in-throttle.ts'

type Deps = { write: Write; now: () => number }

/** At most one event per account, network and time; names that nobody has are one account together. */
const ONCE_IN_MS = 60_000
const MAX_KEYS = 10_000

export function createFailedSignIns({ write, now }: Deps) {
  const toldAtMs = new Map<string, number>()

  const isNew = (key: string): boolean => {
    const before = toldAtMs.get(key)
    // The clock may have been put back: what lies ahead is no reason to keep silent.
    if (before !== undefined && Math.abs(now() - before) < ONCE_IN_MS) return false
    toldAtMs.delete(key)
    toldAtMs.set(key, now())
    const [oldest] = toldAtMs.keys()
    if (toldAtMs.size > MAX_KEYS && oldest !== undefined) toldAtMs.delete(oldest)
    return true
  }

  return async (user: User | null, address: string, why: string): Promise<void> => {
    const network = networkOf(address)
    if (!isNew(`${user?.id ?? ''} ${network}`)) return
    const data = { username: user?.username ?? null, network, why }
    await write((unit) =>
      unit.emit({ kind: 'session', id: user?.id ?? 'unknown', action: 'sign-in-failed', data }),
    )
  }
}
export type TellFailure = ReturnType<typeof createFailedSignIns>
