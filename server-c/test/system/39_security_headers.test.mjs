// SPDX-License-Identifier: MIT
// Sets of security headers: in which answers they are, what a rule of the author's changes, and what stays readable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from '../support/node.mjs'
import { get, LOOPBACK, OUTSIDE } from '../support/raw.mjs'

const files = { 'index.html': 'home', 'a.css': 'a', 'widget/w.html': 'widget', 'list/a.txt': 'a' }
const strict = { preset: 'strict' }
const NAMES = [
  'x-content-type-options',
  'content-security-policy',
  'x-frame-options',
  'referrer-policy',
  'permissions-policy',
]
const missing = (answer) => NAMES.filter((name) => !(name in answer.headers))

test('the set is in every answer: files of all types, redirects, 304 and what a site has of its own', async (t) => {
  const node = await startNode(t, {
    files: { ...files, 'gone.html': 'sorry' },
    site: {
      securityHeaders: strict,
      errorPages: { 404: '/gone.html' },
      headers: [{ name: 'Cache-Control', value: 'no-cache', paths: ['*.css'] }],
    },
  })
  for (const [target, status, options] of [
    ['/', 200],
    ['/a.css', 200],
    ['/none', 404],
    ['/list', 301],
    ['/', 206, { lines: ['Range: bytes=0-1'] }],
    ['/', 204, { method: 'OPTIONS' }],
  ]) {
    const answer = await get(node.port, target, options)
    assert.equal(answer.status, status, target)
    const want = status === 301 ? ['content-security-policy'] : [] // the page of ours, with its style
    assert.deepEqual(missing(answer), want, `${target} ${status}`)
  }
  const { etag } = (await get(node.port, '/')).headers
  const same = await get(node.port, '/', { lines: [`If-None-Match: ${etag}`] })
  assert.deepEqual([same.status, missing(same)], [304, []])
  const css = await get(node.port, '/a.css')
  assert.equal(css.headers['cache-control'], 'no-cache')
  assert.equal(css.headers['x-frame-options'], 'DENY')
})

test('a rule for a path replaces or removes one of them there, and nothing is sent twice', async (t) => {
  const node = await startNode(t, {
    files,
    site: {
      securityHeaders: { preset: 'basic', referrerPolicy: 'same-origin' },
      headers: [
        { name: 'content-security-policy', value: 'frame-ancestors *', paths: ['/widget/**'] },
        { action: 'remove', name: 'X-Frame-Options', paths: ['/widget/**'] },
      ],
    },
  })
  const widget = await get(node.port, '/widget/w.html')
  assert.equal(widget.headers['content-security-policy'], 'frame-ancestors *')
  assert.equal(widget.headers['x-frame-options'], undefined)
  assert.equal(widget.headers['x-content-type-options'], 'nosniff')
  const home = await get(node.port, '/')
  assert.equal(home.headers['content-security-policy'], "frame-ancestors 'self'")
  assert.equal(home.headers['x-frame-options'], 'SAMEORIGIN')
  assert.equal(home.headers['referrer-policy'], 'same-origin')
  assert.equal(home.headers['permissions-policy'], undefined)
})

test("listings and our own pages keep their style under the set's policy, and a rule still goes before it", async (t) => {
  const site = { securityHeaders: strict, directoryListing: { enabled: true } }
  const node = await startNode(t, { files, site })
  const listing = await get(node.port, '/list/', { lines: ['Accept: text/html'] })
  assert.match(listing.headers['content-security-policy'], /style-src/)
  assert.equal(listing.head.match(/content-security-policy/gi).length, 1)
  assert.equal(listing.headers['x-frame-options'], 'DENY')
  const json = await get(node.port, '/list/', { lines: ['Accept: application/json'] })
  assert.match(
    json.headers['content-security-policy'],
    /^default-src 'self'; .*frame-ancestors 'none'$/,
  )
  const page = await get(node.port, '/none')
  assert.deepEqual(missing(page), ['content-security-policy'])
  const headers = [{ name: 'Content-Security-Policy', value: "default-src 'none'" }]
  assert.ok(
    await node.reload({ ...node.config, sites: [{ ...node.config.sites[0], headers }] }),
    'applied at a reload',
  )
  for (const target of ['/list/', '/none', '/'])
    assert.equal(
      (await get(node.port, target)).headers['content-security-policy'],
      "default-src 'none'",
      target,
    )
})

test('the strict set asks for HTTPS where a client came by TLS, and what hsts says goes before it', async (t) => {
  const ask = async (more, ...lines) => {
    const node = await startNode(t, {
      files,
      config: { trustedProxies: [LOOPBACK, OUTSIDE] },
      site: { securityHeaders: strict, ...more },
    })
    const answer = await get(node.port, '/', { lines: ['X-Forwarded-For: 192.0.2.7', ...lines] })
    return answer.headers['strict-transport-security']
  }
  const secure = 'X-Forwarded-Proto: https'
  assert.equal(await ask({}, secure), 'max-age=31536000')
  assert.equal(await ask({ hsts: { maxAgeSeconds: 300 } }, secure), 'max-age=300')
  assert.equal(await ask({}), undefined)
})
