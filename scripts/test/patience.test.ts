// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { type TestContext, test } from 'node:test'
import { Patience } from '../testing/patience.mjs'

const sleeper = (t: TestContext): number => {
  const child: ChildProcess = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  t.after(() => child.kill())
  assert.ok(child.pid)
  return child.pid
}

/** By the kernel that goes by sessions, or by the process. */
function niceness(pid: number): number {
  const file = `/proc/${pid}/autogroup`
  if (!existsSync(file)) return getPriority(pid)
  return Number(/nice (\d+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? getPriority(pid))
}

test('a command is nice while nobody waits for it, and again afterwards', async (t) => {
  const patience = new Patience()
  const first = sleeper(t)
  patience.begin(first)
  assert.equal(niceness(first), 19)
  assert.equal(getPriority(first), 19)
  await new Promise((resolve) => setTimeout(resolve, 150)) // who is not root may change it ten times a second
  patience.waitedFor(true)
  assert.equal(niceness(first), 0)
  patience.end()
  const second = sleeper(t)
  patience.begin(second)
  assert.equal(niceness(second), 0)
  await new Promise((resolve) => setTimeout(resolve, 150))
  patience.waitedFor(false)
  assert.equal(niceness(second), 19)
})
