// SPDX-License-Identifier: MIT
// Bringing in a new CA, in two steps with time between them: first every node learns of it and gets a
// certificate of it, then the old one goes. A running service sees the files change.
import { rmSync } from 'node:fs'
import { caPath, describe, nextCaPath, readNextCa, requireCa } from './authority.ts'
import { CaRefused } from './errors.ts'
import { createKeyFile, moveKeyFile, replaceKeyFile } from './files.ts'
import { makeCa } from './x509.ts'

type Where = { dataDir: string; now: () => number }

/** The new CA's fingerprint. */
export async function beginRotation({ dataDir, now }: Where): Promise<string> {
  requireCa(dataDir)
  const made = await makeCa(now())
  if (!createKeyFile(nextCaPath(dataDir), made)) {
    throw new CaRefused(
      'A rotation is under way. "admin ca status" shows how far it is; "admin ca finish-rotation" ends it.',
    )
  }
  return describe(made).fingerprint
}

export type Laggards = { untold: string[]; outgoing: string[] }

/** The old CA is gone from here on: who knows only that one cannot come back by itself. */
export function finishRotation(dataDir: string, laggards: Laggards, force: boolean): string {
  const next = readNextCa(dataDir)
  if (!next) throw new CaRefused('No rotation is under way. "admin ca rotate" begins one.')
  const names = [...new Set([...laggards.untold, ...laggards.outgoing])]
  if (names.length > 0 && !force) {
    throw new CaRefused(
      `${names.length} node(s) do not have the new CA yet: ${some(names)}. They get it when they next speak. With --force they must join again.`,
    )
  }
  moveKeyFile(nextCaPath(dataDir), caPath(dataDir))
  return next.fingerprint
}

/** Begins anew, whatever is there. Every node must join again. */
export async function recreateCa({ dataDir, now }: Where): Promise<string> {
  const made = await makeCa(now())
  rmSync(nextCaPath(dataDir), { force: true })
  replaceKeyFile(caPath(dataDir), made)
  return describe(made).fingerprint
}

const SHOWN = 5
const some = (names: readonly string[]) =>
  names.slice(0, SHOWN).join(', ') +
  (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '')
