// SPDX-License-Identifier: MIT
// What a release changes of another, and what of it is to be fetched by whom has the other.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import { writeBlobList } from '../../src/release-store/blob-list.ts'
import { createChangesOf } from '../../src/release-store/changes.ts'
import { checkManifest } from '../../src/release-store/check-manifest.ts'
import { openFolder } from '../../src/release-store/folder.ts'
import { tempDir } from '../helper.ts'
import { type Files, manifestOf, putContent } from './manifests.ts'

function store() {
  const folder = openFolder(tempDir())
  const put = async (files: Files): Promise<string> => {
    const name = putContent(folder, manifestOf(files))
    const checked = await checkManifest(folder.blob(name), { files: 10_000, bytes: 1_000_000 })
    if (!checked.ok) throw new Error('the manifest must be right')
    await writeBlobList(folder.list(name), checked.parts)
    return name
  }
  return { put, changesOf: createChangesOf(folder), folder }
}
const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`${i}`, `${i % 300}`]))
const total = (contents: Iterable<string>) =>
  [...new Set(contents)].reduce((sum, one) => sum + one.length, 0)

test('paths are counted by what changed, contents once by what is not there yet', async () => {
  const { put, changesOf } = store()
  const { 1: _, 2: __, ...rest } = many
  const next: Files = { ...rest, 3: 'another', 4: 'another', new: '5', moved: '1' }
  const [from, to] = [await put(many), await put(next)]
  expect(await changesOf(from, to)).toEqual({
    ...{ added: 2, changed: 2, removed: 2 },
    ...{ fetchFiles: 1, fetchBytes: 7, heldBytes: total(Object.values(many)) + 7 },
  })
  expect(await changesOf(null, to)).toMatchObject({
    ...{ added: 900, fetchFiles: new Set(Object.values(next)).size },
    ...{ fetchBytes: total(Object.values(next)), heldBytes: total(Object.values(next)) },
  })
  expect(await changesOf(to, to)).toMatchObject({ added: 0, changed: 0, removed: 0, fetchBytes: 0 })
})

test('nobody knows it of files that are not here, until they are', async () => {
  const { put, changesOf } = store()
  const from = await put({ a: 'one' })
  const later = { a: 'two' }
  const to = sha256(manifestOf(later))
  const openFiles = readdirSync('/proc/self/fd').length
  expect(await changesOf(from, to)).toBeNull()
  expect(await changesOf(to, from)).toBeNull()
  expect(readdirSync('/proc/self/fd')).toHaveLength(openFiles)
  await put(later)
  expect(await changesOf(from, to)).toMatchObject({ changed: 1, fetchBytes: 3 })
})

test('nor of a manifest whose bytes a disk has changed, until they are right', async () => {
  const { put, changesOf, folder } = store()
  const from = await put({ a: 'one' })
  const to = await put({ a: 'two' })
  const text = readFileSync(folder.blob(to), 'utf8')
  writeFileSync(folder.blob(to), text.replace('"a"', '#a"'))
  expect(await changesOf(from, to)).toBeNull()
  writeFileSync(folder.blob(to), text)
  expect(await changesOf(from, to)).toMatchObject({ changed: 1 })
})
