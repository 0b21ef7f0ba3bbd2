// SPDX-License-Identifier: MIT
// Names longer than NAME_MAX, which FUSE and ZFS have: listed by the rules, and served.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longNamesDisk, noLongNames } from '../support/long-names-disk.mjs'
import { startNode } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const NAME = `${'n'.repeat(1000)}.txt`
const directoryListing = { enabled: true }

for (const symlinks of ['within-root', 'same-owner']) {
  const name = `a name of 1,004 bytes is listed and served, symlinks ${symlinks}`
  test(name, { skip: noLongNames }, async (t) => {
    const folder = await longNamesDisk(t, NAME)
    const access = [{ action: 'deny', paths: ['*.secret'] }]
    const site = { root: folder, symlinks, directoryListing, access }
    const node = await startNode(t, { site })
    const listing = await get(node.port, '/', { lines: ['Accept: application/json'] })
    assert.equal(listing.status, 200)
    assert.ok(listing.text.includes(`"${NAME}"`), listing.text)
    const { status, text } = await get(node.port, `/${NAME}`)
    assert.deepEqual([status, text], [200, 'what is in it'])
  })
}

test('a rule hides such a name from the listing as it does any other', {
  skip: noLongNames,
}, async (t) => {
  const folder = await longNamesDisk(t, NAME)
  const access = [{ action: 'deny', paths: ['*.txt'] }]
  const node = await startNode(t, { site: { root: folder, directoryListing, access } })
  const listing = await get(node.port, '/', { lines: ['Accept: application/json'] })
  assert.equal(listing.status, 200)
  assert.ok(!listing.text.includes('nnn'))
  assert.equal((await get(node.port, `/${NAME}`)).status, 403)
})
