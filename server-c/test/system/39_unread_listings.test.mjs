// SPDX-License-Identifier: MIT
// What unread lists of very many files cost: a bound on all of them together, and nothing when they are given up.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectHttp2 } from '../conformance/http2.mjs'
import {
  beginning,
  LONG,
  resetHttp1,
  resetHttp2,
  startListing,
  theRest,
} from '../support/long-lists.mjs'
import { goneOf } from '../support/many-clients.mjs'
import { rssBytes } from '../support/process.mjs'
import { get } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

test('unread lists hold their names, read ones come whole, of reset ones nothing stays', async (t) => {
  const node = await startListing(t, { count: 30_000, rest: LONG })
  const some = join(node.root, 'some')
  mkdirSync(some)
  execFileSync('sh', ['-c', `seq -f '%06.0f${LONG}' 1 5000 | xargs touch`], { cwd: some })
  const witness = await Witness.start(node.port)
  const whole = (await get(node.port, '/many/')).body
  const clients = [await beginning(node)]
  const isListed = ({ chunks }) => chunks[0].toString('latin1').startsWith('HTTP/1.1 200 ')
  const before = rssBytes(node.child.pid)
  for (let i = 0; i < 3; i++) clients.push(await beginning(node))
  const more = rssBytes(node.child.pid) - before
  t.diagnostic(`${(more / 3 / 1024) | 0} KiB for each list of ${(whole.length / 1024) | 0} KiB`)
  // Sanitizers keep several bytes for each of the names.
  assert.ok(more < 3 * whole.length, `${more} bytes for three lists of ${whole.length}`)
  // 64 MiB of names are kept, at 8.6 MB for each of these: seven lists.
  while (isListed(clients.at(-1))) {
    assert.ok(clients.length < 8, 'there is no bound')
    clients.push(await beginning(node))
  }
  assert.equal(clients.length, 8)
  // There is room for four of the others: were the names of one kept, the fifth would be 503.
  for (let i = 0; i < 6; i++) {
    await resetHttp1(node, '/some/')
    await goneOf(node, clients.length + 1)
  }
  const session = connectHttp2(node.port)
  for (let i = 0; i < 6; i++) await resetHttp2(session, '/some/')
  session.destroy()
  for (const client of clients.slice(0, 3)) assert.ok((await theRest(client)).equals(whole))
  await witness.stop(t)
  for (const client of clients) client.close()
  await goneOf(node, 0)
  assert.equal((await get(node.port, '/many/')).body.length, whole.length)
})
