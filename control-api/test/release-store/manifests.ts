// SPDX-License-Identifier: MIT
// Manifests for tests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { sha256 } from '../../src/base/ids.ts'
import { comparePaths, type Entry, lineOf } from '../../src/release-store/entries.ts'
import type { ReleaseFolder } from '../../src/release-store/folder.ts'

export type Files = Readonly<Record<string, string>>

export const fileOf = (path: string, content: string): Entry => ({
  ...{ path, type: 'file', mode: '644' },
  ...{ size: Buffer.byteLength(content), sha256: sha256(content) },
})

export const textOf = (entries: readonly Entry[]): string =>
  [...entries]
    .sort((a, b) => comparePaths(a.path, b.path))
    .map((entry) => `${lineOf(entry)}\n`)
    .join('')

export const manifestOf = (files: Files): string =>
  textOf(Object.entries(files).map(([path, content]) => fileOf(path, content)))

/** As if it had been uploaded; its digest. */
export function putContent(folder: ReleaseFolder, text: string): string {
  const name = sha256(text)
  mkdirSync(dirname(folder.blob(name)), { recursive: true })
  writeFileSync(folder.blob(name), text)
  return name
}
