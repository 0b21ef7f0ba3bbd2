// SPDX-License-Identifier: MIT
// Manifests for tests.
import { sha256 } from '../../src/base/ids.ts'
import { comparePaths, type Entry, lineOf } from '../../src/release-store/entries.ts'

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
