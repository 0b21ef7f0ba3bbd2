// SPDX-License-Identifier: MIT
// The control plane is started in four places, each with words of its own: all bound its memory alike.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { serverWords } from '../farm/control-plane.ts'

const flags = serverWords.filter((word) => word.startsWith('--')).join(' ')
const controlApi = join(import.meta.dirname, '../../control-api')
const read = (file: string) => readFileSync(join(controlApi, file), 'utf8')

for (const file of [
  'package.json',
  'docker-entrypoint.sh',
  'packaging/systemd/farmstead-control-plane.service',
  'README.md',
]) {
  it(`${file} starts it with ${flags}`, () => {
    const starts = read(file)
      .split('\n')
      .filter((line) => /\bnode .*(?:src\/server\.ts|dist\/current\/server\.js)/.test(line))
    assert.equal(starts.length, 1)
    assert.ok(starts[0]?.includes(`node ${flags} `), starts[0])
  })
}

for (const file of [
  'Dockerfile',
  'packaging/systemd/farmstead-control-plane.service',
  'README.md',
]) {
  it(`${file} bounds the C library's arenas`, () => assert.match(read(file), /MALLOC_ARENA_MAX=2/))
}
