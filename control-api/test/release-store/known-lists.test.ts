// SPDX-License-Identifier: MIT
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import { gatherBlobs, sizeInList, writeBlobList } from '../../src/release-store/blob-list.ts'
import { createKnownLists } from '../../src/release-store/known-lists.ts'
import { tempDir } from '../helper.ts'

async function makeList(path: string, names: readonly string[]): Promise<void> {
  const blobs = gatherBlobs()
  for (const [size, name] of names.entries()) blobs.add(name, size)
  const gathered = await blobs.sorted()
  if (gathered.ok) await writeBlobList(path, gathered.parts)
}

const namesOf = (count: number, of: string) =>
  Array.from({ length: count }, (_, i) => sha256(`${of} ${i}`))

test.each([0, 1, 2, 1000])(
  'in a list of %i each is found with its size, and no other',
  async (count) => {
    const dir = tempDir()
    const names = namesOf(count, 'in it')
    const lists = createKnownLists({ list: (manifest) => join(dir, manifest) })
    await makeList(join(dir, 'm'), names)
    const others = namesOf(50, 'elsewhere')
    const sizes = await lists.sizesOf(['m'], [...names, ...others])
    expect([...sizes]).toEqual(names.map((name, size) => [name, size]))
  },
)

test('a list is read once for all who ask at once, and again when nobody asked for a while', async () => {
  const dir = tempDir()
  const [one, other] = [namesOf(3, 'one'), namesOf(3, 'other')]
  const lists = createKnownLists({ list: (manifest) => join(dir, manifest) }, 50)
  await expect(lists.sizesOf(['a'], one)).rejects.toThrow('ENOENT')
  await makeList(join(dir, 'a'), one)
  await makeList(join(dir, 'b'), other)
  const asked = Array.from({ length: 5 }, () => lists.sizesOf(['a', 'b'], [...other, ...one]))
  for (const sizes of await Promise.all(asked)) expect(sizes.size).toBe(6)
  rmSync(join(dir, 'a'))
  expect((await lists.sizesOf(['a'], one)).size).toBe(3)
  await expect.poll(() => lists.sizesOf(['a'], one).catch(() => null), { interval: 100 }).toBe(null)
})

test('a list that ends before its records do is no list', () => {
  writeFileSync(join(tempDir(), 'x'), '')
  expect(() => sizeInList(Buffer.alloc(4), sha256('x'))).toThrow(RangeError)
})
