// SPDX-License-Identifier: MIT
// A stop while the disk does not answer. A file of its own, as it says how long that may take.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hungDisk } from '../support/hung-disk.mjs'
import { startNode } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const files = { 'hang-open.txt': 'late' }
const config = { io: { timeoutSeconds: 1, statThreads: 4, readThreads: 4 } }

test('a stop does not wait for it', async (t) => {
  const { wrap } = hungDisk(t)
  const node = await startNode(t, { files, config, wrap })
  node.expectFailure = true
  assert.equal((await get(node.port, '/hang-open.txt')).status, 503)
  const start = Date.now()
  assert.equal(await node.stop(), 1)
  assert.ok(Date.now() - start < 9000, `${Date.now() - start} ms`)
  assert.match(node.log, /a disk does not answer/)
})
