// SPDX-License-Identifier: MIT
// Keys that sign passes. One signs for a day. Givers know the next one before that, for they hear of it with what they are
// told anyway; and the last one as long after, for passes that are under way. Then it is deleted.
import type { KeyObject } from 'node:crypto'
import type { Write } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import { makePassKey, readPassKey } from './pass.ts'
import { addPassKey, dropPassKeys, passKeysOf } from './store.ts'

export const SIGNS_MS = 24 * 3600_000

/** `number` is another one when nodes are to be told. */
export type PassKeys = { number: number; signing: KeyObject; publicKeys: string[] }
type Deps = { write: Write; now: () => number; box: SecretBox }

const purposeOf = (number: number) => `neighbour pass key ${number}`

export function createPassKeys({ write, now, box }: Deps) {
  let kept: PassKeys | null = null
  let loading: Promise<PassKeys> | null = null

  const load = (current: number): Promise<PassKeys> =>
    write(async ({ trx }) => {
      await dropPassKeys(trx, current - 1)
      const known = new Map((await passKeysOf(trx)).map((row) => [row.number, row]))
      for (const number of [current, current + 1]) {
        if (known.has(number)) continue
        const { publicKey, privateKey } = makePassKey()
        const sealed = box.seal(privateKey, purposeOf(number))
        const row = { number, public_key: publicKey, private_key: sealed }
        await addPassKey(trx, row)
        known.set(number, row)
      }
      const sealed = known.get(current)?.private_key ?? ''
      const near = [current, current + 1, current - 1]
      return {
        number: current,
        signing: readPassKey(box.open(sealed, purposeOf(current))),
        publicKeys: near.flatMap((number) => known.get(number)?.public_key ?? []),
      }
    })

  return {
    /** Those of now. */
    async get(): Promise<PassKeys> {
      const current = Math.floor(now() / SIGNS_MS)
      if (kept?.number === current) return kept
      // All that report around midnight wait for one.
      loading ??= load(current).finally(() => {
        loading = null
      })
      kept = await loading
      return kept
    },
    /** They were deleted. */
    forget(): void {
      kept = null
      loading = null
    },
  }
}
