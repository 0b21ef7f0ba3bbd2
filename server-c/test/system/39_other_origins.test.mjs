// SPDX-License-Identifier: MIT
// Pages of other origins: what answers say to them, and to browsers that ask first (CORS, the Fetch standard).
import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder, writeTree } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const APP = 'https://app.test'
const files = {
  'index.html': 'home',
  'data/a.json': '{"a":1}',
  'data/a.json.gz': 'coded',
  'data/long.txt': 'x'.repeat(2000),
  'fonts/f.woff2': 'font',
  'club/x.txt': 'members',
}
const cors = [
  {
    paths: ['/data/**', '/club/**', '/old/**'],
    origins: [APP, 'null'],
    headers: ['Authorization'],
    exposedHeaders: ['ETag', 'Content-Range'],
    credentials: true,
    maxAgeSeconds: 60,
  },
  { paths: ['*.woff2'], origins: ['*'] },
]
const USERS = 'ann:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC\n'
const from = (origin, ...more) => ({ lines: [`Origin: ${origin}`, ...more] })
const asking = (origin, method = 'GET') => ({
  method: 'OPTIONS',
  ...from(origin, `Access-Control-Request-Method: ${method}`),
})
const allowed = (answer) => answer.headers['access-control-allow-origin']
const varies = (answer) => (answer.headers.vary ?? '').split(', ')

test('an origin of the list is echoed, in errors, parts and 304 as well; others are told nothing', async (t) => {
  const node = await startNode(t, {
    files,
    site: { cors, redirects: [{ match: '^/old/(.*)$', to: '/data/$1' }] },
  })
  for (const origin of [APP, 'null']) {
    const answer = await get(node.port, '/data/a.json', from(origin))
    assert.equal(answer.status, 200)
    assert.equal(allowed(answer), origin)
    assert.equal(answer.headers['access-control-allow-credentials'], 'true')
    assert.equal(answer.headers['access-control-expose-headers'], 'ETag, Content-Range')
    assert.ok(varies(answer).includes('Origin') && varies(answer).includes('Accept-Encoding'))
  }
  for (const origin of [
    'https://evil.test',
    `${APP}.evil.test`,
    'https://app.test:8443',
    '*',
    '',
  ]) {
    const answer = await get(node.port, '/data/a.json', from(origin))
    assert.deepEqual([answer.status, allowed(answer)], [200, undefined], origin)
    assert.ok(varies(answer).includes('Origin'), origin)
  }
  const plain = await get(node.port, '/data/a.json')
  assert.equal(allowed(plain), undefined)
  assert.ok(varies(plain).includes('Origin'), 'a cache must not give this one to a page')
  const again = from(APP, `If-None-Match: ${plain.headers.etag}`)
  for (const [target, status, options] of [
    ['/data/none', 404, from(APP)],
    ['/data', 301, from(APP)],
    ['/old/a.json', 301, from(APP)],
    ['/data/a.json', 206, from(APP, 'Range: bytes=1-2')],
    ['/data/long.txt', 206, from(APP, 'Range: bytes=1-1,-1')],
    ['/data/a.json', 200, from(APP, 'Accept-Encoding: gzip')],
    ['/data/a.json', 304, again],
    ['/data/a.json', 405, { ...from(APP), method: 'DELETE' }],
  ]) {
    const answer = await get(node.port, target, options)
    const want = target === '/data' ? undefined : APP // no rule is for a path without the slash
    assert.deepEqual([answer.status, allowed(answer)], [status, want], `${target} ${status}`)
  }
  const two = { lines: [`Origin: ${APP}`, 'Origin: null'] }
  assert.equal(allowed(await get(node.port, '/data/a.json', two)), undefined)
})

test('where every origin may read it, that is said to all and answers do not vary', async (t) => {
  const node = await startNode(t, { files, site: { cors, precompressed: [] } })
  for (const options of [{}, from('https://any.test')]) {
    const answer = await get(node.port, '/fonts/f.woff2', options)
    assert.equal(allowed(answer), '*')
    assert.equal(answer.headers.vary, undefined)
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  }
  for (let turn = 0; turn < 3; turn++) {
    assert.equal(allowed(await get(node.port, '/', from(APP))), undefined)
    assert.equal(allowed(await get(node.port, '/fonts/f.woff2')), '*')
  }
})

test('a browser that asks first is answered before sign-in rules, the redirect to HTTPS and the file', async (t) => {
  const folder = tempFolder(t)
  writeTree(folder, { users: USERS })
  const node = await startNode(t, {
    files,
    config: { trustedProxies: ['10.0.0.0/8'] },
    site: {
      cors,
      redirectToHttps: true,
      auth: [{ paths: ['/club/**'], realm: 'Club', file: join(folder, 'users') }],
    },
  })
  for (const target of ['/club/x.txt', '/club/none', '/data/a.json?q']) {
    const answer = await get(node.port, target, asking(APP))
    assert.equal(answer.status, 204, target)
    assert.equal(allowed(answer), APP)
    assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD')
    assert.equal(answer.headers['access-control-allow-headers'], 'Authorization')
    assert.equal(answer.headers['access-control-max-age'], '60')
    assert.equal(answer.body.length, 0)
  }
  const stranger = await get(node.port, '/club/x.txt', asking('https://evil.test'))
  assert.deepEqual([stranger.status, allowed(stranger)], [204, undefined])
  assert.equal(stranger.headers['access-control-allow-methods'], undefined)
  const sent = await get(node.port, '/data/a.json', from(APP))
  assert.deepEqual([sent.status, allowed(sent)], [301, APP])
  const options = await get(node.port, '/data/a.json', { method: 'OPTIONS', ...from(APP) })
  assert.equal(options.status, 301, 'OPTIONS that asks nothing is a request like any other')
})

test('a page that may not in is told so: 401 and 403 can be read', async (t) => {
  const folder = tempFolder(t)
  writeTree(folder, { users: USERS })
  const node = await startNode(t, {
    files,
    site: {
      cors,
      access: [{ action: 'deny', paths: ['/data/**'] }],
      auth: [{ paths: ['/club/**'], realm: 'Club', file: join(folder, 'users') }],
    },
  })
  const out = await get(node.port, '/club/x.txt', from(APP))
  assert.deepEqual([out.status, allowed(out)], [401, APP])
  const denied = await get(node.port, '/data/a.json', from(APP))
  assert.deepEqual([denied.status, allowed(denied)], [403, APP])
})

test('over HTTP/2 it is the same, and a reload changes it at once', async (t) => {
  const node = await startNode(t, { files, site: { cors } })
  const client = connect(`http://127.0.0.1:${node.port}`)
  const ask = (fields) =>
    new Promise((resolve, reject) => {
      const stream = client.request({ ':authority': 'test', ...fields })
      stream.on('response', resolve).on('error', reject).resume()
    })
  const preflight = await ask({
    ':method': 'OPTIONS',
    ':path': '/data/a.json',
    origin: APP,
    'access-control-request-method': 'GET',
  })
  assert.deepEqual([preflight[':status'], preflight['access-control-allow-origin']], [204, APP])
  const answer = await ask({ ':path': '/data/a.json', origin: APP })
  assert.equal(answer['access-control-allow-origin'], APP)
  const other = [{ origins: ['https://b.test'] }]
  assert.ok(
    await node.reload({ ...node.config, sites: [{ ...node.config.sites[0], cors: other }] }),
  )
  const later = await ask({ ':path': '/data/a.json', origin: APP })
  assert.deepEqual(
    [later['access-control-allow-origin'], later.vary],
    [undefined, 'Origin, Accept-Encoding'],
  )
  assert.equal(allowed(await get(node.port, '/', from('https://b.test'))), 'https://b.test')
  client.destroy()
})
