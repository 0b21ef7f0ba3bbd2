// SPDX-License-Identifier: MIT
// The control plane is started in four places, each with words of its own: all bound its young generation.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { serverWords } from '../farm/control-plane.ts'

const [flag = ''] = serverWords
const controlApi = join(import.meta.dirname, '../../control-api')

for (const file of [
  'package.json',
  'docker-entrypoint.sh',
  'packaging/systemd/farmstead-control-plane.service',
  'README.md',
]) {
  it(`${file} starts it with ${flag}`, () => {
    const starts = readFileSync(join(controlApi, file), 'utf8')
      .split('\n')
      .filter((line) => /\bnode .*src\/server\.ts/.test(line))
    assert.equal(starts.length, 1)
    assert.ok(starts[0]?.includes(`node ${flag} `), starts[0])
  })
}
