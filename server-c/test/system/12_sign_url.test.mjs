// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeBinary, tempFolder } from '../support/node.mjs'

const KEY = 'a key of thirty-two bytes, or so.'

const run = (...args) =>
  spawnSync(nodeBinary, ['sign-url', ...args], { encoding: 'utf8', timeout: 20_000 })

/** As docs/access.md shows it: another program must come to the same signature. */
const signatureOf = (path, expires) =>
  createHmac('sha256', KEY).update(`${path}\n${expires}`).digest('base64url')

function writeKey(t, bytes = `${KEY}\n`, mode = 0o600) {
  const file = join(tempFolder(t), 'key')
  writeFileSync(file, bytes)
  chmodSync(file, mode)
  return file
}

test('a link is signed as any other program would sign it', (t) => {
  const file = writeKey(t)
  for (const [asked, path, link] of [
    ['/a/report.pdf', '/a/report.pdf', '/a/report.pdf'],
    ['/a//b/../c', '/a/c', '/a/c'],
    ['/a%20b/%c3%a4', '/a b/ä', '/a%20b/%C3%A4'],
    ['/a b/ä', '/a b/ä', '/a%20b/%C3%A4'],
    ['/', '/', '/'],
  ]) {
    const { status, stdout, stderr } = run(
      ...['--secret-file', file, '--path', asked, '--expires', '1800000000'],
    )
    assert.equal(stderr, '')
    assert.equal(status, 0, asked)
    assert.equal(
      stdout,
      `${link}?expires=1800000000&signature=${signatureOf(path, 1800000000)}\n`,
      asked,
    )
  }
})

test('--expires-in counts from now', (t) => {
  const before = Math.floor(Date.now() / 1000)
  const { status, stdout } = run(
    ...['--secret-file', writeKey(t), '--path', '/x', '--expires-in', '60'],
  )
  assert.equal(status, 0)
  const [, expires, signature] = /^\/x\?expires=(\d+)&signature=([\w-]{43})\n$/.exec(stdout)
  assert.ok(Number(expires) >= before + 59 && Number(expires) <= Date.now() / 1000 + 61)
  assert.equal(signature, signatureOf('/x', expires))
})

test('a key that all may read is used, with a warning', (t) => {
  const file = writeKey(t, KEY, 0o644)
  const { status, stderr } = run('--secret-file', file, '--path', '/x', '--expires', '1')
  assert.equal(status, 0)
  assert.equal(
    stderr,
    `farmstead-node sign-url: warning: every user of this machine may read ${file}\n`,
  )
})

test('a key that is no key is refused, and says what to do', (t) => {
  const { status, stdout, stderr } = run(
    ...['--secret-file', writeKey(t, 'short\n'), '--path', '/x', '--expires', '1'],
  )
  assert.equal(status, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /key is too short for a key: .*openssl rand -hex 32/)
  const missing = run('--secret-file', '/nonexistent/key', '--path', '/x', '--expires', '1')
  assert.equal(missing.status, 1)
  assert.match(missing.stderr, /\/nonexistent\/key does not exist on this machine/)
})

test('bad usage is one line and exit code 2', (t) => {
  const file = writeKey(t)
  const right = ['--secret-file', file, '--path', '/x', '--expires', '1']
  for (const args of [
    [],
    right.slice(2),
    right.slice(0, 4),
    [...right, '--expires-in', '1'],
    [...right, '--path', '/y'],
    [...right, 'more'],
    [...right, '--unknown'],
    ['--secret-file', file, '--path', '/x', '--expires', ''],
    ['--secret-file', file, '--path', '/x', '--expires', '1.5'],
    ['--secret-file', file, '--path', '/x', '--expires', '-1'],
    ['--secret-file', file, '--path', '/x', '--expires', '10000000000'],
    ['--secret-file', file, '--path', '/x', '--expires', '99999999999999999999999'],
    ['--secret-file', file, '--path', '/x', '--expires-in', '9999999999'],
    ['--secret-file', file, '--path', 'x', '--expires', '1'],
    ['--secret-file', file, '--path', '/x?y', '--expires', '1'],
    ['--secret-file', file, '--path', '/../x', '--expires', '1'],
    ['--secret-file', file, '--path', '/%zz', '--expires', '1'],
    ['--secret-file', file, '--path', '', '--expires', '1'],
  ]) {
    const { status, stdout, stderr } = run(...args)
    assert.equal(status, 2, args.join(' '))
    assert.equal(stdout, '')
    assert.match(stderr, /^farmstead-node sign-url: [^\n]+\n$/)
  }
})

test('--help names it', () => {
  const { stdout } = spawnSync(nodeBinary, ['--help'], { encoding: 'utf8', timeout: 20_000 })
  assert.match(stdout, /farmstead-node sign-url --secret-file FILE/)
})
