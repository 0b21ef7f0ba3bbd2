// SPDX-License-Identifier: MIT
// farmctl releases, as a process of its own against the real service on a socket.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import type { Api } from '../../src/farmctl/api.ts'
import { excluderOf } from '../../src/farmctl/releases/exclude.ts'
import { walkFolder } from '../../src/farmctl/releases/folder.ts'
import { unpackTar } from '../../src/farmctl/releases/tar.ts'
import { targetOf } from '../../src/farmctl/releases/tree.ts'
import { batchesOf, uploadAll } from '../../src/farmctl/releases/upload.ts'
import { type Entry, faultOfOrder, lineOf, readEntry } from '../../src/release-store/entries.ts'
import { tempDir } from '../helper.ts'
import { FARMCTL_TEST_MS, farmctl, joinNode } from './helper.ts'

function folder(): string {
  const root = join(tempDir(), 'public')
  mkdirSync(join(root, 'a/deep'), { recursive: true })
  writeFileSync(join(root, 'index.html'), '<h1>one')
  writeFileSync(join(root, 'a-b.txt'), 'same')
  writeFileSync(join(root, 'a/b.txt'), 'same')
  writeFileSync(join(root, 'a/deep/line\u2028end.txt'), 'odd name')
  writeFileSync(join(root, 'empty'), '')
  chmodSync(join(root, 'index.html'), 0o640)
  symlinkSync('./a/', join(root, 'linked'))
  symlinkSync('../b.txt', join(root, 'a/deep/up'))
  return root
}

const entriesOf = async (found: AsyncIterable<object> | Iterable<object>) => {
  const entries: Entry[] = []
  for await (const one of found) {
    if ('entry' in one) entries.push(one.entry as Entry)
  }
  return entries
}

test.each([
  ['.git', '.git/HEAD', true],
  ['.git', 'a/.git/x/y', true],
  ['.git', 'a/.gitignore', false],
  ['*.map', 'js/app.js.map', true],
  ['*.map', 'js/app.js', false],
  ['/drafts', 'drafts/a', true],
  ['/drafts', 'a/drafts/a', false],
  ['a/*/c', 'a/b/c/d', true],
  ['a/**/c', 'a/x/y/c', true],
  ['./node_modules/', 'node_modules/a', true],
])('--exclude %s leaves out %s: %s', (pattern, path, isOut) => {
  expect(excluderOf(['nothing-else', pattern])(path)).toBe(isOut)
})

describe('a tree', () => {
  test('of a folder is walked in the order of a manifest', async () => {
    const entries = await entriesOf(walkFolder(folder()))
    expect(entries.map(({ path }) => path)).toEqual([
      ...['a/b.txt', 'a/deep/line\u2028end.txt', 'a/deep/up', 'a-b.txt'],
      ...['empty', 'index.html', 'linked'],
    ])
    entries.forEach((entry, at) => {
      const before = entries[at - 1]
      if (before) expect(faultOfOrder(before.path, entry.path)).toBeNull()
      expect(readEntry(lineOf(entry))).toEqual({ ok: true, entry })
    })
    expect(entries).toContainEqual({ path: 'linked', type: 'link', target: 'a' })
    expect(entries).toContainEqual({
      ...{ path: 'index.html', type: 'file', mode: '640', size: 7, sha256: sha256('<h1>one') },
    })
  })

  test('of a tar is the same as that of its folder, plain and gzip', async () => {
    const root = folder()
    const wanted = await entriesOf(walkFolder(root))
    for (const format of ['pax', 'gnu']) {
      const tar = execFileSync('tar', ['-c', `--format=${format}`, '-C', root, '.'])
      for (const bytes of [tar, gzipSync(tar)]) {
        const dir = tempDir()
        const found = await unpackTar(pieces(bytes), { dir, from: 'x.tar' })
        expect(await entriesOf(found)).toEqual(wanted)
        expect(readFileSync(join(dir, sha256('odd name')), 'utf8')).toBe('odd name')
      }
    }
  })

  test('that is no tar, or half of one, is refused', async () => {
    const dir = tempDir()
    const tar = execFileSync('tar', ['-c', '-C', folder(), '.'])
    for (const bytes of [
      Buffer.from('no tar'.repeat(200)),
      tar.subarray(0, 1100),
      Buffer.alloc(0),
    ]) {
      await expect(unpackTar(pieces(bytes), { dir, from: 'x.tar' })).rejects.toThrow('x.tar')
    }
  })

  test.each([
    ['./b', 'b'],
    ['b//c/', 'b/c'],
    ['../b', '../b'],
    ['a/../b', 'a/../b'],
    ['/b', '/b'],
  ])('has the link %j as %j', (target, kept) => {
    expect(targetOf(target)).toBe(kept)
  })
})

/** In pieces of odd sizes. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777)
}

test(
  'push makes versions of what changed, and list, show and diff tell of them',
  async () => {
    const farm = await farmctl()
    const { run, json, service } = farm
    const root = folder()

    const secret = join(root, 'a/.env')
    writeFileSync(secret, 'TOKEN=1')
    const told = await run(['releases', 'push', 'www', root, '--dry-run'])
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining('--exclude .env')])
    const without = ['releases', 'push', 'www', root, '--exclude', '.env']
    const plan = await run([...without, '--dry-run'])
    expect(plan.stderr).toBe('')
    rmSync(secret)
    expect([plan.code, plan.stdout]).toEqual([
      0,
      'Against nothing: 7 added, 0 changed, 0 removed, 23 bytes new.\nNothing was made.\n',
    ])
    expect((await json('releases', 'list')) as object).toEqual({ items: [] })

    const first = await run(['releases', 'push', 'www', root, '-m', 'first', '--source', 'git 1'])
    expect([first.code, first.stdout, first.stderr]).toEqual([
      0,
      'www@1: 5 files, 23 bytes; 7 added, 0 changed, 0 removed, 23 bytes new.\nSent: 4 contents, 19 bytes.\n',
      '',
    ])
    const again = await run(['releases', 'push', 'www', root])
    expect([again.code, again.stdout]).toEqual([
      0,
      'www@1 has these very files already: no version was made.\n',
    ])

    // What the control plane's disk has changed is put right.
    const name = sha256('<h1>one')
    const blob = join(service.config.dataDir, 'releases/blobs', name.slice(0, 2), name)
    writeFileSync(blob, '<h1>0ne')
    const mended = await run(['releases', 'push', 'www', root, '--again'])
    expect([mended.code, mended.stdout]).toEqual([
      0,
      'www@1 has these very files already: no version was made.\nSent: 5 contents, 23 bytes.\n',
    ])
    expect(readFileSync(blob, 'utf8')).toBe('<h1>one')

    // 20 MiB go in parts, and nothing else goes again.
    const large = join(root, 'large.bin')
    openSync(large, 'w')
    truncateSync(large, 20 * 1024 * 1024 + 1)
    writeFileSync(join(root, 'index.html'), '<h1>two')
    const tar = join(tempDir(), 'www.tar')
    execFileSync('tar', ['-cf', tar, '-C', root, '.'])
    const second = (await json('releases', 'push', 'www', tar, '-m', 'second')) as object
    expect(second).toMatchObject({
      ...{ number: 2, parent: 1, created: true, author: 'test-admin' },
      sinceParent: { added: 1, changed: 1, removed: 0 },
      sent: { contents: 2, bytes: 20 * 1024 * 1024 + 8 },
    })

    const diff = await run(['releases', 'diff', 'www', '1', '--exit-code'])
    expect([diff.code, diff.stdout]).toEqual([
      1,
      '~ index.html  7 bytes\n+ large.bin  20.0 MiB\nFrom 1 to 2: 1 added, 1 changed, 0 removed, 20.0 MiB new.\n',
    ])
    const list = await run(['releases', 'list', 'www'])
    expect(list.stdout).toContain('second')
    expect((await run(['releases', 'show', 'www', '1'])).stdout).toContain(
      'www@1: kept by no node.',
    )
    expect((await json('releases', 'show', 'www', '1')) as object).toMatchObject({
      ...{ message: 'first', source: 'git 1', files: 5, links: 2 },
    })
    expect(await service.sweepContents()).toMatchObject({ blobs: 0 })

    // To a node, with the config as it runs there, whatever was saved since.
    const text = '{ "listen": [{ "port": 8101 }], "sites": [{ "hosts": ["*"], "release": "www" }] }'
    const apply = ['apply', '-f', farm.file('default.jsonc', text), '--yes', '-m', 'files']
    expect((await run(apply)).code).toBe(0)
    const node = await joinNode(farm, 'node-1')
    const rolled = await run(['releases', 'roll-out', 'www=1', '--at-once', '--yes'])
    expect([rolled.code, rolled.stderr]).toEqual([
      0,
      expect.stringContaining('Release www v1: 7 added, 0 changed, 0 removed, 19 bytes to fetch'),
    ])
    expect(node.effective?.releases).toMatchObject([{ name: 'www', number: 1 }])
    farm.file('default.jsonc', text.replace('8101', '8102'))
    expect((await run(apply)).code).toBe(0)
    const next = await run(['releases', 'roll-out', 'www', '--dry-run'])
    expect([next.code, next.stdout]).toEqual([0, expect.stringContaining('default@1: ')])
    expect(next.stdout).toContain(
      'Release www v1 → v2: 1 added, 1 changed, 0 removed, 20.0 MiB to fetch',
    )
    expect((await run(['releases', 'roll-out', 'www=9'])).code).not.toBe(0)
  },
  FARMCTL_TEST_MS,
)

test('small contents go many in a request, as many as fit, and large ones by themselves', async () => {
  const sizes = [1, 2 ** 20, 2 ** 20 + 1, 2 ** 20, 2 ** 20, 2 ** 20, 5, 2 ** 30]
  async function* contents() {
    for (const size of sizes) yield { sha256: '', size, path: '' }
  }
  const batches: number[][] = []
  for await (const batch of batchesOf(contents())) batches.push(batch.map(({ size }) => size))
  const mib = 2 ** 20
  expect(batches).toEqual([[mib + 1], [1, mib, mib, mib], [2 ** 30], [mib, 5]])
})

test('a file that changes while it is pushed is told, and no version is made', async () => {
  const path = join(tempDir(), 'changing')
  writeFileSync(path, 'longer than before')
  const options = { stop: new AbortController().signal, onSent: () => {} }
  async function* contents() {
    for (const text of ['one', 'two']) yield { sha256: sha256(text), size: 3, path }
  }
  const nobody = { url: 'http://127.0.0.1:1' } as unknown as Api
  await expect(uploadAll(nobody, contents(), options)).rejects.toThrow(/changing changed while/)
})

test(
  'what no node could hold is told all at once, and nothing is made',
  async () => {
    const { run, json } = await farmctl()
    const root = folder()
    symlinkSync('/etc/passwd', join(root, 'z-absolute'))
    symlinkSync('../../out', join(root, 'z-out'))
    execFileSync('mkfifo', [join(root, 'z-pipe')])
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x7a, 0xff])]), 'x')
    const refused = await run(['releases', 'push', 'www', root])
    expect(refused.code).toBe(2)
    for (const said of [
      '"z-absolute" is a link to the absolute path',
      '"z-out" is a link out of the tree',
      '"z-pipe" is neither a file',
      'not UTF-8',
    ]) {
      expect(refused.stderr).toContain(said)
    }
    expect((await json('releases', 'list')) as object).toEqual({ items: [] })
    expect((await run(['releases', 'push', 'www', join(root, 'nothing')])).stderr).toContain(
      'there is no such folder or file',
    )
  },
  FARMCTL_TEST_MS,
)
