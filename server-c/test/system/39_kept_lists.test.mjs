// SPDX-License-Identifier: MIT
// Lists that clients take while the folder changes, is renamed and goes. A file of its own: with a sanitizer it takes long.
import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  beginning,
  checkNames,
  LONG,
  names,
  startListing,
  theRest,
} from '../support/long-lists.mjs'
import { get } from '../support/raw.mjs'

test('a list stays that of the folder it was asked of, whatever becomes of it', async (t) => {
  const node = await startListing(t, { count: 10_000, rest: LONG })
  const whole = (await get(node.port, '/many/')).body
  const changes = [
    () => writeFileSync(join(node.many, 'a-new-one'), ''),
    () => renameSync(node.many, `${node.many}.gone`),
    () => rmSync(`${node.many}.gone`, { recursive: true }),
  ]
  const clients = []
  for (const change of changes) {
    clients.push(await beginning(node))
    if (clients.length === 1) change()
  }
  // The second and the third have the new file, too, and lose the folder as they read.
  for (const change of changes.slice(1)) change()
  assert.equal(
    await node.reload({ ...node.config, sites: [{ hosts: ['*'], root: node.root }] }),
    true,
    node.log,
  )
  assert.ok((await theRest(clients[0])).equals(whole))
  for (const client of clients.slice(1)) {
    const got = (await theRest(client)).toString()
    assert.match(got, /<bdi>a-new-one<\/bdi>/)
    checkNames(names(got), 10_000)
  }
  for (const client of clients) client.close()
  assert.equal((await get(node.port, '/many/')).status, 404)
})
