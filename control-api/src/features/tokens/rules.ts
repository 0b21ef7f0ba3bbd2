// SPDX-License-Identifier: MIT
// What a token's secret looks like, and what a token may: pure decisions.
import { randomBytes } from 'node:crypto'
import type { Permission } from '../../access/permissions.ts'

/** fsa_<letters of the id>_<256 random bits>: the id finds the row, the rest proves it. */
const SECRET = /^fsa_([0-9a-hjkmnp-tv-z]{26})_[\w-]{43}$/
const PREFIX = 'token_'

export function newTokenSecret(id: string): string {
  return `fsa_${id.slice(PREFIX.length)}_${randomBytes(32).toString('base64url')}`
}

/** null: this is no secret of ours, whatever it is. */
export function tokenIdOf(secret: string): string | null {
  const letters = SECRET.exec(secret)?.[1]
  return letters === undefined ? null : PREFIX + letters
}

/** Of what was granted, what the owner still may. */
export function effectivePermissions(
  granted: readonly string[] | null,
  owners: readonly Permission[],
): Permission[] {
  return owners.filter((one) => one !== 'session:own' && (granted?.includes(one) ?? true))
}

/** Nobody hands out more than they have: what of a wish goes beyond it. */
export function beyond(wished: readonly string[] | null, mine: readonly string[]): string[] {
  return (wished ?? []).filter((one) => !mine.includes(one))
}
