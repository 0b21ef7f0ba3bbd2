// SPDX-License-Identifier: MIT
// "%2F" in a path: refused, kept or decoded; no way out of the root or around a rule; and a registry of
// packages that the real npm installs from.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startNode, tempFolder, writeTree } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const run = promisify(execFile)
const files = {
  '@a/b': 'nested',
  '@a%2Fb': 'kept',
  'private/x': 'secret',
  'dir/index.html': 'index',
}

test('each policy, live', async (t) => {
  const node = await startNode(t, { files, config: { workers: 1 } })
  const answers = async () => {
    const seen = []
    for (const path of ['/@a%2fb', '/@a%2Fb', '/@a/b', '/@a%252Fb', '/dir%2F']) {
      const { status, body } = await get(node.port, path)
      seen.push(status === 200 ? body.toString() : status)
    }
    return seen
  }
  assert.deepEqual(await answers(), [404, 404, 'nested', 'kept', 404])
  for (const [encodedSlash, want] of [
    ['decode', ['nested', 'nested', 'nested', 'kept', 'index']],
    ['keep', ['kept', 'kept', 'nested', 'kept', 404]],
    ['refuse', [404, 404, 'nested', 'kept', 404]],
  ]) {
    const sites = [{ ...node.config.sites[0], encodedSlash }]
    assert.equal(await node.reload({ ...node.config, sites }), true)
    assert.deepEqual(await answers(), want, encodedSlash)
  }
})

const attacks = [
  '/..%2foutside',
  '/%2e%2e%2foutside',
  '/dir%2f..%2f..%2foutside',
  '/dir/..%2f..%2foutside',
  '/%2f..%2foutside',
  '/..%252foutside',
  '/dir%2f%2e%2e/%2e%2e%2foutside',
  '/..%5coutside',
  '/.%2e%2foutside',
  '/%2F%2Foutside/../../outside',
  '//..%2f/outside',
  '/dir%2F..%00%2Foutside',
  '/@a%2f..%2f..%2f..%2fetc%2fpasswd',
]
const hidden = [
  '/private%2fx',
  '/private%2Fx',
  '/%2fprivate/x',
  '/dir%2f..%2fprivate%2fx',
  '/dir/..%2fprivate/x',
  '/private/%2fx',
  '/@a%2f.%2f..%2fprivate/x',
  '/private%2f%2fx',
]

for (const encodedSlash of ['decode', 'keep'])
  test(`${encodedSlash}: no way out of the root, nor around a rule`, async (t) => {
    const node = await startNode(t, {
      files,
      config: { workers: 1 },
      site: { encodedSlash, access: [{ action: 'deny', paths: ['/private/**'] }] },
    })
    writeFileSync(join(node.folder, 'outside'), 'outside')
    for (const path of attacks) {
      const { status, body } = await get(node.port, path)
      assert.ok(status === 400 || status === 404, `${path}: ${status}`)
      assert.doesNotMatch(body.toString(), /^outside|root:/)
    }
    for (const path of hidden) {
      const { status, body } = await get(node.port, path)
      assert.ok([403, 404].includes(status), `${path}: ${status}`)
      assert.doesNotMatch(body.toString(), /^secret/)
      if (encodedSlash === 'decode') assert.equal(status, 403, path)
    }
  })

test('a redirect to a folder has the decoded path, and never another host', async (t) => {
  const node = await startNode(t, {
    files,
    config: { workers: 1 },
    site: { encodedSlash: 'decode' },
  })
  const { status, headers } = await get(node.port, '/%2f%2fdir')
  assert.equal(status, 301)
  assert.equal(new URL(headers.location, 'http://test/').pathname, '/dir/')
  assert.equal(new URL(headers.location, 'http://test/').hostname, 'test')
})

/** Packs a package with npm itself, and returns what its registry says of it. */
async function publish(root, base, name, dependencies) {
  const source = tempFolder({ after: () => {} })
  writeTree(source, {
    'package.json': JSON.stringify({ name, version: '1.0.0', main: 'main.js', dependencies }),
    'main.js': `module.exports = ${JSON.stringify(name)}\n`,
  })
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts'], { cwd: source })
  const packed = JSON.parse(stdout)
  const { filename } = Array.isArray(packed) ? packed[0] : Object.values(packed)[0]
  const tarball = readFileSync(join(source, filename))
  const path = `${name}/-/${name.split('/').at(-1)}-1.0.0.tgz`
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), tarball)
  const dist = {
    tarball: `${base}/${path}`,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
  }
  const version = { name, version: '1.0.0', dependencies, dist }
  writeFileSync(
    join(root, name, 'index.json'),
    JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
  )
}

test('npm installs scoped packages from a mirror of a registry', async (t) => {
  const node = await startNode(t, {
    config: {
      workers: 1,
      accessLog: { path: join(tempFolder(t), 'a.log'), format: '{timeIso} {path} {status}' },
    },
    site: {
      encodedSlash: 'decode',
      index: ['index.json'],
      trailingSlash: 'keep',
      tryFiles: [{ candidates: ['{path}', '{path}/index.json'] }],
    },
  })
  const base = `http://127.0.0.1:${node.port}`
  await publish(node.root, base, 'plain', {})
  await publish(node.root, base, '@farm/stead', { plain: '^1.0.0' })
  const project = tempFolder(t)
  writeTree(project, { 'package.json': '{"name":"project","version":"1.0.0"}' })
  const npm = [
    '--registry',
    base,
    '--cache',
    join(project, 'cache'),
    '--no-audit',
    '--no-fund',
    '--fetch-retries',
    '0',
  ]
  await run('npm', ['install', '@farm/stead', ...npm], { cwd: project })
  for (const name of ['@farm/stead', 'plain'])
    assert.equal(
      readFileSync(join(project, 'node_modules', name, 'main.js'), 'utf8'),
      `module.exports = "${name}"\n`,
    )
  const { stdout } = await run('npm', ['view', '@farm/stead', 'version', ...npm], { cwd: project })
  assert.equal(stdout.trim(), '1.0.0')
  await assert.rejects(run('npm', ['view', '@farm/none', ...npm], { cwd: project }), /E404/)
  assert.match(readFileSync(node.config.accessLog.path, 'utf8'), / \/@farm%2fstead 200\n/)
})
