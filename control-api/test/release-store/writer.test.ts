// SPDX-License-Identifier: MIT
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWriter } from '../../src/release-store/writer.ts'
import { tempDir } from '../helper.ts'

test('pieces of all sizes are written in their order', async () => {
  const path = join(tempDir(), 'file')
  const file = await open(path, 'a')
  const writer = createWriter(file)
  const sent: Buffer[] = []
  for (let i = 0; i < 400; i++) {
    const piece = Buffer.alloc((i * 7919) % 9000, String(i))
    sent.push(piece)
    await writer.add(piece)
  }
  await writer.end()
  await file.close()
  const wanted = Buffer.concat(sent)
  expect(writer.writtenBytes()).toBe(wanted.length)
  expect((await readFile(path)).equals(wanted)).toBe(true)
})

test('a disk that is full is told, with how much there was room for', async () => {
  let room = 3
  const writer = createWriter({
    write: async (bytes: Buffer, at: number) => {
      if (room-- === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      return { bytesWritten: Math.min(10, bytes.length - at), buffer: bytes }
    },
  } as Parameters<typeof createWriter>[0])
  await writer.add(Buffer.alloc(50))
  await expect(writer.end()).rejects.toThrow('full')
  expect(writer.writtenBytes()).toBe(30)
})
