// SPDX-License-Identifier: MIT
// Every load once, in a small way, with our node and the floor only: the bench works, nobody's speed
// is judged. Needs wrk, h2load, openssl, cc and a release build.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loads } from '../loads.mjs'

const program = fileURLToPath(new URL('../bench.mjs', import.meta.url))
const node =
  process.env.FARMSTEAD_NODE ??
  fileURLToPath(new URL('../../build/release/farmstead-node', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'farmstead-bench-test-'))
after(() => rmSync(dir, { recursive: true }))

function bench(...args) {
  const env = { ...process.env, FARMSTEAD_BENCH_DIR: dir, FARMSTEAD_NODE: node }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, output: `${stdout}${stderr}` }
}

const SMALL = ['--rounds', '1', '--seconds', '0.2', '--scale', '0.02', '--repeats', '0']

/** Answers everything with the same few bytes, as a farmstead-node would be started. */
function wrongNode() {
  const path = join(dir, 'wrong-node')
  const answer = join(dir, 'wrong.answer')
  writeFileSync(answer, 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong')
  const port = `sed -n 's/.*"port": \\([0-9]*\\).*/\\1/p' "$3"`
  writeFileSync(path, `#!/bin/sh\nexec ${dir}/floor "$(${port})" 1 ${answer}\n`)
  chmodSync(path, 0o755)
  return path
}

const whyNotHeld = () =>
  process.getuid() !== 0 || !existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us')
    ? 'needs root and the cpu controller of cgroup v1'
    : false

describe('npm run bench', () => {
  const json = join(dir, 'run.json')
  let said
  let run
  before(() => {
    said = bench(...SMALL, '--servers', 'farmstead,floor', '--json', json)
    assert.equal(said.status, 0, said.output)
    run = JSON.parse(readFileSync(json, 'utf8'))
  })

  for (const { name, loops, protocol = 'http', client } of loads) {
    it(`measures ${name}, and every answer is right`, () => {
      const load = run.loads.find((one) => one.name === name)
      assert.ok(load, said.output)
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
  it('prints a table and ratios for each load', () => {
    for (const { name } of loads) assert.match(said.output, new RegExp(`^${name}: `, 'm'))
    assert.match(said.output, /^ {2}farmstead +[\d,.]+ +[\d,.]+ +[\d.]+ /m)
    assert.match(said.output, /^ {2}farmstead: requests\/s [\d.]+× the floor's; CPU /m)
    assert.match(
      said.output,
      /^ {2}farmstead: CPU per request of two loops ([\d.]+×|–) that of one$/m,
    )
    assert.match(said.output, /server on core \d+, wrk on core/)
  })
  it('holds the idle connections it says', () => {
    const [ours] = run.loads.find(({ name }) => name === 'idle').results
    assert.equal(ours.rounds[0].held, 200)
    assert.ok(ours.rounds[0].bytesPerIdleConnection > 0)
  })
  it('holds them over TLS, too, and none is lost', () => {
    const [ours] = run.loads.find(({ name }) => name === 'tls-idle').results
    assert.equal(ours.rounds[0].held, 40)
    assert.ok(ours.rounds[0].bytesPerIdleConnection > 0)
  })
  it('makes handshakes beside the hot file', () => {
    for (const name of ['tls-storm', 'tls-storm-rsa']) {
      const [ours] = run.loads.find((load) => load.name === name).results
      assert.ok(ours.rounds[0].stormPerSecond > 0, name)
    }
  })
  it('shows an earlier run as Markdown', () => {
    const { status, output } = bench('--show', json, '--markdown')
    assert.equal(status, 0, output)
    assert.match(output, /^\| farmstead +\| /m)
  })
  it('holds servers to a share of their core', { skip: whyNotHeld() }, () => {
    const file = join(dir, 'held.json')
    const options = ['--cpu-share', '0.2', '--seconds', '1', '--json', file]
    const { status, output } = bench('4k', ...SMALL, ...options, '--servers', 'farmstead,floor')
    assert.equal(status, 0, output)
    assert.match(output, /each server held to 0\.2 of its core/)
    const { loads } = JSON.parse(readFileSync(file, 'utf8'))
    for (const { label, rounds } of loads[0].results)
      assert.ok(rounds[0].busyCores < 0.5, `${label}: ${rounds[0].busyCores}`)
  })
  it('leaves out a server that does not speak what is measured', () => {
    const servers = ['--servers', `wrong=${wrongNode()}`]
    const { status, output } = bench('h2c-4k', ...SMALL, ...servers)
    assert.equal(status, 0, output)
    assert.match(output, /wrong is left out: /)
  })
  it('does not measure a server whose answers are wrong', () => {
    const { status, output } = bench('4k', ...SMALL, '--servers', `wrong=${wrongNode()},floor`)
    assert.equal(status, 0, output)
    assert.match(output, /wrong is left out: \/4k\/page\.html: 5 bytes that are not the file's/)
    assert.doesNotMatch(output, /^ {2}wrong +\d/m)
  })
})

describe('its command line', () => {
  const rows = [
    ['an unknown load', ['4m'], /There is no load "4m": choose of 4k, 449/],
    ['an unknown server', ['4k', '--servers', 'iis'], /There is no server "iis"/],
    ['no rounds', ['4k', '--rounds', '0'], /--rounds must be a number above 0/],
    ['half a repeat', ['4k', '--repeats', '0.5'], /--repeats must be a whole number/],
    [
      'a share of no core',
      ['4k', '--cpu-share', '2'],
      /--cpu-share must be a number above 0 and at most 1/,
    ],
    ['a share of two cores', ['loops', '--cpu-share', '0.5'], /--cpu-share is of one core/],
    ['an unknown option', ['--fast'], /Unknown option '--fast'/],
  ]
  for (const [name, args, wanted] of rows) {
    it(`refuses ${name}`, () => {
      const { status, output } = bench(...args)
      assert.equal(status, 1, output)
      assert.match(output, wanted)
    })
  }
  it('takes "tls" and "h2" for all loads of their kind', () => {
    const { output } = bench('tls', 'h2', '--prepare', '--servers', 'farmstead')
    assert.doesNotMatch(output, /There is no load/)
  })
  it('lists the loads', () => {
    const { output } = bench('--list')
    for (const { name } of loads) assert.match(output, new RegExp(`^${name} `, 'm'))
  })
})
