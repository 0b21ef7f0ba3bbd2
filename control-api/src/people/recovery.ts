// SPDX-License-Identifier: MIT
// What ends when access to an account is recovered. Whoever had got in by what is no longer good must not
// keep another way in: sessions, known browsers, tokens, an identity they linked, a factor they began.
import type { Unit } from '../audit/write.ts'
import { endSessions } from './session-store.ts'
import { countRecovery } from './user-store.ts'

/** Ways in that other parts keep. Each tells what it ended. */
export type OtherWaysIn = {
  revokeTokens(unit: Unit, userId: string, actor: string): Promise<void>
  unlinkIdentities(unit: Unit, userId: string, actor: string): Promise<void>
}

/** Signed out everywhere, and no browser is known any more. */
export async function endSignIns(unit: Unit, userId: string): Promise<void> {
  await countRecovery(unit, userId)
  await endSessions(unit, userId)
}

/** Of who is disabled. Identities stay: without theirs, who has no password here could never be enabled again. */
export async function endDisabled(
  unit: Unit,
  { revokeTokens }: Pick<OtherWaysIn, 'revokeTokens'>,
  { userId, actor }: { userId: string; actor: string },
): Promise<void> {
  await endSignIns(unit, userId)
  await revokeTokens(unit, userId, actor)
}

/** Nothing that was handed out before lets in. */
export async function endAllWaysIn(
  unit: Unit,
  waysIn: OtherWaysIn,
  { userId, actor }: { userId: string; actor: string },
): Promise<void> {
  await endSignIns(unit, userId)
  await waysIn.revokeTokens(unit, userId, actor)
  await waysIn.unlinkIdentities(unit, userId, actor)
}
