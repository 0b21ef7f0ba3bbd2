// SPDX-License-Identifier: MIT
// The slow disk's load on a quick one, for a moment: it counts, and it sees what is wrong. Needs cc and
// a release build, and neither root nor a throttle.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { buildLoad, loads } from '../slow-disk.mjs'
import { startServer } from '../slow-disk-servers.mjs'

const COLD_BYTES = 100_000

describe('the load of npm run bench -- slow-disk', () => {
  const dir = mkdtempSync(join(tmpdir(), 'farmstead-slow-disk-test-'))
  const root = join(dir, 'www')
  const each = join(dir, 'each')
  let program
  let server
  before(async () => {
    program = buildLoad(dir)
    mkdirSync(root)
    writeFileSync(join(root, 'hot.bin'), Buffer.alloc(4096))
    for (const name of ['a', 'b']) writeFileSync(join(root, name), Buffer.alloc(COLD_BYTES))
    server = await startServer('farmstead', { root, wrap: [] })
  })
  after(async () => {
    await server?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  function run(method, paths) {
    const list = join(dir, 'paths')
    writeFileSync(list, `${paths.join('\n')}\n`)
    const args = [server.port, 0.3, 2, '/hot.bin', 3, method, list, each].map(String)
    return JSON.parse(execFileSync(program, args, { encoding: 'utf8' }))
  }

  it('counts hot and cold requests apart, and the bytes of the cold ones', () => {
    const { hot, cold, coldBytes } = run('GET', ['/a', '/b'])
    assert.ok(hot.requests > 0 && cold.requests > 0, JSON.stringify({ hot, cold }))
    assert.deepEqual([hot.errors, cold.errors], [0, 0])
    assert.ok(hot.p50Micros <= hot.p99Micros && hot.p99Micros <= hot.maxMicros)
    const begun = cold.requests + 3
    assert.ok(coldBytes >= cold.requests * COLD_BYTES && coldBytes <= begun * COLD_BYTES)
    assert.equal(readFileSync(each, 'utf8').trim().split('\n').length, cold.requests)
  })

  it('expects no body of a HEAD', () => {
    const { cold, coldBytes } = run('HEAD', ['/a', '/b'])
    assert.ok(cold.requests > 0)
    assert.deepEqual([cold.errors, coldBytes], [0, 0])
  })

  it('counts what is not there as an error', () => {
    const { hot, cold } = run('GET', ['/a', '/missing'])
    assert.ok(cold.errors > 0)
    assert.equal(hot.errors, 0)
  })

  it('asks for as many files as the issue says', () => {
    assert.equal(loads.reads.tree.paths.length, 1500)
    assert.equal(new Set(loads.lookups.tree.paths).size, 200_000)
  })
})
