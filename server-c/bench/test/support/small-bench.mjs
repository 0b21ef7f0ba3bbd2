// SPDX-License-Identifier: MIT
// The bench with our node and the floor only, in a small way: it works, nobody's speed is judged. Needs wrk, h2load, openssl,
// cc and a release build.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loads } from '../../loads.mjs'

const program = fileURLToPath(new URL('../../bench.mjs', import.meta.url))
const node =
  process.env.FARMSTEAD_NODE ??
  fileURLToPath(new URL('../../../build/release/farmstead-node', import.meta.url))
export const dir = mkdtempSync(join(tmpdir(), 'farmstead-bench-test-'))
after(() => rmSync(dir, { recursive: true }))

export function bench(...args) {
  const env = { ...process.env, FARMSTEAD_BENCH_DIR: dir, FARMSTEAD_NODE: node }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, output: `${stdout}${stderr}` }
}

export const SMALL = ['--rounds', '1', '--seconds', '0.2', '--scale', '0.02', '--repeats', '0']

/** The loads, by where they are tested: each file of tests measures its own, once. */
const groupOf = ({ name, protocol = 'http' }) => {
  if (protocol !== 'http') return protocol === 'https' ? 'https' : 'http2'
  return /^(4k|449|page|mix|12k|200k|connect|304)$/.test(name) ? 'small' : 'others'
}

/** Measures the loads of a group, and tests what is to be had of each. Returns a way to what was found. */
export function measures(group) {
  const json = join(dir, 'run.json')
  const own = loads.filter((load) => groupOf(load) === group)
  const found = {}
  before(() => {
    const names = own.map(({ name }) => name)
    const said = bench(...names, ...SMALL, '--servers', 'farmstead,floor', '--json', json)
    assert.equal(said.status, 0, said.output)
    Object.assign(found, { output: said.output, json, run: JSON.parse(readFileSync(json, 'utf8')) })
  })

  for (const { name, loops, protocol = 'http', client } of own) {
    it(`measures ${name}, and every answer is right`, () => {
      const load = found.run.loads.find((one) => one.name === name)
      assert.ok(load, found.output)
      assert.deepEqual(load.leftOut, [])
      // The floor speaks neither TLS nor HTTP/2.
      assert.equal(load.results.length, (loops ? 2 : 1) * (protocol === 'http' ? 2 : 1))
      for (const { label, rounds } of load.results) {
        assert.equal(rounds.length, 1, label)
        const [figures] = rounds
        assert.equal(figures.errors, 0, `${label}: ${JSON.stringify(figures)}`)
        const times = client === 'h2load' ? ['max'] : ['p50', 'p99', 'max']
        for (const key of ['requestsPerSecond', 'megabytesPerSecond', ...times])
          assert.ok(figures[key] > 0, `${label}: ${key} ${figures[key]}`)
        assert.ok(figures.p50 <= figures.p99 && figures.p99 <= figures.max, label)
        assert.ok((figures.cpuPerRequest ?? 0) >= 0 && figures.pssBytes > 0, label)
        assert.ok(figures.rssBytes >= figures.pssBytes, label)
      }
    })
  }
  it('prints a table for each load', () => {
    for (const { name } of own) assert.match(found.output, new RegExp(`^${name}: `, 'm'))
    assert.match(found.output, /^ {2}farmstead(, 1 loop)? +[\d,.]+ +[\d,.]+ +[\d.]+ /m)
    assert.match(found.output, /server on core \d+, wrk on core/)
  })
  return found
}

/** What a load of a run measured of our node. */
export const oursOf = ({ run }, name) =>
  run.loads.find((load) => load.name === name).results[0].rounds[0]
