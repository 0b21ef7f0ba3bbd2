// SPDX-License-Identifier: MIT
// A reload whose config does not come. What `serve` gives it once it is to end passes ten times as quickly here.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ends } from '../support/ends.mjs'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { preload } from '../support/preload.mjs'

const files = { 'a.txt': 'alpha' }
const KILLED_AFTER_MS = 20_000 // by systemd: packaging/systemd

test('SIGTERM ends a node that is in the middle of a reload that hangs', async (t) => {
  const asked = join(tempFolder(t), 'asked')
  const node = await startNode(t, { files, wrap: preload('quick_guard', { QUICK_GUARD: asked }) })
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
  const givenMs = Number(readFileSync(asked, 'utf8'))
  assert.ok(givenMs > 10_000 && givenMs < KILLED_AFTER_MS, `${givenMs} ms`)
})
