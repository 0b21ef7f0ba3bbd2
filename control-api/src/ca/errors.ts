// SPDX-License-Identifier: MIT
import { defineError } from '../api-shapes/errors.ts'

/** The service does not start, or a command does nothing, and says why. */
export const CaRefused = defineError(
  500,
  'ca_refused',
  'The CA cannot be used',
  (why: string) => why,
)
/** Of the agent protocol. */
export const CsrRefused = defineError(
  400,
  'invalid_message',
  'The certificate request is not good',
  (why: string) => `/csr: ${why}`,
)
