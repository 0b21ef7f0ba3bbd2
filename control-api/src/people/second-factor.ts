// SPDX-License-Identifier: MIT
// A second factor by time (RFC 6238) and the codes that stand in for a lost device. Six digits, steps of
// 30 s, SHA-1: what every authenticator takes.
import { Secret, TOTP } from 'otpauth'
import type { Unit } from '../audit/write.ts'
import { newReadableCode, sha256 } from '../base/ids.ts'
import type { SecretBox } from '../base/secret-box.ts'
import {
  replaceRecoveryCodes,
  type TotpRow,
  totpRow,
  updateUser,
  useUpRecoveryCode,
} from './user-store.ts'

const ISSUER = 'Farmstead'
const STEP_SECONDS = 30
/** Clocks of phones are off by some seconds, and people type slowly. */
const STEPS_AROUND = 1
const SECRET_BYTES = 20
const RECOVERY_CODES = 10

export type Begun = { secret: string; uri: string }

const totpOf = (base32: string, label = '') =>
  new TOTP({
    issuer: ISSUER,
    label,
    secret: Secret.fromBase32(base32),
    period: STEP_SECONDS,
    digits: 6,
    algorithm: 'SHA1',
  })

const purposeOf = (userId: string) => `second-factor:${userId}`

export function createSecondFactor(box: SecretBox) {
  /** The step the code is of; null: wrong, or used already. */
  const stepOf = (sealed: string, userId: string, code: string, row: TotpRow, nowMs: number) => {
    const totp = totpOf(box.open(sealed, purposeOf(userId)))
    const delta = totp.validate({ token: code, timestamp: nowMs, window: STEPS_AROUND })
    if (delta === null) return null
    const step = Math.floor(nowMs / 1000 / STEP_SECONDS) + delta
    return step > row.totp_step ? step : null
  }

  return {
    /** A secret to be confirmed; one begun before is worth nothing. */
    async begin(unit: Unit, user: { id: string; username: string }): Promise<Begun> {
      const secret = new Secret({ size: SECRET_BYTES }).base32
      await updateUser(unit, user.id, { totp_pending: box.seal(secret, purposeOf(user.id)) })
      return { secret, uri: totpOf(secret, user.username).toString() }
    },

    /** Recovery codes, to be shown this once; null: the code is not of the secret that was begun. */
    async confirm(
      unit: Unit,
      { userId, code, nowMs }: { userId: string; code: string; nowMs: number },
    ): Promise<string[] | null> {
      const row = await totpRow(unit, userId)
      if (row.totp_pending === null) return null
      const step = stepOf(row.totp_pending, userId, code, { ...row, totp_step: 0 }, nowMs)
      if (step === null) return null
      await updateUser(unit, userId, {
        totp_secret: row.totp_pending,
        totp_pending: null,
        totp_step: step,
      })
      return await giveRecoveryCodes(unit, userId)
    },

    /** Uses a code up: one of the device, or one of recovery. False: it is wrong or used. */
    async use(
      unit: Unit,
      { userId, code, nowMs }: { userId: string; code: string; nowMs: number },
    ): Promise<boolean> {
      const row = await totpRow(unit, userId)
      if (row.totp_secret === null) return false
      const plain = code.replaceAll(/\s/g, '')
      if (!/^\d{6}$/.test(plain)) {
        return await useUpRecoveryCode(unit, userId, digestOf(userId, plain.toLowerCase()))
      }
      const step = stepOf(row.totp_secret, userId, plain, row, nowMs)
      if (step !== null) await updateUser(unit, userId, { totp_step: step })
      return step !== null
    },
  }
}
export type SecondFactor = ReturnType<typeof createSecondFactor>

async function giveRecoveryCodes(unit: Unit, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  const digests = codes.map((code) => digestOf(userId, code))
  await replaceRecoveryCodes(unit, userId, digests)
  return codes
}

/** 67 bits: a plain digest would be searched through only after the sun. */
const newRecoveryCode = (): string => newReadableCode(3)

const digestOf = (userId: string, code: string) => sha256(`${userId}:${code}`)
