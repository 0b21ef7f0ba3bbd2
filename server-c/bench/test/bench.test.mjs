// SPDX-License-Identifier: MIT
// What is asked of the bench, and whom it leaves out. Each load is measured once by the files beside this one.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loads } from '../loads.mjs'
import { bench, dir, SMALL } from './support/small-bench.mjs'

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
  it('says what there is, and what one of them takes, without measuring anything', () => {
    const all = bench('--help')
    assert.equal(all.status, 0, all.output)
    assert.match(all.output, /npm run bench -- fleet \[OPTION …\]/)
    assert.doesNotMatch(all.output, /requests\/s|Setting up/)
    const one = bench('fleet', '--help')
    assert.equal(one.status, 0, one.output)
    assert.match(one.output, /npm run fleet -- \[--nodes 100,1000\]/)
    assert.doesNotMatch(one.output, /SPDX|import|all were connected/)
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
