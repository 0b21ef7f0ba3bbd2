// SPDX-License-Identifier: MIT
// What a site's rules make of a request: redirects, rewrites, places, who may have what.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder, until, writeTree } from '../support/node.mjs'
import { get, LOOPBACK } from '../support/raw.mjs'

const basic = (user, password) =>
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

test('redirects go by their order, with groups, host and query', async (t) => {
  const node = await startNode(t, {
    files: { 'index.html': 'home' },
    site: {
      redirects: [
        { match: '^/old/(.*)$', to: '/new/$1' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the rule's
        { match: '^/away/(.*)$', to: 'https://other.test/$1?from=${host}', status: 307 },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the rule's
        { match: '^/search$', to: '/find?${query}', status: 302 },
        { match: '^/old/x$', to: '/never' },
      ],
    },
  })
  for (const [target, status, location] of [
    ['/old/a%20b', 301, '/new/a%20b'],
    ['/old/x?y=1', 301, '/new/x?y=1'],
    ['/away/z?y=1', 307, 'https://other.test/z?from=test'],
    ['/search?q=a+b', 302, '/find?q=a+b'],
    ['/old/%C3%A4%25', 301, '/new/%C3%A4%25'],
  ]) {
    const answer = await get(node.port, target)
    assert.equal(answer.status, status, target)
    assert.equal(answer.headers.location, location, target)
  }
  const split = await get(node.port, '/old/x%0d%0aSet-Cookie:%20a=b')
  assert.equal(split.status, 400)
  assert.equal((await get(node.port, '/')).text, 'home')
})

test('rewrites lead to files; one that goes on feeds the next; dots never climb', async (t) => {
  const node = await startNode(t, {
    files: { 'app.html': 'app', 'v2/page.html': 'page', 'docs/index.html': 'docs' },
    site: {
      rewrites: [
        { match: '^/app(/.*)?$', to: '/app.html' },
        { match: '^/v1/(.*)$', to: '/v2/$1', continue: true },
        { match: '^/v2/(.*)\\.htm$', to: '/v2/$1.html' },
        { match: '^/up/(.*)$', to: '/$1/../../../etc/passwd' },
        { match: '^/guide$', to: '/docs' },
      ],
    },
  })
  assert.equal((await get(node.port, '/app/any/where')).text, 'app')
  assert.equal((await get(node.port, '/v1/page.htm')).text, 'page')
  assert.equal((await get(node.port, '/v2/page.htm')).text, 'page')
  assert.equal((await get(node.port, '/up/x')).status, 400)
  const folder = await get(node.port, '/guide')
  assert.deepEqual([folder.status, folder.headers.location], [301, '/docs/'])
})

test('a match that would run for ever is given up with 500, and others are served', async (t) => {
  const node = await startNode(t, {
    files: { 'index.html': 'home' },
    site: { rewrites: [{ match: '^/(a+)+$', to: '/index.html' }] },
  })
  const hostile = await get(node.port, `/${'a'.repeat(4000)}!`)
  assert.ok([404, 500].includes(hostile.status), String(hostile.status))
  assert.equal((await get(node.port, '/')).text, 'home')
  assert.equal((await get(node.port, '/aaa')).text, 'home')
})

test('aliases, the longest first, and never out of their folder', async (t) => {
  const folder = tempFolder(t)
  writeTree(folder, { 'img/a.txt': 'image', 'big/a.txt': 'big', 'secret.txt': 'secret' })
  const node = await startNode(t, {
    files: { 'a.txt': 'root', 'images/b.txt': 'hidden by the alias' },
    site: {
      aliases: [
        { path: '/images/', folder: join(folder, 'img') },
        { path: '/images/big/', folder: join(folder, 'big') },
      ],
    },
  })
  assert.equal((await get(node.port, '/images/a.txt')).text, 'image')
  assert.equal((await get(node.port, '/images/big/a.txt')).text, 'big')
  assert.equal((await get(node.port, '/images/b.txt')).status, 404)
  assert.equal((await get(node.port, '/images/%2e%2e/a.txt')).text, 'root')
  assert.equal((await get(node.port, '/images/..%2fsecret.txt')).status, 404)
  const slash = await get(node.port, '/images?x')
  assert.deepEqual([slash.status, slash.headers.location], [301, '/images/?x'])
})

test('a root with the host in it serves each name from its own folder', async (t) => {
  const folder = tempFolder(t)
  writeTree(folder, {
    'org/example.org/index.html': 'example',
    'net/www.example.net/index.html': 'www',
    'index.html': 'must not be served',
  })
  const node = await startNode(t, { site: { root: join(folder, '{host1}/{host}') } })
  const ask = async (host) => get(node.port, '/', { host })
  assert.equal((await ask('example.org')).text, 'example')
  assert.equal((await ask('EXAMPLE.org.:80')).text, 'example')
  assert.equal((await ask('www.example.net')).text, 'www')
  for (const host of ['other.org', '..', '.', 'a..org', '[::1]', '127.0.0.1'])
    assert.ok([400, 404].includes((await ask(host)).status), host)
})

test('user folders, confined to the home, for those who may', async (t) => {
  const base = tempFolder(t)
  writeTree(base, {
    'ann/public_html/index.html': 'ann',
    'bob/public_html/index.html': 'bob',
    'root/public_html/index.html': 'root',
    'ann/private.txt': 'private',
    'bob/secret.txt': 'secret',
  })
  symlinkSync('../../bob/secret.txt', join(base, 'ann/public_html/link'))
  const node = await startNode(t, {
    files: { 'index.html': 'home' },
    site: { userDirs: { folder: 'public_html', base, excluded: ['root', 'bob'] } },
  })
  assert.equal((await get(node.port, '/~ann/')).text, 'ann')
  assert.equal((await get(node.port, '/~ann')).headers.location, '/~ann/')
  for (const target of ['/~bob/', '/~root/', '/~ann/../private.txt', '/~ann/link', '/~../', '/~x/'])
    assert.equal((await get(node.port, target)).status, 404, target)
  assert.equal((await get(node.port, '/')).text, 'home')
})

test('access by path and by address, the first rule that matches', async (t) => {
  const files = {
    'index.html': 'home',
    'a.inc': 'x',
    'deep/b.inc': 'x',
    'private/x.html': 'x',
    'open/x.html': 'open',
    'page/index.html': 'page',
  }
  const node = await startNode(t, {
    files,
    site: {
      access: [
        { action: 'allow', paths: ['/open/**'] },
        { action: 'deny', paths: ['*.inc', '/page/index.html'] },
        { action: 'deny', paths: ['/private/**'], addresses: ['127.0.0.0/8', '::1'] },
        { action: 'deny', paths: ['/'], addresses: ['192.0.2.1'] },
      ],
    },
  })
  for (const [target, status] of [
    ['/', 200],
    ['/open/x.html', 200],
    ['/a.inc', 403],
    ['/deep/b.inc', 403],
    ['/deep/b%2Einc', 403],
    ['/private/x.html', 403],
    ['//private//x.html', 403],
    ['/x/../private/x.html', 403],
    ['/page/index.html', 403],
    ['/page/', 403],
  ])
    assert.equal((await get(node.port, target, { from: LOOPBACK })).status, status, target)
})

test('hotlinks are refused, those from the own hosts are not', async (t) => {
  const node = await startNode(t, {
    files: { 'a.png': 'image', 'a.html': 'page' },
    site: {
      hosts: ['*', '*.example.org'],
      hotlink: [{ paths: ['*.png'], hosts: ['friend.test'], allowEmpty: false }],
    },
  })
  const from = async (referer, target = '/a.png') =>
    (await get(node.port, target, { lines: referer ? [`Referer: ${referer}`] : [] })).status
  assert.equal(await from('http://test/page'), 200)
  assert.equal(await from('https://www.example.org:8443/'), 200)
  assert.equal(await from('http://friend.test/'), 200)
  assert.equal(await from(null), 403)
  assert.equal(await from('http://foe.test/'), 403)
  assert.equal(await from('http://foe.test/@friend.test'), 403)
  assert.equal(await from('friend.test'), 403)
  assert.equal(await from('http://foe.test/', '/a.html'), 200)
})

test('signed links hold for a while and for one path', async (t) => {
  const folder = tempFolder(t)
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, 'a secret of enough bytes\n')
  const node = await startNode(t, {
    files: { 'paid/film.txt': 'film', 'paid/a b.txt': 'blank', 'free.txt': 'free' },
    site: { signedUrls: [{ paths: ['/paid/**'], secretFile }] },
  })
  const now = Math.floor(Date.now() / 1000)
  const sign = (path, expires, key = 'a secret of enough bytes') =>
    `?expires=${expires}&signature=${createHmac('sha256', key).update(`${path}\n${expires}`).digest('base64url')}`
  const status = async (target) => (await get(node.port, target)).status
  assert.equal(await status(`/paid/film.txt${sign('/paid/film.txt', now + 60)}`), 200)
  assert.equal(await status(`/paid/a%20b.txt${sign('/paid/a b.txt', now + 60)}`), 200)
  assert.equal(await status('/paid/film.txt'), 403)
  assert.equal(await status(`/paid/film.txt${sign('/paid/other.txt', now + 60)}`), 403)
  assert.equal(
    await status(`/paid/film.txt${sign('/paid/film.txt', now + 60, 'another key here')}`),
    403,
  )
  assert.equal(await status(`/paid/film.txt${sign('/paid/film.txt', now - 1)}`), 410)
  assert.equal(await status('/free.txt'), 200)
})

test('basic auth lets in who knows the password, and a change of the file counts soon', async (t) => {
  const folder = tempFolder(t)
  const file = join(folder, 'users')
  const hash = (password) =>
    execFileSync('openssl', ['passwd', '-6', '-salt', 'saltsalt', password]).toString().trim()
  writeFileSync(file, `ann:${hash('open sesame')}\nbob:${hash('hunter2')}\n`)
  const node = await startNode(t, {
    files: { 'in/a.txt': 'inside', 'a.txt': 'outside' },
    site: {
      auth: [{ paths: ['/in/**'], realm: 'the "inner" room', file, users: ['ann'] }].map(
        (rule) => ({ ...rule, realm: 'inner room' }),
      ),
    },
    config: { accessLog: { path: join(folder, 'access.log'), format: 'json' } },
  })
  const ask = async (line) => get(node.port, '/in/a.txt', line ? { lines: [line] } : {})
  const refused = await ask()
  assert.equal(refused.status, 401)
  assert.equal(refused.headers['www-authenticate'], 'Basic realm="inner room", charset="UTF-8"')
  assert.equal((await ask(basic('ann', 'open sesame'))).text, 'inside')
  assert.equal((await ask(basic('ann', 'open sesame'))).text, 'inside')
  for (const line of [
    basic('ann', 'wrong'),
    basic('bob', 'hunter2'),
    basic('nobody', 'x'),
    'Authorization: Bearer x',
    'Authorization: Basic !!!',
  ])
    assert.equal((await ask(line)).status, 401, line)
  assert.equal((await get(node.port, '/a.txt')).status, 200)
  writeFileSync(file, `ann:${hash('another one')}\n`)
  await until(async () => (await ask(basic('ann', 'open sesame'))).status === 401, 'the change')
  assert.equal((await ask(basic('ann', 'another one'))).text, 'inside')
  writeFileSync(file, 'ann:{SHA}nonsense\n')
  await until(async () => (await ask(basic('ann', 'another one'))).status === 503, 'a bad file')
})

test('error pages by status and class, with the status and for HEAD without body', async (t) => {
  const node = await startNode(t, {
    files: { '404.html': 'lost', 'any.html': 'some error', 'secret.inc': 'x' },
    site: {
      errorPages: { 404: '/404.html', '4xx': '/any.html', 500: '/none.html' },
      access: [{ action: 'deny', paths: ['*.inc', '/any.html'] }],
    },
  })
  const lost = await get(node.port, '/x')
  assert.deepEqual([lost.status, lost.text], [404, 'lost'])
  assert.equal(lost.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(lost.headers.etag, undefined)
  const denied = await get(node.port, '/secret.inc')
  assert.deepEqual([denied.status, denied.text], [403, 'some error'])
  const method = await get(node.port, '/', { method: 'DELETE' })
  assert.deepEqual([method.status, method.text], [405, 'some error'])
  assert.equal(method.headers.allow, 'GET, HEAD, OPTIONS')
  const head = await get(node.port, '/x', { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers['content-length'], head.text], [404, '4', ''])
  const range = await get(node.port, '/x', { lines: ['Range: bytes=0-1', 'If-None-Match: *'] })
  assert.deepEqual([range.status, range.text], [404, 'lost'])
})
