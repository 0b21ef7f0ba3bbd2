// SPDX-License-Identifier: MIT
// Each row of ../conformance over a real socket, in one piece and in many: how the bytes of a
// request arrive must not change its answer.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkRow } from '../conformance/check.mjs'
import { writeDocroot } from '../conformance/docroot.mjs'
import { contextOf, exchange, rowFor } from '../conformance/exchange.mjs'
import { tables } from '../conformance/tables.mjs'
import { startNode } from '../support/node.mjs'

describe('conformance', () => {
  const cleanups = []
  let node
  let context

  before(async () => {
    node = await startNode({ after: (f) => cleanups.push(f) })
    writeDocroot(node.folder)
    const sites = [
      { hosts: ['*'], root: `${node.folder}/www` },
      { hosts: ['other.test'], root: `${node.folder}/other` },
    ]
    assert.ok(await node.reload({ ...node.config, sites }))
    context = await contextOf(node.port)
  })
  after(async () => {
    for (const f of cleanups.reverse()) await f()
  })

  const check = async (row, options) => {
    const sent = rowFor(row, context)
    checkRow(sent, await exchange(node.port, sent, options), context)
  }

  for (const { title, rows } of tables)
    describe(title, { concurrency: 8 }, () => {
      for (const row of rows)
        test(`${row.name} (RFC ${row.rfc})`, async () => {
          await check(row)
          if (!row.inOnePiece) await check(row, { inPieces: true })
        })
    })
})

test('no two rows of a table have the same name', () => {
  for (const { title, rows } of tables) {
    const names = rows.map((row) => row.name)
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
      title,
    )
  }
})
