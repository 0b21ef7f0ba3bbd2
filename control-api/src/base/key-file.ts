// SPDX-License-Identifier: MIT
// A file of the data folder that holds nothing but a key: made once, for its owner's eyes only, and refused when others
// may read it, for nobody knows then who has.
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { modeForOthers } from './private-file.ts'

/** The service does not start, and says why. */
export class KeyFileRefused extends Error {}

/** Its text. Where there is none, one of so many random bytes is made. */
export function keptKey(path: string, bytes: number): string {
  try {
    const text = randomBytes(bytes).toString('base64url')
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const mode = modeForOthers(statSync(path).mode)
  if (mode !== null) {
    throw new KeyFileRefused(
      `${path} can be read by others (mode ${mode}). If nobody else had access to it, "chmod 600 ${path}"; else see docs/security/threat-model.md, "A key that others may have read".`,
    )
  }
  return readFileSync(path, 'utf8').trim()
}
