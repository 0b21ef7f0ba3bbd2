// SPDX-License-Identifier: MIT
// A config's identity: what it says, not how it is written. The node computes the same from the same text.
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { JsonValue } from '../../../json/values.ts'

export function digestOf(value: JsonValue): string {
  return `sha256:${createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')}`
}
