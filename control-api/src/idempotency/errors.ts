// SPDX-License-Identifier: MIT
import { defineError } from '../api-shapes/errors.ts'

export const KeyReused = defineError(
  422,
  'idempotency_key_reused',
  'The key belongs to another request',
  (key: string) =>
    `"${key}" came with another address or body before. A key is for one request and its repetitions: make a new one.`,
)
export const StillRunning = defineError(
  409,
  'still_running',
  'The request is being answered',
  () => 'The first request with this Idempotency-Key is under way. Ask again in a moment.',
)
export const AlreadyDone = defineError(
  409,
  'already_done',
  'It is done, and its answer was not kept',
  () =>
    'The first request with this Idempotency-Key succeeded. Its answer carried a secret, or was too large to keep. Look for what it made; if the secret is lost, delete that and make another with a new key.',
)
export const OutcomeUnknown = defineError(
  409,
  'outcome_unknown',
  'Nobody knows whether it was done',
  () =>
    'The service failed or stopped while it answered the first request with this Idempotency-Key. Look whether it was done; if not, send it again with a new key.',
)
