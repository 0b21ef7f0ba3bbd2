// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parseArgs } from 'node:util'
import { buildPackages } from '../setup/debian-packages.mjs'
import { lock, processStart, tryLock } from '../setup/lock.mjs'
import { isNewEnough } from '../setup/node-toolchain.mjs'
import { asProblem, Problem, remedyFor } from '../setup/problem.mjs'
import { withSystemFolders } from '../setup/system-folders.mjs'

const dir = mkdtempSync(join(tmpdir(), 'farmstead-scripts-'))
after(() => rmSync(dir, { recursive: true }))

describe('isNewEnough', () => {
  const rows: [version: string, is: boolean][] = [
    ['v18.20.4', false],
    ['v20.20.2', false],
    ['v24.6.9', false],
    ['v24.7.0', true],
    ['v24.21.0', true],
    ['v26.0.0', true],
  ]
  for (const [version, is] of rows) {
    it(`${version} ${is ? 'is' : 'is not'}`, () => assert.equal(isNewEnough(version), is))
  }
})

describe('the path of who became root by `su` alone', () => {
  const complete = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  it('has the folders of the system at its end', () =>
    assert.equal(
      withSystemFolders('/opt/node/bin:/usr/bin:/bin'),
      '/opt/node/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
    ))
  it('stays as it is where they are', () => assert.equal(withSystemFolders(complete), complete))
})

describe('what the node is built with', () => {
  const [root, tool] = [join(import.meta.dirname, '../..'), 'ca-certificates']
  const needed = buildPackages.filter((name) => name !== tool).sort()
  for (const file of ['server-c/Dockerfile', 'control-api/Dockerfile', 'server-c/README.md']) {
    it(`${file} names the packages that set-up brings`, () => {
      const said = /(?:recommends \\\n +|^Debian packages: `)(cmake [^`]+?)(?: \\\n|`)/m.exec(
        readFileSync(join(root, file), 'utf8'),
      )
      assert.deepEqual((said?.[1] ?? '').split(/\s+/).sort(), needed)
    })
  }
})

describe('remedyFor', () => {
  const rows: [output: string, remedy: RegExp][] = [
    ['npm error code ENOSPC', /^The disk is full/],
    ['tar: x: Cannot write: No space left on device', /^The disk is full/],
    ['npm error code EAI_AGAIN', /^A package registry cannot be reached/],
    ['E: Unable to locate package cmake', /^This system has no such Debian package/],
    ['E: Could not get lock /var/lib/dpkg/lock-frontend', /^Another package manager/],
    ['fatal error: nonsense', /in setup\.log\.$/],
  ]
  for (const [output, remedy] of rows) {
    it(`"${output}"`, () => assert.match(remedyFor(output, 'setup.log'), remedy))
  }
})

describe('asProblem', () => {
  it('keeps a Problem', () => {
    const problem = new Problem('Do this.')
    assert.equal(asProblem(problem), problem)
  })
  it('makes a sentence of a full disk', () => {
    const full = Object.assign(new Error('write failed'), { code: 'ENOSPC' })
    assert.match(asProblem(full).message, /^The disk is full/)
  })
  it('says which option it does not know', () => {
    const unknown = () => parseArgs({ args: ['--bogus'], options: {} })
    assert.throws(unknown, (error) => /'--bogus'/.test(asProblem(error).message))
  })
  it('throws a bug again', () => {
    const bug = new TypeError('x is not a function')
    assert.throws(() => asProblem(bug), bug)
  })
})

describe('lock', () => {
  it('is held by one, and free after release', () => {
    const file = join(dir, 'one')
    const first = tryLock(file)
    assert('release' in first)
    assert.deepEqual(tryLock(file), { pid: process.pid })
    first.release()
    assert(!existsSync(file))
    assert('release' in tryLock(file))
  })

  it('is taken over from a process that is gone', () => {
    const file = join(dir, 'gone')
    const { pid } = spawnSync('true')
    writeFileSync(file, `${pid} 1\n`)
    assert('release' in tryLock(file))
  })

  it('is taken over when the pid is another process by now', () => {
    const file = join(dir, 'reused')
    writeFileSync(file, `${process.pid} ${Number(processStart(process.pid)) - 1}\n`)
    assert('release' in tryLock(file))
  })

  it('is waited for, and the wait is told once', async () => {
    const file = join(dir, 'waited')
    const first = tryLock(file)
    assert('release' in first)
    const told: number[] = []
    const second = lock(file, (pid) => {
      told.push(pid)
      setImmediate(() => first.release())
    })
    assert('release' in (await second))
    assert.deepEqual(told, [process.pid])
  })
})
