// SPDX-License-Identifier: MIT
// Texts as their authors saved them. Read loosely, what is not UTF-8 would silently become something else.
import { readFileSync } from 'node:fs'
import { decodeUtf8 } from '../base/utf8.ts'
import { EXIT } from './exit-codes.ts'
import { Failure } from './failures.ts'

export const readTextFile = (file: string): string => textOf(readFileSync(file), file)

/** `from` is what messages call it. */
export function textOf(bytes: Uint8Array, from: string): string {
  const decoded = decodeUtf8(bytes)
  if (decoded.ok) return decoded.text
  const { line, column, what } = decoded.fault
  throw new Failure(`${from}:${line}:${column}: ${what}: save it as UTF-8`, EXIT.rejected)
}
