// SPDX-License-Identifier: MIT
// Sites and paths that are closed for now, and addresses that need no password.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder } from '../support/node.mjs'
import { get, LOOPBACK, OUTSIDE } from '../support/raw.mjs'

const files = {
  'index.html': 'home',
  'shop/a.html': 'a',
  'shop/style.css': 'style',
  'club/index.html': 'members',
  'sorry.html': 'back soon',
}
const config = { trustedProxies: [LOOPBACK, OUTSIDE] }
const as = (address, ...lines) => ({ lines: [`X-Forwarded-For: ${address}`, ...lines] })

test('a path or a site is closed and opened again by a reload, but for those who mend it', async (t) => {
  const node = await startNode(t, { files, config, site: { errorPages: { 503: '/sorry.html' } } })
  const apply = (maintenance, more) =>
    node.reload({ ...node.config, sites: [{ ...node.config.sites[0], maintenance, ...more }] })
  assert.equal((await get(node.port, '/shop/a.html')).status, 200)
  const rules = [
    { answer: 'open', paths: ['*.css'] },
    { answer: 'gone', paths: ['/shop/**'] },
    { except: ['192.0.2.7'], retrySeconds: 1800 },
  ]
  assert.ok(await apply(rules, { redirects: [{ match: '^/x$', to: '/y' }] }))
  for (const [target, status, retry] of [
    ['/', 503, '1800'],
    ['/none', 503, '1800'],
    ['/x', 503, '1800'],
    ['/shop/a.html', 410, undefined],
    ['/shop/../shop/%61.html', 410, undefined],
    ['/shop/style.css', 200, undefined],
  ]) {
    const answer = await get(node.port, target, as('192.0.2.8'))
    assert.deepEqual([answer.status, answer.headers['retry-after']], [status, retry], target)
    if (status === 503) assert.equal(answer.text, 'back soon')
  }
  const head = await get(node.port, '/', { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers['retry-after']], [503, '1800'])
  assert.equal((await get(node.port, '/', as('192.0.2.7'))).text, 'home')
  assert.equal((await get(node.port, '/x', as('192.0.2.7'))).status, 301)
  assert.ok(await apply([]))
  assert.equal((await get(node.port, '/')).text, 'home')
})

test('with satisfy any, whom access allows need not sign in, and whom it denies may', async (t) => {
  const file = join(tempFolder(t), 'users')
  writeFileSync(file, 'zoe:$2b$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq\n')
  const password = `Authorization: Basic ${Buffer.from('zoe:sesame').toString('base64')}`
  const wrong = `Authorization: Basic ${Buffer.from('zoe:other').toString('base64')}`
  const site = (satisfy) => ({
    access: [
      { action: 'allow', paths: ['/club/**'], addresses: ['192.0.2.0/24'] },
      { action: 'deny', paths: ['/club/**', '/shop/**'] },
    ],
    auth: [{ paths: ['/club/**'], realm: 'Club', file, satisfy }],
  })
  const node = await startNode(t, { files, config, site: site('any') })
  const statusOf = async (...args) => (await get(node.port, '/club/', as(...args))).status
  assert.equal(await statusOf('192.0.2.1'), 200)
  assert.equal(await statusOf('192.0.2.1', wrong), 200)
  assert.equal(await statusOf('198.51.100.1'), 401)
  assert.equal(await statusOf('198.51.100.1', wrong), 401)
  assert.equal(await statusOf('198.51.100.1', password), 200)
  assert.equal((await get(node.port, '/club/index.html', as('198.51.100.1'))).status, 401)
  assert.equal((await get(node.port, '/shop/a.html', as('198.51.100.1', password))).status, 403)
  assert.ok(
    await node.reload({ ...node.config, sites: [{ ...node.config.sites[0], ...site('all') }] }),
  )
  assert.equal(await statusOf('192.0.2.1'), 401)
  assert.equal(await statusOf('192.0.2.1', password), 200)
  assert.equal(await statusOf('198.51.100.1', password), 403)
})
