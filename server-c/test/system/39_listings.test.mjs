// SPDX-License-Identifier: MIT
// Listings: sorted by links, of some folders alone, with a header and a readme of the folder's own.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const files = {
  'pub/b.bin': 'x'.repeat(300),
  'pub/a.bin': 'x'.repeat(2000),
  'pub/c.bin': 'x'.repeat(10),
  'pub/zoo/x': 'x',
  'pub/ark/x': 'x',
  'private/x': 'x',
}

const start = (t, directoryListing, rest = {}) =>
  startNode(t, {
    files,
    config: { workers: 1 },
    site: { directoryListing: { enabled: true, ...directoryListing }, ...rest },
  })

const page = async (node, path) => {
  const { status, body } = await get(node.port, path)
  return { status, text: body.toString() }
}
const names = (text) =>
  [...text.matchAll(/<a href="[^"?]+"><bdi>([^<]+)</g)].map(([, name]) => name)

test('a list is sorted by the links in its head, folders first', async (t) => {
  const node = await start(t, {})
  const at = (name, second) => utimesSync(join(node.root, 'pub', name), second, second)
  for (const [name, second] of [
    ['a.bin', 1e9],
    ['b.bin', 3e9],
    ['c.bin', 2e9],
    ['ark', 5e8],
    ['zoo', 4e8],
  ])
    at(name, second)
  for (const [query, want] of [
    ['', 'ark/ zoo/ a.bin b.bin c.bin'],
    ['?sort=name&order=desc', 'zoo/ ark/ c.bin b.bin a.bin'],
    ['?sort=size', 'ark/ zoo/ c.bin b.bin a.bin'],
    ['?sort=size&order=desc', 'ark/ zoo/ a.bin b.bin c.bin'],
    ['?sort=date&order=desc', 'ark/ zoo/ b.bin c.bin a.bin'],
    ['?order=asc&x=1&sort=date', 'zoo/ ark/ a.bin c.bin b.bin'],
    ['?sort=%22&order=<script>', 'ark/ zoo/ a.bin b.bin c.bin'],
    ['?C=M;O=D', 'ark/ zoo/ a.bin b.bin c.bin'],
  ])
    assert.equal(names((await page(node, `/pub/${query}`)).text).join(' '), want, query)
  const { text } = await page(node, '/pub/?sort=size&order=desc')
  assert.match(
    text,
    /<th scope="col" aria-sort="descending"><a href="\?sort=size&amp;order=asc">Size ↓/,
  )
  assert.match(text, /<th scope="col"><a href="\?sort=date&amp;order=desc">Last/)
  assert.match(text, /by size, largest first<\/caption>/)
  const json = await get(node.port, '/pub/?sort=size&order=desc', {
    lines: ['Accept: application/json'],
  })
  assert.deepEqual(
    JSON.parse(json.body).entries.map(({ name }) => name),
    ['ark', 'zoo', 'a.bin', 'b.bin', 'c.bin'],
  )
  // Of a folder with too many the first in that order are shown, and it is said.
  assert.equal(
    await node.reload({
      ...node.config,
      sites: [{ ...node.config.sites[0], directoryListing: { enabled: true, maxEntries: 3 } }],
    }),
    true,
  )
  const cut = (await page(node, '/pub/?sort=date&order=desc')).text
  assert.equal(names(cut).join(' '), 'ark/ zoo/ b.bin')
  assert.equal(cut.match(/There are more entries than are shown here/g).length, 2)
})

test('only the folders that paths name are listed; the others are 404, live', async (t) => {
  const node = await start(t, { paths: ['/pub/**'], exceptPaths: ['/pub/ark/**'] })
  const statuses = async () =>
    Object.fromEntries(
      await Promise.all(
        ['/', '/private/', '/pub/', '/pub/zoo/', '/pub/ark/', '/pub/ark/x', '/private/x'].map(
          async (path) => [path, (await page(node, path)).status],
        ),
      ),
    )
  assert.deepEqual(await statuses(), {
    '/': 404,
    '/private/': 404,
    '/pub/': 200,
    '/pub/zoo/': 200,
    '/pub/ark/': 404,
    '/pub/ark/x': 200,
    '/private/x': 200,
  })
  assert.equal(
    await node.reload({
      ...node.config,
      sites: [
        {
          ...node.config.sites[0],
          directoryListing: { enabled: true, exceptPaths: ['/pub/zoo/'] },
        },
      ],
    }),
    true,
  )
  const { '/pub/zoo/': zoo, '/pub/ark/': ark, '/': all } = await statuses()
  assert.deepEqual([zoo, ark, all], [404, 200, 200])
})

test('header and readme: text is escaped, HTML is a part of the page, and it is cut in words', async (t) => {
  const node = await start(t, {
    header: ['HEADER.html', 'HEADER'],
    readme: ['README.txt', 'README.md'],
  })
  const put = (name, text) => writeFileSync(join(node.root, 'pub', name), text)
  assert.doesNotMatch((await page(node, '/pub/')).text, /<pre>/)
  put('README.md', Buffer.from('# Zürich <script>alert(1)</script> & \xff\n', 'latin1'))
  put('HEADER.html', '<p>Our <b>mirror</b></p>\n')
  const { text } = await page(node, '/pub/')
  assert.match(
    text,
    /<pre># Z\ufffdrich &lt;script&gt;alert\(1\)&lt;\/script&gt; &amp; \ufffd\n<\/pre>/,
  )
  assert.ok(text.indexOf('<p>Our <b>mirror</b></p>') < text.indexOf('<table>'))
  assert.ok(text.indexOf('<pre>') > text.indexOf('</table>'))
  put('README.txt', 'x'.repeat(65_537))
  const long = (await page(node, '/pub/')).text
  assert.match(long, /<pre>x{65536}<\/pre>\n<p>The file is longer than what is shown here\.<\/p>/)
  assert.doesNotMatch((await page(node, '/pub/zoo/')).text, /<pre>/)
})

test('who may not have the file does not get it through the list', async (t) => {
  const secret = 'what nobody may read'
  const node = await start(
    t,
    { header: ['HEADER.txt'], readme: ['link', '.hidden', 'folder', 'README.txt'] },
    {
      access: [
        { action: 'deny', paths: ['/pub/README.txt'], addresses: ['192.0.2.0/24', '127.0.0.0/8'] },
      ],
    },
  )
  const pub = join(node.root, 'pub')
  writeFileSync(join(pub, 'README.txt'), secret)
  writeFileSync(join(pub, '.hidden'), secret)
  mkdirSync(join(pub, 'folder'))
  writeFileSync(join(node.folder, 'outside'), secret)
  symlinkSync(join(node.folder, 'outside'), join(pub, 'link'))
  const denied = await page(node, '/pub/')
  assert.equal(denied.status, 200)
  assert.ok(!denied.text.includes(secret))
  // Passwords and signatures for the file alone hide it, too; those of the folder do not.
  const hash = execFileSync('openssl', ['passwd', '-6', 'secret'], { encoding: 'utf8' })
  writeFileSync(join(node.folder, 'users'), `jo:${hash}`)
  writeFileSync(join(node.folder, 'key'), 'a key of more than sixteen bytes')
  const site = { ...node.config.sites[0], access: [] }
  for (const rule of [
    { auth: [{ paths: ['*.txt'], realm: 'r', file: join(node.folder, 'users') }] },
    { signedUrls: [{ paths: ['*.txt'], secretFile: join(node.folder, 'key') }] },
  ]) {
    assert.equal(
      await node.reload({ ...node.config, sites: [{ ...site, ...rule }] }),
      true,
      node.log,
    )
    const { status, text } = await page(node, '/pub/')
    assert.equal(status, 200)
    assert.ok(!text.includes(secret), Object.keys(rule)[0])
  }
  assert.equal(await node.reload({ ...node.config, sites: [site] }), true)
  assert.ok((await page(node, '/pub/')).text.includes(`<pre>${secret}</pre>`))
})
