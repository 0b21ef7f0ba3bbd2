// SPDX-License-Identifier: MIT
// What single-page apps and sites without .html in their addresses need: several places to look, and one address for
// each page.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const files = {
  'index.html': 'home',
  'about.html': 'about',
  'docs/index.html': 'docs',
  'docs.html': 'docs beside',
  'blog/index.html': 'blog',
  'blog/first.html': 'first',
  'empty/keep.txt': 'kept',
  'assets/app.js': 'script',
  'assets/app.js.gz': 'coded',
  'assets/app.css': 'style',
  plain: 'no suffix',
  '.well-known/here.txt': 'well',
  '.hidden.html': 'hidden',
}
const start = (t, site, config = {}) => startNode(t, { files, site, config })

/** `rows`: a path, and the text of a 200 or "STATUS" or "STATUS location". */
async function check(node, rows, options) {
  for (const [path, want] of rows) {
    const { status, headers, text } = await get(node.port, path, options)
    const said = status === 200 ? text : [status, headers.location].filter(Boolean).join(' ')
    assert.equal(said, want, path)
  }
}

test('a single-page app: every page is its one file, and what is missing is missing', async (t) => {
  const node = await start(t, { tryFiles: [{ candidates: ['{path}', '/index.html'] }] })
  await check(node, [
    ['/', 'home'],
    ['/users/7', 'home'],
    ['/users/7/?tab=1', 'home'],
    ['/users/john.doe', 'home'],
    ['/about.html', 'about'],
    ['/old.html', 'home'],
    ['/docs', 'home'],
    ['/docs/', 'home'],
    ['/plain', 'no suffix'],
    ['/assets/app.js', 'script'],
    ['/assets/app.4711.js', '404'],
    ['/logo.PNG', '404'],
    ['/data.json?x=/index.html', '404'],
    ['/.well-known/here.txt', 'well'],
    ['/.well-known/acme-challenge/token', '404'],
    ['/.well-known/anything', '404'],
    ['/.hidden', '404'],
    ['/a/../../etc/passwd', '400'],
    ['/%2e%2e/x', '400'],
  ])
  const head = await get(node.port, '/users/7', { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers['content-length']], [200, '4'])
  assert.equal(head.headers['content-type'], 'text/html; charset=utf-8')
  const again = await get(node.port, '/other', { lines: [`If-None-Match: ${head.headers.etag}`] })
  assert.equal(again.status, 304)
  assert.equal((await get(node.port, '/users/7', { method: 'POST' })).status, 405)
})

test('addresses without .html, with folders', async (t) => {
  const tryFiles = [{ candidates: ['{path}', '{path}.html', '{path}/', '404'] }]
  const node = await start(t, { tryFiles, cleanUrls: true })
  await check(node, [
    ['/', 'home'],
    ['/about', 'about'],
    ['/about/', 'about'],
    ['/about.html', '301 /about'],
    ['/about.html?a=1&b=%20', '301 /about?a=1&b=%20'],
    ['/index.html', '301 /'],
    ['/blog', '301 /blog/'],
    ['/blog/', 'blog'],
    ['/blog/index.html', '301 /blog/'],
    ['/blog/first', 'first'],
    ['/blog/first.html', '301 /blog/first'],
    ['/docs', 'docs beside'],
    ['/nothing', '404'],
    ['/nothing.html', '404'],
    ['/.html', '404'],
    ['/blog/.html', '404'],
    ['/assets/app.js', 'script'],
    ['/empty', '404'],
    ['/empty/', '404'],
  ])
})

test('one of two addresses by trailingSlash', async (t) => {
  const tryFiles = [{ candidates: ['{path}', '{path}.html', '{path}/'] }]
  const node = await start(t, { tryFiles, cleanUrls: true, trailingSlash: 'add' })
  await check(node, [
    ['/', 'home'],
    ['/about', '301 /about/'],
    ['/about/', 'about'],
    ['/about.html', '301 /about/'],
    ['/blog?x', '301 /blog/?x'],
    ['/blog/', 'blog'],
    ['/blog/index.html', '301 /blog/'],
    ['/plain', 'no suffix'],
    ['/assets/app.css', 'style'],
  ])
  const of = (trailingSlash) => ({
    ...node.config,
    sites: [{ ...node.config.sites[0], trailingSlash }],
  })
  assert.equal(await node.reload(of('remove')), true)
  await check(node, [
    ['/', 'home'],
    ['/about', 'about'],
    ['/about/', '301 /about'],
    ['/about.html', '301 /about'],
    ['/blog', 'blog'],
    ['/blog/', '301 /blog'],
    ['/blog/?x', '301 /blog?x'],
    ['/blog/index.html', '301 /blog'],
    ['/index.html', '301 /'],
    ['/plain', 'no suffix'],
  ])
  assert.equal(await node.reload(of('keep')), true)
  await check(node, [
    ['/about', 'about'],
    ['/about/', 'about'],
    ['/blog', 'blog'],
    ['/blog/', 'blog'],
  ])
})

test('without tryFiles, trailingSlash is for folders', async (t) => {
  const node = await start(t, { trailingSlash: 'remove' })
  await check(node, [
    ['/', 'home'],
    ['/blog', 'blog'],
    ['/blog/', '301 /blog'],
    ['/about', '404'],
    ['/about.html', 'about'],
  ])
})

test('a folder’s list keeps its slash, whatever the policy', async (t) => {
  const node = await start(t, { trailingSlash: 'remove', directoryListing: { enabled: true } })
  assert.equal((await get(node.port, '/empty')).headers.location, '/empty/')
  assert.match((await get(node.port, '/empty/')).text, /keep\.txt/)
})

test('one page for all values of a name, as Next.js writes it', async (t) => {
  const node = await startNode(t, {
    files: {
      'posts/[id].html': 'any post',
      'posts/new.html': 'new post',
      'posts.html': 'all posts',
    },
    site: {
      tryFiles: [
        { paths: ['/posts/*'], candidates: ['{path}', '{path}.html', '/posts/[id].html'] },
        { candidates: ['{path}', '{path}.html', '{path}/'] },
      ],
      trailingSlash: 'remove',
    },
  })
  await check(node, [
    ['/posts', 'all posts'],
    ['/posts/', '301 /posts'],
    ['/posts/new', 'new post'],
    ['/posts/7', 'any post'],
    ['/posts/7/more', '404'],
    ['/posts/7.png', '404'],
  ])
})

test('rules by path: the first that fits, and statuses', async (t) => {
  const node = await start(t, {
    tryFiles: [
      { paths: ['/gone/**'], candidates: ['{path}', '410'] },
      { paths: ['/assets/**'], candidates: ['{path}'] },
      { paths: ['/secret/**'], candidates: ['403'] },
      { candidates: ['{path}', '{path}/index.html', '/about.html'] },
    ],
  })
  await check(node, [
    ['/gone/x', '410'],
    ['/assets/x', '404'],
    ['/secret/x', '403'],
    ['/blog', '301 /blog/'],
    ['/blog/', 'blog'],
    ['/x', 'about'],
  ])
})

test('rules of access, passwords and headers are for the file that is sent, too', async (t) => {
  const node = await start(t, {
    access: [{ action: 'deny', paths: ['*.html'] }],
    headers: [{ name: 'X-Asset', value: 'yes', paths: ['/assets/**'] }],
    tryFiles: [{ candidates: ['{path}', '{path}.html', '/index.html'] }],
  })
  await check(node, [
    ['/about', '403'],
    ['/x', '403'],
    ['/plain', 'no suffix'],
  ])
  const other = await start(t, {
    headers: [
      { name: 'X-Page', value: 'yes', paths: ['/index.html'] },
      { name: 'X-Asked', value: 'yes', paths: ['/x/**'] },
    ],
    tryFiles: [{ candidates: ['{path}', '/index.html'] }],
  })
  for (const [path, page, asked] of [
    ['/x/y', 'yes', 'yes'],
    ['/y', 'yes', undefined],
    ['/index.html', 'yes', undefined],
    ['/x/y', 'yes', 'yes'],
    ['/plain', undefined, undefined],
  ]) {
    const { headers } = await get(other.port, path)
    assert.deepEqual([headers['x-page'], headers['x-asked']], [page, asked], path)
  }
})

test('compressed copies, changed files and error pages go with it', async (t) => {
  const node = await start(
    t,
    {
      tryFiles: [{ candidates: ['{path}', '{path}.js', '404'] }],
      errorPages: { 404: '/about.html' },
    },
    { statCache: { engine: 'off' } },
  )
  const coded = await get(node.port, '/assets/app', { lines: ['Accept-Encoding: gzip'] })
  assert.deepEqual([coded.headers['content-encoding'], coded.text], ['gzip', 'coded'])
  const missing = await get(node.port, '/later')
  assert.deepEqual([missing.status, missing.text], [404, 'about'])
  writeFileSync(join(node.root, 'later.js'), 'there')
  assert.equal((await get(node.port, '/later')).text, 'there')
  mkdirSync(join(node.root, 'later'))
  assert.equal((await get(node.port, '/later')).text, 'there')
  rmSync(join(node.root, 'later.js'))
  assert.equal((await get(node.port, '/later')).status, 404)
})
