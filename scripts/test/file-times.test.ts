// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { longFiles } from '../testing/file-times.mjs'

const REPORTER = resolve(import.meta.dirname, '../testing/file-times-reporter.mjs')

describe('longFiles', () => {
  it('names what took longer than ten seconds, the longest first', () => {
    const output = ` ✓ test/a.test.ts (15 tests) 96ms
 ✓ test/b.test.ts (1 test) 10001ms
 ❯ test/c.test.ts (23 tests | 1 failed) 56404ms
 ✓ test/d.test.ts (2 tests) 10000ms
   ✓ a test that took long 20000ms
 Duration  56.40s
`
    assert.deepEqual(longFiles(output), ['test/c.test.ts 56.4 s', 'test/b.test.ts 10.0 s'])
  })
})

describe('the reporter for node:test', () => {
  it('says how long each file took, in the form that is looked for', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'farmstead-file-times-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const test = (name: string, body: string) =>
      writeFileSync(join(folder, name), `require('node:test').test('t', () => { ${body} })`)
    test('good.test.cjs', '')
    test('bad.test.cjs', 'throw new Error()')
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const words = ['--test', `--test-reporter=${REPORTER}`, 'bad.test.cjs', 'good.test.cjs']
    const { stdout } = spawnSync(process.execPath, words, { cwd: folder, env, encoding: 'utf8' })
    assert.match(stdout, /^ ❯ bad\.test\.cjs \(1 tests\) \d+ms$/m)
    assert.match(stdout, /^ ✓ good\.test\.cjs \(1 tests\) \d+ms$/m)
    assert.deepEqual(longFiles(stdout.replace(/\d+ms/g, '12000ms')).toSorted(), [
      'bad.test.cjs 12.0 s',
      'good.test.cjs 12.0 s',
    ])
  })
})
