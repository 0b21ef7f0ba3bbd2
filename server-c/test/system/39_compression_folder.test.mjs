// SPDX-License-Identifier: MIT
// As 39_compression: the folder of the copies.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { policyFor, writePolicy } from '../../../scripts/testing/node-policy.mjs'
import { compressed, page, startCompressing, takes } from '../support/compressing.mjs'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

test('a folder that is gone, a file, or open to others costs compression and no answer', async (t) => {
  const text = page('unusable')
  const node = await startCompressing(t, {
    files: { 'a.html': text, 'b.html': text, 'c.html': text },
  })
  await compressed(node, '/a.html')
  rmSync(node.copies, { recursive: true })
  await compressed(node, '/b.html') // it is made again
  await until(async () => (await compressed(node, '/a.html')).status === 200, 'the first, too')
  rmSync(node.copies, { recursive: true })
  writeFileSync(node.copies, 'a file')
  await node.logLine(/./)
  for (let i = 0; i < 40; i++) {
    const answer = await get(node.port, '/c.html', takes('br'))
    assert.deepEqual([answer.status, answer.text], [200, text])
    const known = await get(node.port, '/a.html', takes('br'))
    assert.equal(known.status, 200)
  }
  await node.logLine(
    /warn compression\.cacheFolder: ".*\/copies" can't be opened or made: Not a directory; files are sent as they are meanwhile\n/,
  )
  rmSync(node.copies)
  mkdirSync(node.copies)
  chmodSync(node.copies, 0o777)
  await node.reload({ ...node.config, defaultType: 'text/plain' }) // so that it is tried at once
  for (let i = 0; i < 40; i++)
    assert.equal((await get(node.port, '/c.html', takes('br'))).text, text)
  assert.equal(readdirSync(node.copies).length, 0)
  assert.equal(node.log.match(/warn compression/g).length <= 2, true) // one a minute for each loop
  chmodSync(node.copies, 0o700)
  await node.reload(node.config)
  await compressed(node, '/c.html')
})

const small = (folder, options) => [
  'unshare',
  process.getuid() === 0 ? '-m' : '-rm',
  'sh',
  '-c',
  `mkdir -p "$0" && mount -t tmpfs -o ${options} tmpfs "$0" && exec "$@"`,
  folder,
]
const refused = spawnSync('unshare', [
  process.getuid() === 0 ? '-m' : '-rm',
  'mount',
  '-t',
  'tmpfs',
  'tmpfs',
  '/tmp',
])
const skip = refused.status !== 0 && `can't mount a small disk: ${refused.stderr}`

for (const [what, options] of [
  ['is full', 'size=8k,mode=700'],
  ['is read-only', 'ro,mode=700'],
])
  test(`a folder that ${what} costs compression and no answer`, { skip }, async (t) => {
    const disk = `/tmp/farmstead-copies-${process.pid}-${options.length}`
    t.after(() => rmSync(disk, { recursive: true, force: true }))
    const text = page('disk', 5) + randomBytes(15_000).toString('hex')
    const node = await startNode(t, {
      files: { 'a.html': text, 'b.html': text },
      wrap: small(disk, options),
      config: { compression: { cacheFolder: disk } },
    })
    await until(async () => {
      const answer = await get(node.port, '/a.html', takes('br'))
      assert.deepEqual([answer.status, answer.text], [200, text])
      return (await node.counter('copiesFailed')) > 0
    }, 'a failure')
    await node.logLine(
      /warn compression\.cacheFolder: ".*" can't be written to: .*; files are sent as they are meanwhile\n/,
    )
    for (let i = 0; i < 50; i++)
      assert.equal((await get(node.port, '/b.html', takes('br'))).text, text)
    assert.ok((await node.counter('copiesFailed')) <= 3) // it is not tried for each request
  })

test('a start finds the copies there are, and removes what was left half done', async (t) => {
  const files = { 'a.html': page('start') }
  const node = await startCompressing(t, { files })
  const before = await compressed(node, '/a.html')
  assert.equal(await node.stop('SIGKILL'), 'SIGKILL')
  node.expectFailure = true
  writeFileSync(join(node.copies, 'unfinished-1-1'), 'half')
  writeFileSync(join(node.copies, 'notes.txt'), 'mine')
  const again = await startNode(t, {
    site: { root: node.root },
    config: { compression: { cacheFolder: node.copies } },
  })
  const answer = await compressed(again, '/a.html')
  assert.deepEqual([answer.headers.etag, answer.body], [before.headers.etag, before.body])
  assert.equal(await again.counter('copiesMade'), 0)
  await until(() => !readdirSync(node.copies).includes('unfinished-1-1'), 'it is gone')
  assert.ok(readdirSync(node.copies).includes('notes.txt'))
  const { gauges } = await again.status()
  assert.equal(gauges.copies, 1)
})

test('a folder that is served is refused', async (t) => {
  const node = await startNode(t, { files: { 'a.html': 'a' } })
  for (const folder of [join(node.root, 'copies'), node.root]) {
    node.writeConfig({ ...node.config, compression: { cacheFolder: folder } })
    const { status, stdout } = spawnSync(nodeBinary, ['check', '--json', node.configPath], {
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.deepEqual(
      JSON.parse(stdout).errors.map(({ pointer, code }) => [pointer, code]),
      [['/compression/cacheFolder', 'exposed_file']],
    )
  }
})

test('the folder is one that the owner lets the node write to', async (t) => {
  const text = page('policy')
  const copies = join(tempFolder(t), 'copies')
  mkdirSync(copies, { mode: 0o700 })
  const node = await startNode(t, {
    files: { 'a.html': text },
    config: { compression: { cacheFolder: copies } },
    options: (folder) => {
      const policy = policyFor([join(folder, 'www')], { runtime: [copies] })
      return ['--policy', writePolicy(join(folder, 'policy.json'), policy)]
    },
  })
  // It may be written to and not be served, but for the node's own copies.
  const answer = await compressed(node, '/a.html')
  assert.equal(brotliDecompressSync(answer.body).toString(), text)
  const from = node.log.length
  await node.reload({ ...node.config, compression: { cacheFolder: join(node.root, '../other') } })
  assert.match(node.log.slice(from), /other" is not what this machine's policy allows \(runtime/)
})
