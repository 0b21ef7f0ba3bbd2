// SPDX-License-Identifier: MIT
// farmstead-node precompress: copies beside files, made before they are served.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { nodeBinary, startNode, tempFolder, until, writeTree } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const decoders = { '.br': brotliDecompressSync, '.zst': zstdDecompressSync, '.gz': gunzipSync }
const suffixes = Object.keys(decoders)
const page = (title, repeats = 100) =>
  `<title>${title}</title>${'<p>text of a page</p>'.repeat(repeats)}`

const run = (...args) => {
  const { status, stdout, stderr } = spawnSync(nodeBinary, ['precompress', ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  const counts =
    /: (\d+) files; copies: (\d+) made, (\d+) up to date, (\d+) not worth it, (\d+) removed, (\d+) without a file; (\d+) failed\n$/
  const found = counts.exec(stdout)?.slice(1).map(Number)
  const [files, made, current, worthless, removed, orphans, failed] = found ?? []
  return { status, stdout, stderr, files, made, current, worthless, removed, orphans, failed }
}

const time = (path) => statSync(path, { bigint: true }).mtimeNs

test('copies of what is worth one, as the node sends them; of what changed when it is run again', async (t) => {
  const root = tempFolder(t)
  writeTree(root, {
    'index.html': page('index'),
    'sub/deep/a.js': page('script'),
    'sub/ü ber.css': page('style'),
    '.well-known/page.txt': page('known'),
    '.git/config.txt': page('hidden'),
    'small.html': 'x'.repeat(1000),
    'noise.txt': randomBytes(3000),
    'a.png': page('no picture'),
    'drawing.svgz': page('coded'),
    'data.csv.gz': 'a download of its own',
  })
  symlinkSync('index.html', join(root, 'link.html'))
  utimesSync(join(root, 'index.html'), 1_700_000_000.123456, 1_700_000_000.123456)
  chmodSync(join(root, 'index.html'), 0o640)
  const first = run(root)
  assert.equal(first.status, 0, first.stderr)
  assert.deepEqual(
    [first.files, first.made, first.current, first.worthless, first.removed, first.orphans],
    [5, 12, 0, 3, 0, 1],
  )
  assert.match(first.stderr, /note: .*data\.csv\.gz: looks like a copy of a file that is not there/)
  for (const file of ['index.html', 'sub/deep/a.js', 'sub/ü ber.css', '.well-known/page.txt'])
    for (const suffix of suffixes) {
      const path = join(root, file)
      assert.deepEqual(decoders[suffix](readFileSync(path + suffix)), readFileSync(path))
      assert.equal(time(path + suffix), time(path))
      assert.equal(statSync(path + suffix).mode, statSync(path).mode)
    }
  const names = readdirSync(root, { recursive: true })
  assert.equal(names.filter((name) => /\.(br|zst|gz)$/.test(name)).length, 12 + 1)
  assert.equal(names.filter((name) => /precompress/.test(name)).length, 0)

  assert.deepEqual([run(root).made, run(root).current], [0, 12])
  // Another file of the same size and time.
  const { mtime, size } = statSync(join(root, 'sub/deep/a.js'))
  writeFileSync(join(root, '.new'), 'y'.repeat(size))
  utimesSync(join(root, '.new'), mtime, mtime)
  renameSync(join(root, '.new'), join(root, 'sub/deep/a.js'))
  assert.deepEqual([run(root).made, run(root).current], [3, 12])
  writeTree(root, { 'sub/packed.js': page('packed') })
  assert.equal(run(root).made, 3)
  // One changes, one goes back to an older time, one becomes small, one noise, one goes.
  writeFileSync(join(root, 'index.html'), page('another'))
  utimesSync(join(root, 'sub/deep/a.js'), 1_600_000_000, 1_600_000_000)
  writeFileSync(join(root, 'sub/ü ber.css'), 'small')
  writeFileSync(join(root, 'sub/packed.js'), randomBytes(3000))
  rmSync(join(root, '.well-known/page.txt'))
  const second = run(root)
  assert.deepEqual(
    [second.status, second.made, second.current, second.removed, second.orphans],
    [0, 6, 0, 6, 4],
  )
  assert.deepEqual(
    gunzipSync(readFileSync(join(root, 'index.html.gz'))).toString(),
    page('another'),
  )
  for (const gone of ['sub/ü ber.css.br', 'sub/packed.js.gz'])
    assert.equal(existsSync(join(root, gone)), false)
  const third = run(root, '--remove-orphans')
  assert.deepEqual([third.status, third.current, third.removed, third.orphans], [0, 6, 4, 0])
  assert.equal(existsSync(join(root, '.well-known/page.txt.br')), false)

  const node = await startNode(t, { site: { root } })
  for (const [coding, suffix] of [
    ['br', '.br'],
    ['zstd', '.zst'],
    ['gzip', '.gz'],
  ]) {
    const answer = await get(node.port, '/index.html', { lines: [`Accept-Encoding: ${coding}`] })
    assert.equal(answer.headers['content-encoding'], coding)
    assert.deepEqual(answer.body, readFileSync(join(root, `index.html${suffix}`)))
  }
})

test('options, and what is wrong with them', (t) => {
  const root = tempFolder(t)
  writeTree(root, { 'a.html': page('a', 10) })
  assert.deepEqual([run(root, '--codings', 'gzip').made, run(root).files], [0, 0])
  const two = run(root, '--codings', 'gzip,br', '--min-bytes', '100')
  assert.deepEqual([two.files, two.made], [1, 2])
  assert.equal(existsSync(join(root, 'a.html.zst')), false)
  for (const [args, words] of [
    [[], /one folder is needed/],
    [[root, root], /one folder is needed/],
    [[root, '--codings', 'deflate'], /--codings is a list/],
    [[root, '--codings', 'br,br'], /--codings is a list/],
    [[root, '--codings', ''], /--codings is a list/],
    [[root, '--min-bytes', '0'], /--min-bytes is a number/],
    [[root, '--min-bytes', '1k'], /--min-bytes is a number/],
    [[root, '--best'], /unknown/],
  ]) {
    const { status, stderr } = run(...args)
    assert.equal(status, 2)
    assert.match(stderr, words)
  }
  const missing = run(join(root, 'none'))
  assert.deepEqual([missing.status, missing.stdout], [1, ''])
  assert.match(missing.stderr, /none: No such file or directory/)
})

test('what can not be written is reported, and the rest is done', (t) => {
  const root = tempFolder(t)
  writeTree(root, { 'a.html': page('a'), 'b.html': page('b'), 'x.html': page('x') })
  mkdirSync(join(root, 'a.html.br'))
  writeFileSync(join(root, '.b.html.gz.precompress'), 'half') // of one that was killed
  const { status, made, failed, stderr } = run(root)
  assert.deepEqual([status, made, failed], [1, 8, 1])
  assert.match(stderr, /a\.html: what stands in the place of its copy is no file/)
  assert.equal(existsSync(join(root, '.b.html.gz.precompress')), false)

  writeFileSync(join(root, 'x.html'), randomBytes(100_000).toString('hex'))
  const cut = spawnSync(
    'sh',
    ['-c', 'ulimit -f 20; exec "$@" 2>&1 | cat', 'sh', nodeBinary, 'precompress', root],
    {
      encoding: 'utf8',
    },
  )
  assert.match(cut.stdout, /x\.html: its copy can't be written: File too large/)
  assert.deepEqual(
    readdirSync(root).filter((name) => name.startsWith('.')),
    [],
  )
  assert.equal(existsSync(join(root, 'x.html.br')), false) // that of the state before is gone
})

test('files that change meanwhile keep no copy of another state', async (t) => {
  const root = tempFolder(t)
  const path = join(root, 'a.txt')
  const text = (version) => `${version} `.repeat(300_000)
  const old = 1_700_000_000
  let version = 0
  const replace = () => {
    writeFileSync(join(root, '.next'), text(String(++version).padStart(4, '0')))
    utimesSync(join(root, '.next'), old, old) // the same time and size for all
    renameSync(join(root, '.next'), path)
  }
  let reports = 0
  for (let i = 0; i < 6; i++) {
    replace()
    const child = spawn(nodeBinary, ['precompress', root], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    let isOver = false
    ended.then(() => {
      isOver = true
    })
    if (i % 2 === 0)
      await until(() => {
        if (isOver) return true
        replace()
        return false
      }, 'the end')
    const status = await ended
    reports += status === 1 && /changed while it was/.test(said)
    for (const suffix of suffixes)
      if (existsSync(path + suffix) && status === 0)
        assert.deepEqual(
          decoders[suffix](readFileSync(path + suffix))
            .toString()
            .slice(0, 4),
          readFileSync(path, 'utf8').slice(0, 4),
        )
    for (const suffix of suffixes) rmSync(path + suffix, { force: true })
  }
  assert.ok(reports >= 1, `${reports} reports`)
})

test('one at a time in a folder', (t) => {
  const root = tempFolder(t)
  writeTree(root, { 'a.txt': page('a') })
  const refused = spawnSync('flock', [root, nodeBinary, 'precompress', root], { encoding: 'utf8' })
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, /another precompress is at work there/)
  assert.equal(run(root).made, 3)
})
