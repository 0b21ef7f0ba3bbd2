// SPDX-License-Identifier: MIT
// Ways around a site's rules that were open once, or that others have left open: each asks a real
// node for what its config forbids.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder } from '../support/node.mjs'
import { exchange, get, RawClient, request } from '../support/raw.mjs'

// Both of "sesame".
const ZOE = '$2b$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq'
const KEY = 'a secret of enough bytes'

const as = (user) => ({
  lines: [`Authorization: Basic ${Buffer.from(`${user}:sesame`).toString('base64')}`],
})

function userFile(t, ...users) {
  const file = join(tempFolder(t), 'users')
  writeFileSync(file, users.map((user) => `${user}:${ZOE}\n`).join(''))
  return file
}

function secretOf(t) {
  const file = join(tempFolder(t), 'secret')
  writeFileSync(file, KEY)
  return file
}

function signed(path, signedPath = path) {
  const expires = Math.floor(Date.now() / 1000) + 60
  const signature = createHmac('sha256', KEY)
    .update(`${signedPath}\n${expires}`)
    .digest('base64url')
  return `${path}?expires=${expires}&signature=${signature}`
}

test('a folder is no way around a rule about its index file', async (t) => {
  const node = await startNode(t, {
    files: {
      'in/index.html': 'inside',
      'in/index.html.gz': 'INSIDE',
      'paid/index.htm': 'paid',
      'own/index.xhtml': 'own',
    },
    site: {
      index: ['index.html', 'index.htm', 'index.xhtml'],
      auth: [{ paths: ['*.html'], realm: 'inner', file: userFile(t, 'zoe') }],
      signedUrls: [{ paths: ['*.htm'], secretFile: secretOf(t) }],
      hotlink: [{ paths: ['*.xhtml'], allowEmpty: false }],
    },
  })
  const status = async (target, options) => (await get(node.port, target, options)).status
  for (const target of ['/in/', '/in/index.html', '//in//', '/x/../in/', '/in/?index.html']) {
    assert.equal(await status(target), 401, target)
    assert.equal((await get(node.port, target, as('zoe'))).text, 'inside', target)
    assert.equal(await status(target, as('ann')), 401, target)
    assert.equal(await status(target, { method: 'HEAD' }), 401, target)
    assert.equal(await status(target, { lines: ['Accept-Encoding: gzip'] }), 401, target)
    assert.equal(await status(target, { lines: ['If-None-Match: *'] }), 401, target)
  }
  assert.equal(await status('/paid/'), 403)
  assert.equal(await status(signed('/paid/', '/paid/index.htm')), 403)
  assert.equal((await get(node.port, signed('/paid/'))).text, 'paid')
  assert.equal((await get(node.port, signed('/paid/index.htm'))).text, 'paid')
  assert.equal(await status('/own/'), 403)
  assert.equal(await status('/own/', { lines: ['Referer: http://foe.test/'] }), 403)
  assert.equal(await status('/own/', { lines: ['Referer: http://test/'] }), 200)
})

test('a folder and its index file under two rules need both, request by request', async (t) => {
  const node = await startNode(t, {
    files: { 'in/index.html': 'inside', 'in/a.txt': 'text' },
    site: {
      auth: [
        { paths: ['*.html'], realm: 'pages', file: userFile(t, 'zoe', 'ann') },
        { paths: ['/in/**'], realm: 'inner', file: userFile(t, 'zoe', 'bob') },
      ],
    },
  })
  const client = await RawClient.connect(node.port)
  for (const [target, user, status] of [
    ['/in/', 'zoe', 200],
    ['/in/', 'ann', 401],
    ['/in/', 'bob', 401],
    ['/in/', null, 401],
    ['/in/index.html', 'ann', 200],
    ['/in/a.txt', 'ann', 401],
    ['/in/a.txt', 'bob', 200],
    ['/in/', 'zoe', 200],
  ]) {
    client.send(request(target, user ? as(user) : {}))
    assert.equal((await client.response()).status, status, `${target} ${user}`)
  }
  client.close()
})

test('the coded form of a file is under the rules of the file', async (t) => {
  const node = await startNode(t, {
    files: {
      'a.inc.gz': 'x',
      'a.html.br': 'x',
      'a.htm.zst': 'x',
      'a.png.gz': 'x',
      'free.txt.gz': 'free',
      'old.inc.Z': 'no coding of ours',
    },
    site: {
      access: [{ action: 'deny', paths: ['*.inc'] }],
      auth: [{ paths: ['*.html'], realm: 'inner', file: userFile(t, 'zoe') }],
      signedUrls: [{ paths: ['*.htm'], secretFile: secretOf(t) }],
      hotlink: [{ paths: ['*.png'], allowEmpty: false }],
    },
  })
  const status = async (target, options) => (await get(node.port, target, options)).status
  assert.equal(await status('/a.inc.gz'), 403)
  assert.equal(await status('/a.html.br'), 401)
  assert.equal(await status('/a.html.br', as('zoe')), 200)
  assert.equal(await status('/a.htm.zst'), 403)
  assert.equal(await status(signed('/a.htm.zst')), 200)
  assert.equal(await status('/a.png.gz'), 403)
  assert.equal(await status('/free.txt.gz'), 200)
  assert.equal(await status('/old.inc.Z'), 200)
})

test('a rewrite does not lead around a signature', async (t) => {
  const node = await startNode(t, {
    files: { 'paid/film.bin': 'film', 'paid/index.html': 'list' },
    site: {
      rewrites: [{ match: '^/v[0-9]+/(.*)$', to: '/$1' }],
      signedUrls: [{ paths: ['/paid/**'], secretFile: secretOf(t) }],
    },
  })
  const ask = async (target) => get(node.port, target)
  for (const target of ['/v1/paid/film.bin', '/v1/paid/', '/v1//paid/film.bin', '/x/../v1/paid/'])
    assert.equal((await ask(target)).status, 403, target)
  assert.equal((await ask(signed('/v1/paid/film.bin', '/paid/film.bin'))).status, 403)
  assert.equal((await ask(signed('/v1/paid/film.bin'))).text, 'film')
  assert.equal((await ask(signed('/paid/film.bin'))).text, 'film')
})

test('a rewrite keeps to the folder its rule names', async (t) => {
  const node = await startNode(t, {
    files: { 'top.txt': 'top', 'sites/x.txt': 'between', 'sites/a.test/x.txt': 'a' },
    site: {
      rewrites: [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the rule's
        { match: '^/q$', to: '/sites/a.test/${query}' },
        { match: '^/cut/([^-]*)-', to: '/sites/a.test/$1/x.txt' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the rule's
        { match: '^/(.*)$', to: '/sites/${host}/$1' },
      ],
    },
  })
  for (const host of ['a.test', 'A.Test', 'a.test.', 'a.test:80'])
    assert.equal((await get(node.port, '/x.txt', { host })).text, 'a', host)
  for (const [target, host] of [
    ['/top.txt', '..'],
    ['/top.txt', '...'],
    ['/x.txt', '.'],
    ['/x.txt', ''],
    ['/q?../x.txt', 'a.test'],
    ['/q?../../top.txt', 'a.test'],
    ['/q?%2e%2e/x.txt', 'a.test'],
    ['/cut/..-', 'a.test'],
  ])
    assert.ok([400, 404].includes((await get(node.port, target, { host })).status), target + host)
  assert.equal((await exchange(node.port, 'GET /x.txt HTTP/1.0\r\n\r\n')).status, 400)
})

test('no redirect leads to a host of the client', async (t) => {
  const node = await startNode(t, {
    files: { 'evil.test/x': '1', '\\evil.test/x': '1', 'a"<b>/x': '1' },
    site: {
      redirects: [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the rule's
        { match: '^/tls(.*)$', to: 'https://${host}$1' },
        { match: '^/out(/.*)$', to: '$1' },
        { match: '^/one/(.*)$', to: '/$1' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the rule's
        { match: '^/query$', to: '${query}' },
      ],
    },
  })
  for (const [target, location] of [
    ['//evil.test', '/evil.test/'],
    ['///evil.test', '/evil.test/'],
    ['//x/../evil.test', '/evil.test/'],
    ['/%5Cevil.test', '/%5Cevil.test/'],
    ['/a%22%3Cb%3E', '/a%22%3Cb%3E/'],
    ['/out//evil.test', '/evil.test'],
    ['/out/%5Cevil.test', '/%5Cevil.test'],
    ['/one//evil.test', '/evil.test'],
    ['/one/%5C%5Cevil.test', '/%5C%5Cevil.test'],
    ['/query?//evil.test', '/evil.test'],
    ['/query?\\evil.test', '/%5Cevil.test'],
    ['/query?https://evil.test', '/https://evil.test'],
    ['/tls/a', 'https://test/a'],
  ]) {
    const answer = await get(node.port, target)
    assert.deepEqual([answer.status, answer.headers.location], [301, location], target)
  }
  for (const head of [
    'GET /tls/evil.test HTTP/1.0\r\n\r\n',
    'GET /tls/evil.test HTTP/1.1\r\nHost:\r\n\r\n',
    'GET /tls/evil.test HTTP/1.1\r\nHost: a@evil.test\r\n\r\n',
    'GET /tls/evil.test HTTP/1.1\r\nHost: evil.test/\r\n\r\n',
    'GET /\\evil.test HTTP/1.1\r\nHost: test\r\n\r\n',
    'GET /out/%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: test\r\n\r\n',
  ])
    assert.equal((await exchange(node.port, head)).status, 400, head)
})
