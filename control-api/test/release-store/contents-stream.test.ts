// SPDX-License-Identifier: MIT
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bytesOfContents, type Content } from '../../src/release-store/contents-stream.ts'
import { tempDir } from '../helper.ts'

function contentsOf(sizes: readonly number[]) {
  const dir = tempDir()
  const bytes = sizes.map((size, at) => Buffer.alloc(size, 65 + (at % 26)))
  const contents = bytes.map((one, at): Content => {
    const path = join(dir, String(at))
    writeFileSync(path, one)
    return { path, size: one.length }
  })
  return { contents, bytes: Buffer.concat(bytes) }
}

async function read(contents: readonly Content[], from: number) {
  const chunks: Buffer[] = []
  for await (const chunk of bytesOfContents(contents, from)) chunks.push(chunk)
  return { chunks, bytes: Buffer.concat(chunks) }
}

test.each([
  [[], 0],
  [[0, 0], 0],
  [[5], 2],
  [[200_000], 70_000],
  [[3, 0, 200_000, 10, 65_536, 65_537, 7], 0],
  [Array.from({ length: 300 }, (_, i) => i * 7), 0],
] as const)('contents of %j bytes come one after the other from %i on', async (sizes, from) => {
  const made = contentsOf(sizes)
  const { bytes } = await read(made.contents, from)
  expect(bytes.equals(made.bytes.subarray(from))).toBe(true)
})

test('small ones go together', async () => {
  const { contents } = contentsOf(Array.from({ length: 512 }, () => 1000))
  expect((await read(contents, 0)).chunks.length).toBeLessThan(10)
})

test.each([10, 200_000])(
  'one of %i bytes that is shorter than was said, or gone, ends it',
  async (size) => {
    const { contents } = contentsOf([5, size])
    const longer = contents.map((one, at) => ({ ...one, size: one.size + at }))
    await expect(read(longer, 0)).rejects.toThrow(`has ${size} of ${size + 1} bytes`)
    const gone = contents.map((one, at) => (at === 1 ? { ...one, path: `${one.path}-gone` } : one))
    await expect(read(gone, 0)).rejects.toThrow('ENOENT')
  },
)
