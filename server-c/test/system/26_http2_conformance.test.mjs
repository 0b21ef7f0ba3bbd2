// SPDX-License-Identifier: MIT
// The rows of ../conformance that HTTP/2 can ask, asked over HTTP/2: the answer is that of HTTP/1.1.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkResponse } from '../conformance/check.mjs'
import { writeDocroot } from '../conformance/docroot.mjs'
import { contextOf, rowFor } from '../conformance/exchange.mjs'
import { asHttp2, connectHttp2, exchangeHttp2 } from '../conformance/http2.mjs'
import { tables } from '../conformance/tables.mjs'
import { startNode } from '../support/node.mjs'

const H2_PROTOCOL_ERROR = 1

// How many rows there are at least: a mistake in asHttp2 must not let them go unasked.
const ROWS_MIN = 300

// Fields are counted in another way (RFC 9113 section 6.5.2): 22_http2.
const BYTES_MAX = 15_000

describe('conformance over HTTP/2', () => {
  const cleanups = []
  let node
  let context
  let asked = 0

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
    assert.ok(asked >= ROWS_MIN, `only ${asked} rows were asked`)
  })

  for (const { title, rows } of tables)
    describe(title, () => {
      for (const row of rows.filter((one) => !one.responses && !one.hangsUp))
        test(`${row.name} (RFC ${row.rfc})`, async (t) => {
          const sent = rowFor(row, context)
          const request = sent.bytes.length < BYTES_MAX && asHttp2(sent.bytes)
          if (!request) return t.skip('no such request in HTTP/2')
          asked++
          const session = connectHttp2(node.port)
          const response = await exchangeHttp2(session, request)
          session.destroy()
          // What the protocol itself forbids is an error of the stream (RFC 9113 section 8.1.1).
          if (response.status === undefined) {
            assert.equal(sent.status, 400, 'no answer')
            return assert.equal(response.reset, H2_PROTOCOL_ERROR)
          }
          const { connection, ...headers } = sent.headers ?? {}
          checkResponse(response, { ...sent, headers }, context)
          assert.ok(response.headers.date)
          assert.equal(response.headers.connection, undefined)
        })
    })
})
