// SPDX-License-Identifier: MIT
// Proving anew who one is, before a session makes another way in: a borrowed session must not be enough.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { defineError, TooManyAttempts, WrongCredentials } from '../api-shapes/errors.ts'
import type { Unit } from '../audit/write.ts'
import { TooManySignIns } from './passwords.ts'

export const SecondFactorRequired = defineError(
  401,
  'second_factor_required',
  'A code is needed as well',
  () => 'Send the code of your authenticator, or a recovery code, as "code" with the same request.',
)
export const WrongCode = defineError(
  401,
  'wrong_code',
  'Not the code',
  () =>
    'Codes change every 30 s and each is good once: wait for the next one. Check that the clock of your device is right, or use a recovery code.',
)
export const PasswordRequired = defineError(
  403,
  'password_required',
  'Your password is needed for this',
  () =>
    'This makes another way in to your account, so a session alone is not enough. Send your password as "password" with the same request, and the code of your second factor as "code".',
)
export const FreshSignInRequired = defineError(
  403,
  'fresh_sign_in_required',
  'Sign in anew for this',
  (minutes: number) =>
    `This makes another way in to your account, and you have no password here. Sign out, sign in through your provider, and do it within ${minutes} minutes.`,
)

export const PasswordSchema = Type.String({
  minLength: 1,
  maxLength: 1024,
  examples: ['printed-once'],
})
export const CodeSchema = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'Six digits of the authenticator, or a recovery code',
  examples: ['287082'],
})
/** Members of a body. Not needed where a token calls: it can make nothing beyond itself. */
export const proofMembers = {
  password: Type.Optional(PasswordSchema),
  code: Type.Optional(CodeSchema),
}

export type Proof = { password?: string | undefined; code?: string | undefined }
/** What was proven must still hold in the transaction that acts on it. */
export type StillProven = (unit: Unit) => Promise<void>
/** Throws one of PROOF_REFUSALS. Not for tokens. */
export type Prove = (request: FastifyRequest, proof: Proof) => Promise<StillProven>

export const PROOF_REFUSALS = [
  PasswordRequired,
  FreshSignInRequired,
  WrongCredentials,
  SecondFactorRequired,
  WrongCode,
  TooManyAttempts,
  TooManySignIns,
]
