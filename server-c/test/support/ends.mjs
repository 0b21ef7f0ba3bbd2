// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { once } from 'node:events'

/** How long nobody is to wait, on a machine that is busy with other things as well. */
const END_MS = 25_000

/** The exit code of a process that SIGTERM ends. */
export async function ends(child) {
  const exited = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
  child.kill('SIGTERM')
  const [code, signal] = await exited
  clearTimeout(timer)
  assert.equal(signal, null, 'SIGTERM ends it')
  return code
}
