// SPDX-License-Identifier: MIT
// A reload whose config does not come: nineteen seconds, as those are what `serve` gives it once it is to end.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { test } from 'node:test'
import { ends } from '../support/ends.mjs'
import { startNode, until } from '../support/node.mjs'

const files = { 'a.txt': 'alpha' }

test('SIGTERM ends a node that is in the middle of a reload that hangs', async (t) => {
  const node = await startNode(t, { files })
  node.expectFailure = true
  execFileSync('rm', [node.configPath])
  execFileSync('mkfifo', [node.configPath])
  node.child.kill('SIGHUP')
  // Someone who has it open, and says nothing; it can be opened when the node reads.
  const silent = await until(() => {
    try {
      return openSync(node.configPath, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      assert.equal(error.code, 'ENXIO')
    }
  }, 'the reload')
  t.after(() => closeSync(silent))
  assert.equal(await ends(node.child), 1)
})
