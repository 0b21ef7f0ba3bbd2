// SPDX-License-Identifier: MIT
// The protocol folder itself: every example is valid against the schema of its name, every message
// has an example, and none is left without a schema.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { protocolDir, schemaNames, validate } from '../support/protocol-schemas.mjs'

const examples = readdirSync(`${protocolDir}examples`)
/** "nack.request.fenced.json" is an example of "nack.request". */
const messageOf = (file) => (file === 'problem.json' ? 'problem' : file.split('.', 2).join('.'))

for (const file of examples) {
  test(`the example ${file} is valid`, () => {
    const value = JSON.parse(readFileSync(`${protocolDir}examples/${file}`, 'utf8'))
    assert.deepEqual(validate(messageOf(file), value), [])
  })
}

test('every message has an example', () => {
  const shown = new Set(examples.map(messageOf))
  const messages = schemaNames.map((name) => name.replace('.schema.json', ''))
  const missing = messages.filter((name) => !shown.has(name))
  assert.deepEqual(missing, ['common', 'empty.response'])
})

test('a schema refuses a message that lacks a member', () => {
  const hello = JSON.parse(readFileSync(`${protocolDir}examples/hello.request.json`, 'utf8'))
  delete hello.bootId
  assert.deepEqual(validate('hello.request', hello), ["/ must have required property 'bootId'"])
})
