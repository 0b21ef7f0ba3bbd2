// SPDX-License-Identifier: MIT
// A list of as many files as it may have. A file of its own: with a sanitizer it takes long.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkNames, JSON_WANTED, names, startListing } from '../support/long-lists.mjs'
import { get } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

test('200,000 names are listed, all of them, and of one more it is said', async (t) => {
  const node = await startListing(t, { count: 200_000 })
  const witness = await Witness.start(node.port)
  const page = await get(node.port, '/many/')
  const json = await get(node.port, '/many/', JSON_WANTED)
  writeFileSync(join(node.many, 'one-more'), '')
  const cut = await get(node.port, '/many/', JSON_WANTED)
  await witness.stop(t) // before this process takes them apart, which would keep it waiting
  assert.equal(page.status, 200)
  assert.ok(page.complete)
  checkNames(names(page.text), 200_000)
  assert.match(page.text, /<\/html>\n$/)
  assert.doesNotMatch(page.text, /There are more entries/)
  const whole = JSON.parse(json.text)
  checkNames(
    whole.entries.map(({ name }) => name),
    200_000,
  )
  assert.equal(whole.truncated, false)
  const { entries, truncated } = JSON.parse(cut.text)
  assert.equal(entries.length, 200_000)
  assert.equal(truncated, true)
})
