// SPDX-License-Identifier: MIT
import type { ConfigError } from '../api-shapes/common.ts'
import type { ConfigError as WireError } from './messages.gen.ts'

/** On the wire some positions may be left out; we keep all of them. */
export function wholeError(error: WireError): ConfigError {
  const { line, column } = error
  return {
    ...error,
    endLine: error.endLine ?? line,
    endColumn: error.endColumn ?? column,
    hint: error.hint ?? '',
  }
}
