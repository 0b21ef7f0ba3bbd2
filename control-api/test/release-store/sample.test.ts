// SPDX-License-Identifier: MIT
// Which files of a release nodes are asked for.
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import type { Entry } from '../../src/release-store/entries.ts'
import { openFolder } from '../../src/release-store/folder.ts'
import { createSampleOf, sampleOf, urlPathOf } from '../../src/release-store/sample.ts'
import { tempDir } from '../helper.ts'
import { manifestOf, putContent } from './manifests.ts'

const file = (path: string, content = 'same', size = 10): Entry => ({
  ...{ path, type: 'file', mode: '644', size, sha256: `${path} ${content}` },
})
const same = (path: string) => ({ before: file(path), after: file(path) })
const added = (path: string) => ({ before: null, after: file(path) })
const paths = async (entries: Parameters<typeof sampleOf>[0], most = 20, seed = 1) =>
  (await sampleOf(entries, { seed, most })).map(({ path }) => path)

const many = [
  ...Array.from({ length: 500 }, (_, i) => same(`img/${i}.png`)),
  ...Array.from({ length: 50 }, (_, i) => added(`assets/${i}.js`)),
  ...['index.html', 'site.css', 'old.js', 'robots.txt'].map(same),
]

test('each kind of name is there that both versions have, then what is new, then others', async () => {
  const chosen = await paths(many)
  expect(chosen).toHaveLength(20)
  expect(chosen).toEqual(expect.arrayContaining(['index.html', 'site.css', 'old.js', 'robots.txt']))
  expect(chosen.filter((path) => path.startsWith('assets/')).length).toBeGreaterThanOrEqual(10)
  expect(chosen.some((path) => path.startsWith('img/'))).toBe(true)
})

test('the same seed has the same files, another one others', async () => {
  expect(await paths(many)).toEqual(await paths(many))
  expect(await paths(many, 20, 2)).not.toEqual(await paths(many))
})

test('what is changed counts as new, and is there with what it is now', async () => {
  const entries = [{ before: file('a.html', 'old'), after: file('a.html', 'new') }, ...many]
  const chosen = await sampleOf(entries, { seed: 1, most: 600 })
  expect(chosen.find(({ path }) => path === 'a.html')?.sha256).toBe('a.html new')
})

test('nobody is asked for what is hidden, large, a link or gone', async () => {
  const entries = [
    added('.htaccess'),
    added('a/.git/b.txt'),
    { before: null, after: file('large.bin', 'same', 2 * 1024 * 1024) },
    { before: null, after: { path: 'link', type: 'link', target: 'a.txt' } as const },
    { before: file('gone.txt'), after: null },
    added(`${'a'.repeat(2_000)}.txt`),
    added('kept.txt'),
  ]
  expect(await paths(entries)).toEqual(['kept.txt'])
})

test('a path is asked for as it is written in a request', () => {
  expect(urlPathOf('a b/ä#?.txt')).toBe('/a%20b/%C3%A4%23%3F.txt')
})

test('manifests are read once for one question, and again for one that could not be answered', async () => {
  const folder = openFolder(tempDir())
  const sample = createSampleOf(folder)
  const text = manifestOf({ 'a.html': 'one', 'b.css': 'two' })
  const asked = { manifest: sha256(text), before: null, seed: 1, most: 20 }
  expect(await sample(asked)).toBeNull()
  putContent(folder, text)
  const drawn = await sample(asked)
  expect(drawn?.map(({ path }) => path).toSorted()).toEqual(['a.html', 'b.css'])
  rmSync(folder.blob(asked.manifest))
  expect(await sample(asked)).toBe(drawn)
  expect(await sample({ ...asked, seed: 2 })).toBeNull()
})
