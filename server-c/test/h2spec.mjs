// SPDX-License-Identifier: MIT
// Runs h2spec (https://github.com/summerwind/h2spec) against a node, and fails when a case fails that is not
// listed here, or passes that is. Not part of the tests: the program is in no Debian package.
//   node test/h2spec.mjs [--h2spec BINARY]
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder } from './support/node.mjs'

const flag = process.argv.indexOf('--h2spec')
const h2spec = flag > 0 ? process.argv[flag + 1] : 'h2spec'

/** Cases that fail, and why that is as it should be. */
const exceptions = {
  'http2/3.5 Sends invalid connection preface':
    'what does not begin with the preface is HTTP/1.1: it gets 400 in that version, then the end',
  'http2/5.1 closed: Sends a DATA frame after sending RST_STREAM frame':
    'libnghttp2 drops DATA on closed streams, and opens the connection’s window again',
  'http2/5.1 closed: Sends a DATA frame': 'the same',
  'http2/5.3.1 Sends PRIORITY frame that depend on itself':
    'priorities of RFC 7540 are not looked at: RFC 9113 section 5.3.2 has done away with them',
}

test('h2spec', async (t) => {
  const node = await startNode(t, { files: { 'big.bin': Buffer.alloc(10 << 20, 'x') } })
  const report = join(tempFolder(t), 'report.xml')
  const args = ['-h', '127.0.0.1', '-p', node.port, '-P', '/big.bin', '-o', '1', '-j', report]
  try {
    execFileSync(h2spec, args.map(String), { stdio: 'ignore' })
  } catch (error) {
    // It ends with 1 when a case failed: the report says which.
    if (error.code === 'ENOENT')
      throw new Error(
        'h2spec is not here: go install github.com/summerwind/h2spec/cmd/h2spec@latest',
      )
  }
  const xml = readFileSync(report, 'utf8')
  const cases = [
    ...xml.matchAll(/<testcase package="([^"]+)" classname="([^"]+)"[^>]*>\s*(<(error|failure))?/g),
  ]
  const failed = cases.filter(([, , , bad]) => bad).map(([, section, name]) => `${section} ${name}`)
  assert.ok(cases.length >= 145, `${cases.length} cases`)
  assert.deepEqual(failed.sort(), Object.keys(exceptions).sort())
})
