// SPDX-License-Identifier: MIT
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import { openFolder, syncNames } from '../../src/release-store/folder.ts'
import { createRoom } from '../../src/release-store/room.ts'
import { tempDir } from '../helper.ts'

const NAME = sha256('one')

test('a content gets its name, and what it lies in is made with the first that begins so', async () => {
  const folder = openFolder(tempDir())
  expect(await folder.parts()).toEqual([])
  await syncNames(folder)
  for (const [name, text] of [
    [NAME, 'one'],
    [`${NAME.slice(0, 2)}${sha256('two').slice(2)}`, 'two'],
  ] as const) {
    writeFileSync(folder.upload(name), text)
    await folder.keep(name)
    expect(readFileSync(folder.blob(name), 'utf8')).toBe(text)
    expect(existsSync(folder.upload(name))).toBe(false)
  }
  expect(await folder.parts()).toEqual([NAME.slice(0, 2)])
  await syncNames(folder)
})

test('one that was not uploaded gets no name', async () => {
  const folder = openFolder(tempDir())
  await expect(folder.keep(NAME)).rejects.toThrow(/ENOENT/)
  expect(await folder.parts()).toEqual([NAME.slice(0, 2)])
  expect(readdirSync(folder.blobsOf(NAME.slice(0, 2)))).toEqual([])
})

test('what else lies among the contents is none of them, and takes no room', async () => {
  const dataDir = tempDir()
  const folder = openFolder(dataDir)
  for (const name of ['lost+found', '0', 'abc']) {
    mkdirSync(join(folder.blobs, name))
    writeFileSync(join(folder.blobs, name, 'file'), 'bytes')
  }
  mkdirSync(folder.blobsOf('ff'))
  writeFileSync(join(folder.blobsOf('ff'), 'one'), 'counted')
  expect(await folder.parts()).toEqual(['ff'])
  const room = createRoom(openFolder(dataDir), 1024)
  await room.counted
  expect(room.usedBytes()).toBe('counted'.length)
})
