// SPDX-License-Identifier: MIT
// Keys of TLS session tickets, so that a client that comes back to another node of its group resumes its session there. Of each
// group its own: a node that falls into wrong hands tells of its group alone. A key encrypts for twelve hours. It is given
// before that, so that no node gets a ticket it cannot read; and for as long after, for tickets that are under way. Then it
// is deleted, here as on the nodes: what was recorded of old sessions is not to be read by a later one.
import { randomBytes } from 'node:crypto'
import type { Write } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import { addTicketKey, dropTicketKeys, ticketKeysOf } from './ticket-key-store.ts'

export const ENCRYPTS_MS = 12 * 3600_000
/** Each node asks so often, at the latest: the next key is everywhere long before it encrypts. */
const ASK_AGAIN_MS = 3600_000
const KEY_BYTES = 80
/** After a turn of the wall clock. */
const SOONEST_MS = 60_000

/** The first encrypts; each decrypts. */
export type TicketKeys = { keys: string[]; refreshAfterMs: number }
type Deps = { write: Write; now: () => number; box: SecretBox }

const purposeOf = (group: string, number: number) => `ticket key ${group} ${number}`

/** Which key encrypts now; the one before and the one after it are given as well. */
export const numberAt = (nowMs: number) => Math.floor(nowMs / ENCRYPTS_MS)

export function createTicketKeys({ write, now, box }: Deps) {
  return (group: string): Promise<TicketKeys> =>
    write(async ({ trx }) => {
      const nowMs = now()
      const current = numberAt(nowMs)
      await dropTicketKeys(trx, current - 1)
      const known = new Map((await ticketKeysOf(trx, group)).map((row) => [row.number, row.key]))
      const keys: string[] = []
      for (const number of [current, current - 1, current + 1]) {
        const sealed = known.get(number)
        if (sealed !== undefined) keys.push(box.open(sealed, purposeOf(group, number)))
        // What was never given has no tickets.
        else if (number >= current) {
          const key = randomBytes(KEY_BYTES).toString('base64')
          await addTicketKey(trx, {
            group,
            number,
            key: box.seal(key, purposeOf(group, number)),
            fromMs: number * ENCRYPTS_MS,
          })
          keys.push(key)
        }
      }
      const untilNext = (current + 1) * ENCRYPTS_MS - nowMs
      return { keys, refreshAfterMs: Math.max(SOONEST_MS, Math.min(ASK_AGAIN_MS, untilNext)) }
    })
}
