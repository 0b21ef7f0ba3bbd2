// SPDX-License-Identifier: MIT
// Ways around a site's rules that were open once, or that others have left open: each asks a real
// node for what its config forbids.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder, until, writeTree } from '../support/node.mjs'
import { exchange, get, LOOPBACK, RawClient, request } from '../support/raw.mjs'

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

test('a listing has no names that an access rule keeps from the client', async (t) => {
  const node = await startNode(t, {
    files: {
      'd/a.txt': 'a',
      'd/b.inc': 'b',
      'd/c.inc.gz': 'c',
      'd/private/x': 'x',
      'd/lan/x': 'x',
      'd/other/x': 'x',
      'd/needs-a-password.html': 'x',
    },
    site: {
      directoryListing: { enabled: true },
      access: [
        { action: 'deny', paths: ['*.inc', '/d/private/**'] },
        { action: 'deny', paths: ['/d/lan/**'], addresses: ['127.0.0.0/8'] },
        { action: 'deny', paths: ['/d/other/**'], addresses: ['192.0.2.0/24'] },
      ],
      auth: [{ paths: ['*.html'], realm: 'inner', file: userFile(t, 'zoe') }],
    },
  })
  const json = await get(node.port, '/d/', { from: LOOPBACK, lines: ['Accept: application/json'] })
  assert.deepEqual(
    JSON.parse(json.text).entries.map(({ name }) => name),
    ['other', 'a.txt', 'needs-a-password.html'],
  )
  const html = await get(node.port, '//x/..//d/', { from: LOOPBACK })
  assert.ok(html.text.includes('a.txt'))
  for (const name of ['b.inc', 'c.inc', 'private', 'lan/'])
    assert.ok(!html.text.includes(name), name)
})

test('names in a listing are text, and the page may do nothing', async (t) => {
  const names = [
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)<',
    "'onmouseover='alert(1)",
    'javascript:alert(1)',
    '&lt;b&gt;',
    '\u2028\u202e"<b>',
    '%3Cb%3E',
    'a..',
    ' ',
  ]
  const files = Object.fromEntries(names.map((name) => [`d<i>"&/${name}`, name]))
  const node = await startNode(t, { files, site: { directoryListing: { enabled: true } } })
  const html = await get(node.port, '/d%3Ci%3E%22%26/')
  for (const text of ['<img', '<script', '<i>', 'href="javascript:', '><b>'])
    assert.ok(!html.text.includes(text), text)
  assert.ok(html.text.includes('&amp;lt;b&amp;gt;'))
  assert.match(html.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/)
  const json = await get(node.port, '/d%3Ci%3E%22%26/', { lines: ['Accept: application/json'] })
  const { path, entries } = JSON.parse(json.text)
  assert.equal(path, '/d<i>"&/')
  assert.equal(json.headers['content-type'], 'application/json')
  assert.deepEqual(entries.map(({ name }) => name).sort(), [...names].sort())
  for (const { name, href } of entries) {
    assert.equal((await get(node.port, `/d%3Ci%3E%22%26/${href}`)).text, name, href)
    assert.ok(html.text.includes(`href="${href}"`), href)
  }
})

const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }

test('nobody learns who has a home', needsRoot, async (t) => {
  const base = tempFolder(t)
  chmodSync(base, 0o755)
  writeTree(base, {
    'ann/public_html/index.html': 'ann',
    'ann/public_html/shut.txt': 'shut',
    'bob/secret.txt': 'secret',
    'eve/x': 'x',
    'ida/public_html/x': 'x',
  })
  chmodSync(join(base, 'bob'), 0o700)
  chmodSync(join(base, 'ida/public_html'), 0o700)
  chmodSync(join(base, 'ann/public_html/shut.txt'), 0o600)
  symlinkSync('../bob', join(base, 'eve/public_html'))
  const root = tempFolder(t)
  chmodSync(root, 0o755)
  const node = await startNode(t, {
    site: {
      root,
      directoryListing: { enabled: true },
      userDirs: { folder: 'public_html', base },
    },
    config: { process: { user: 'nobody' } },
  })
  assert.equal((await get(node.port, '/~ann/')).text, 'ann')
  const nobody = await get(node.port, '/~nobody-here/')
  for (const target of ['/~bob/', '/~bob/x', '/~eve/', '/~eve/secret.txt', '/~ida/', '/~ida/x']) {
    const answer = await get(node.port, target)
    assert.deepEqual([answer.status, answer.text], [nobody.status, nobody.text], target)
  }
  assert.equal((await get(node.port, '/~ann/shut.txt')).status, 404)
  for (const user of ['ann', 'bob', 'nobody-here'])
    assert.equal((await get(node.port, `/~${user}`)).status, 301, user)
})

test('long headers of rules with conditions leave room for the rest', async (t) => {
  const value = 'x'.repeat(4000)
  const node = await startNode(t, {
    files: { 'a.txt': '0123456789', 'd/x': 'x' },
    site: {
      headers: [
        ...Array.from({ length: 30 }, (_, i) => ({ name: `X-${i}`, value, paths: ['/**'] })),
        { name: 'Content-Type', value: `text/plain; x=${value}`, types: ['text/*'] },
      ],
    },
  })
  for (const [target, status, lines] of [
    ['/a.txt', 200, []],
    ['/a.txt', 206, ['Range: bytes=0-1']],
    ['/missing', 404, []],
    ['/d', 301, []],
  ]) {
    const answer = await get(node.port, target, { lines })
    assert.equal(answer.status, status)
    assert.equal(answer.headers['x-29'], value)
  }
})

test('who goes away while a listing is made leaves its place to others', async (t) => {
  const node = await startNode(t, {
    files: { 'd/a.txt': 'a' },
    site: { directoryListing: { enabled: true } },
  })
  for (let round = 0; round < 5; round++) {
    const sockets = Array.from({ length: 40 }, () => net.connect(node.port, '127.0.0.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (const socket of sockets) socket.write(request('/d/'))
    for (const socket of sockets) socket.destroy()
  }
  await until(async () => (await get(node.port, '/d/')).status === 200, 'a place')
})

test('what follows a CONNECT that was refused is no request', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'alpha' } })
  const client = await RawClient.connect(node.port)
  client.send(`CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n${request('/a.txt')}`)
  const refused = await client.response()
  assert.deepEqual([refused.status, refused.headers.connection], [405, 'close'])
  client.socket.end()
  assert.equal((await client.closed()).length, 0)
})

test('a folder has the headers and the expiry of its index file', async (t) => {
  const node = await startNode(t, {
    files: { 'd/index.html': 'index', 'd/index.html.gz': 'INDEX', 'd/a.txt': 'a' },
    site: {
      headers: [
        { name: 'X-Frame-Options', value: 'DENY', paths: ['*.html'] },
        { name: 'X-Folder', value: 'yes', paths: ['/d/'] },
      ],
      expires: [{ paths: ['*.html'], maxAgeSeconds: 0, directives: 'no-store' }],
    },
  })
  for (const target of ['/d/', '/d/', '/d/index.html'])
    for (const lines of [[], ['Accept-Encoding: gzip'], ['Range: bytes=0-1']]) {
      const { headers } = await get(node.port, target, { lines })
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['cache-control'], 'max-age=0, no-store')
      assert.equal(headers['x-folder'], target === '/d/' ? 'yes' : undefined)
    }
  const { headers } = await get(node.port, '/d/a.txt')
  assert.deepEqual([headers['x-frame-options'], headers['cache-control']], [undefined, undefined])
})

// Caddy looked for files by patterns that clients had written: CVE-2026-27585.
test('what a client asks for is a name, never a pattern', async (t) => {
  const node = await startNode(t, {
    files: { 'secret.txt': 'secret', 'a*.txt': 'star', 'b/[x].html': 'brackets', 'b/x.html': 'x' },
    site: {
      access: [{ action: 'deny', paths: ['/secret.txt'] }],
      tryFiles: [{ candidates: ['{path}', '{path}.html', '{path}.txt'] }],
    },
  })
  for (const target of [
    ...['/s*.txt', '/secre?.txt', '/secre%3F.txt', '/%5Bs%5Decret.txt', '/[s]ecret.txt', '/s*'],
    ...['/s%5Cecret.txt', '/{secret,x}.txt', '/**', '/secret%5C.txt', '/*/../s*.txt', '/b/%5C[x]'],
  ])
    assert.equal((await get(node.port, target)).status, 404, target)
  for (const target of ['/secret.txt', '/./secret.txt', '/b/../%73ecret.txt'])
    assert.equal((await get(node.port, target)).status, 403, target)
  assert.equal((await get(node.port, '/secret')).status, 403)
  for (const [target, text] of [
    ['/a*.txt', 'star'],
    ['/a*', 'star'],
    ['/b/[x]', 'brackets'],
    ['/b/x', 'x'],
  ])
    assert.equal((await get(node.port, target)).text, text, target)
})

// Of more than a hundred names Caddy told the case of letters apart, and so did its rules: CVE-2026-27588.
test('one of two hundred hosts is the same in whatever letters', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'open', 'closed/a.txt': 'closed' } })
  const hosts = Array.from({ length: 200 }, (_, i) => `h${i}.example.org`)
  const access = [{ action: 'deny' }]
  const sites = [
    { hosts: [...hosts, '*.inner.example.org'], root: `${node.root}/closed`, access },
    { hosts: ['*'], root: node.root },
  ]
  assert.ok(await node.reload({ ...node.config, sites }))
  for (const host of [
    'h7.example.org',
    'H7.EXAMPLE.ORG',
    'h199.Example.oRg.:80',
    'A.Inner.EXAMPLE.org',
  ])
    assert.equal((await get(node.port, '/a.txt', { host })).status, 403, host)
  assert.equal((await get(node.port, '/a.txt', { host: 'h200.example.org' })).text, 'open')
})
