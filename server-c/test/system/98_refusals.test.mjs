// SPDX-License-Identifier: MIT
// Each refusal, with the site's page for it, and the request behind it on the same connection.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder } from '../support/node.mjs'
import { RawClient } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha', 'in/x.txt': 'inner', 'no/x.txt': 'no', 'err/4xx.html': 'refused' }
const REFUSALS = [
  { status: 401, target: '/in/x.txt', page: true },
  { status: 403, target: '/no/x.txt', page: true },
  { status: 404, target: '/missing', page: true },
  { status: 405, target: '/a.txt', method: 'POST', page: true },
  { status: 412, target: '/a.txt', line: 'If-Match: "x"', page: true },
  { status: 416, target: '/a.txt', method: 'GET', line: 'Range: bytes=9-', page: true },
  { status: 421, target: '/a.txt', host: 'other.test', page: false },
  { status: 501, target: '/a.txt', method: 'BREW', page: false },
]
const BODIES = ['', 'b', 'b'.repeat(20_000)]

const head = ({ target, method = 'GET', host = 'a.test', line }, version, more = []) =>
  `${[`${method} ${target} HTTP/${version}`, `Host: ${host}`, ...(line ? [line] : []), ...more].join('\r\n')}\r\n\r\n`

/** What the body of the answer is to be; null: one of our own pages. */
function checkRefusal(answer, { status, page, method }, pages) {
  assert.equal(answer.status, status)
  assert.equal('www-authenticate' in answer.headers, status === 401)
  assert.equal('content-range' in answer.headers, status === 416)
  if (method === 'HEAD') assert.equal(answer.body.length, 0)
  else if (page && pages) assert.equal(answer.text, 'refused')
  else assert.match(answer.text, new RegExp(`<title>${status} `))
  if (page && pages) assert.equal(answer.headers['content-length'], '7')
}

async function start(t, pages, statCache) {
  const users = join(tempFolder(t), 'users')
  writeFileSync(users, 'zoe:$2b$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq\n')
  return startNode(t, {
    files,
    site: {
      hosts: ['a.test'],
      errorPages: pages ? { '4xx': '/err/4xx.html' } : {},
      access: [{ action: 'deny', paths: ['/no/**'] }],
      auth: [{ paths: ['/in/**'], realm: 'in', file: users }],
    },
    config: { statCache },
  })
}

for (const [name, pages, statCache] of [
  ['pages of ours', false, {}],
  ['pages of the site', true, {}],
  ['pages of the site, looked up each time', true, { engine: 'off' }],
]) {
  test(`refusals leave the connection as good as before: ${name}`, async (t) => {
    const node = await start(t, pages, statCache)
    for (const refusal of REFUSALS)
      for (const method of refusal.method ? [refusal.method] : ['GET', 'HEAD'])
        for (const body of BODIES) {
          const what = { ...refusal, method }
          const length = body ? [`Content-Length: ${body.length}`] : []
          const kept = [...length, 'Connection: keep-alive']
          const client = await RawClient.connect(node.port)
          client.send(head(what, '1.1', length) + body + head(what, '1.0', kept) + body)
          client.send(head({ target: '/a.txt' }, '1.1'))
          client.send(head(what, '1.1', ['Connection: close']))
          const isHead = method === 'HEAD'
          checkRefusal(await client.response({ isHead }), what, pages)
          const old = await client.response({ isHead })
          checkRefusal(old, what, pages)
          assert.equal(old.headers.connection, 'keep-alive')
          assert.equal((await client.response()).text, 'alpha')
          const last = await client.response({ isHead })
          checkRefusal(last, what, pages)
          assert.equal(last.headers.connection, 'close')
          assert.equal((await client.closed()).length, 0)
        }
  })
}
