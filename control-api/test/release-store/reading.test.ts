// SPDX-License-Identifier: MIT
// Finding places in manifests, and two of them side by side, against what a map says.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkManifest } from '../../src/release-store/check-manifest.ts'
import { changesBetween, totalsBetween } from '../../src/release-store/diff.ts'
import { comparePaths } from '../../src/release-store/entries.ts'
import { entryAt, filesIn } from '../../src/release-store/files.ts'
import { tempDir } from '../helper.ts'
import { type Files, fileOf, manifestOf, textOf } from './manifests.ts'

const LIMITS = { files: 100_000, bytes: 1_000_000_000 }

function kept(text: string): string {
  const path = join(tempDir(), 'manifest')
  writeFileSync(path, text)
  return path
}

/** Names of very different lengths, so that halves fall into the middle of lines. */
const many: Files = Object.fromEntries(
  Array.from({ length: 3000 }, (_, i) => [
    `${'d'.repeat((i * 7919) % 200)}${i % 13}/${i}-${'x'.repeat(i % 50)}`,
    `content ${i % 100}`,
  ]),
)
const inOrder = Object.keys(many).sort(comparePaths)

test('each file is found, and none between', async () => {
  const path = kept(manifestOf(many))
  for (const name of inOrder.filter((_, i) => i % 37 === 0)) {
    expect((await entryAt(path, name))?.path).toBe(name)
    expect(await entryAt(path, `${name}!`)).toBeNull()
  }
  expect(await entryAt(path, '')).toBeNull()
  expect(await entryAt(path, '\uffff')).toBeNull()
})

test.each(['', 'd', 'ddd', '1', 'ddd5/', 'nothing'])(
  'pages below %j have each file once',
  async (prefix) => {
    const path = kept(manifestOf(many))
    const found: string[] = []
    let after = ''
    for (;;) {
      const { entries, next } = await filesIn(path, { prefix, after, limit: 97 })
      found.push(...entries.map((entry) => entry.path))
      if (next === null) break
      after = next
    }
    expect(found).toEqual(inOrder.filter((name) => name.startsWith(prefix)))
  },
)

describe('between two manifests', () => {
  const now: Files = {
    ...Object.fromEntries(Object.entries(many).filter((_, i) => i % 10 !== 0)),
    ...Object.fromEntries(
      Object.keys(many).flatMap((name, i) => (i % 10 === 1 ? [[name, 'other']] : [])),
    ),
    'zz/new': 'new',
  }
  const paths = [...new Set([...Object.keys(many), ...Object.keys(now)])].sort(comparePaths)
  const expected = paths.filter((path) => many[path] !== now[path])

  test('each change is said once, over pages', async () => {
    const sides = { from: kept(manifestOf(many)), to: kept(manifestOf(now)) }
    const found: string[] = []
    let after = ''
    for (;;) {
      const { changes, next } = await changesBetween(sides, { after, limit: 41 })
      for (const { path, before, after: is } of changes) {
        found.push(path)
        expect(before === null).toBe(many[path] === undefined)
        expect(is === null).toBe(now[path] === undefined)
      }
      if (next === null) break
      after = next
    }
    expect(found).toEqual(expected)
  })

  test('the totals add up', async () => {
    const sides = { from: kept(manifestOf(many)), to: kept(manifestOf(now)) }
    expect(await totalsBetween(sides)).toEqual({
      ...{ added: 1, changed: 300, removed: 300 },
      bytes: 300 * 'other'.length + 'new'.length,
    })
    expect(await totalsBetween({ from: sides.to, to: sides.to })).toEqual({
      ...{ added: 0, changed: 0, removed: 0, bytes: 0 },
    })
    const { added } = await totalsBetween({ from: null, to: sides.to })
    expect(added).toBe(Object.keys(now).length)
  })
})

describe('a manifest is looked at as a whole', () => {
  test('what it names is counted, contents once', async () => {
    const checked = await checkManifest(
      kept(textOf([fileOf('a', 'x'), fileOf('b', 'x'), { path: 'c', type: 'link', target: 'a' }])),
      LIMITS,
    )
    expect(checked).toMatchObject({
      ok: true,
      facts: { files: 2, links: 1, bytes: 2, blobs: { blobs: 1, bytes: 1 } },
    })
  })

  const line = (path: string) => textOf([fileOf(path, 'x')])
  test.each([
    ['', 0, 'names no file'],
    ['\n', 1, 'is no JSON'],
    [`${line('b')}${line('a')}`, 2, 'order of a walk'],
    [`${line('a')}${line('a')}`, 2, 'twice'],
    [`${line('a')}${line('a/b')}`, 2, 'file or a link'],
    [line('a').trimEnd(), 1, 'newline'],
    [`${line('a')}${'x'.repeat(70_000)}`, 2, 'longer than'],
    [`${line('a')}${line('b').replace('"size":1', '"size":2')}`, 0, 'two sizes'],
  ])('%j is refused in line %i: %s', async (text, at, what) => {
    const checked = await checkManifest(kept(text), LIMITS)
    expect(checked.ok ? [] : checked.faults).toContainEqual(
      expect.objectContaining({ line: at, what: expect.stringContaining(what) }),
    )
  })

  test('what is no UTF-8 is refused, what only looks so is not', async () => {
    const path = join(tempDir(), 'manifest')
    writeFileSync(path, Buffer.from(line('aé'), 'latin1'))
    const checked = await checkManifest(path, LIMITS)
    expect(checked).toMatchObject({ ok: false, faults: [{ line: 1, what: 'is not UTF-8' }] })
    expect(await checkManifest(kept(line('a\ufffd')), LIMITS)).toMatchObject({ ok: true })
  })

  test('twenty faults are told at once, and no more', async () => {
    const text = Array.from({ length: 50 }, (_, i) =>
      line(`a/../${String(i).padStart(2, '0')}`),
    ).join('')
    const checked = await checkManifest(kept(text), LIMITS)
    expect(checked.ok ? 0 : checked.faults.length).toBe(20)
  })

  test('too many files and too many bytes are refused, naming the setting', async () => {
    const text = manifestOf({ a: '1', b: '22', c: '333' })
    expect(await checkManifest(kept(text), { files: 2, bytes: 100 })).toMatchObject({
      faults: [{ line: 3, what: expect.stringContaining('FARMSTEAD_RELEASES_MAX_FILES') }],
    })
    expect(await checkManifest(kept(text), { files: 3, bytes: 5 })).toMatchObject({
      faults: [{ line: 3, what: expect.stringContaining('FARMSTEAD_RELEASES_MAX_GIB') }],
    })
  })
})
