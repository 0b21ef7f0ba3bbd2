// SPDX-License-Identifier: MIT
// What must hold of passwords whatever clients, disk and operator do meanwhile.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { tempFolder, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'
import { basic, QUICK, SLOW, start, WRONG, ZOE } from '../support/sign-in.mjs'

describe('passwords', { concurrency: 3 }, () => {
  test('no way to write a protected path gets past its rule', async (t) => {
    const { node } = await start(t, `zoe:${QUICK}\n`)
    for (const target of [
      '/in/page.txt',
      '//in/page.txt',
      '/in//page.txt',
      '/./in/page.txt',
      '/out/../in/page.txt',
      '/in/x/../page.txt',
      '/i%6e/page.txt',
      '/%69%6E/page.txt',
      '/in/%2e/page.txt',
      '/x/%2e%2e/in/page.txt',
      '/in/page.txt?a=b',
      'http://test/in/page.txt',
    ]) {
      assert.equal((await get(node.port, target)).status, 401, target)
      assert.equal((await get(node.port, target, ZOE)).text, 'inner', target)
    }
    assert.equal((await get(node.port, '/in/missing.txt')).status, 401)
    assert.equal((await get(node.port, '/in/page.txt', { method: 'HEAD' })).status, 401)
    assert.equal(
      (await get(node.port, '/in/page.txt', { lines: ['Range: bytes=0-0'] })).status,
      401,
    )
    assert.equal(
      (await get(node.port, '/in/page.txt', { lines: ['If-None-Match: *'] })).status,
      401,
    )
    assert.equal((await get(node.port, '/out.txt')).text, 'outer')
  })

  test('a password counts for its own request only', async (t) => {
    const { node } = await start(t, `zoe:${QUICK}\n`)
    const client = await RawClient.connect(node.port)
    client.send(
      request('/in/page.txt', ZOE) +
        request('/in/page.txt') +
        request('/out.txt', WRONG) +
        request('/in/page.txt', WRONG) +
        request('/in/page.txt', ZOE),
    )
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await client.response()).status)
    client.close()
    assert.deepEqual(statuses, [200, 401, 200, 401, 200])
  })

  test('clients that go away while their password is verified harm nobody', async (t) => {
    const { node } = await start(t, `zoe:${SLOW}\n`)
    for (let round = 0; round < 5; round++) {
      const clients = await Promise.all(
        Array.from({ length: 40 }, () => RawClient.connect(node.port)),
      )
      for (const client of clients) client.send(request('/in/page.txt', WRONG))
      await sleep(30)
      for (const client of clients) client.close()
    }
    await until(
      async () => (await get(node.port, '/in/page.txt', ZOE)).status === 200,
      'zoe gets in',
    )
  })

  test('a reload and the end come while passwords are verified', async (t) => {
    const { node } = await start(t, `zoe:${SLOW}\n`)
    const asked = Array.from({ length: 20 }, () => get(node.port, '/in/page.txt', WRONG))
    await until(async () => (await node.counter('connections')) >= 20, 'all are accepted')
    await node.reload({ ...node.config, sites: [{ hosts: ['*'], root: node.root }] })
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    assert.ok(statuses.includes(401), 'one was being verified')
    // 200: its head was read after the reload, when the path was open.
    for (const status of statuses) assert.ok([200, 401, 503].includes(status), status)
    assert.equal((await get(node.port, '/in/page.txt')).status, 200, 'open now')
    await node.reload(node.config)
    const late = Array.from({ length: 20 }, () =>
      get(node.port, '/in/page.txt', WRONG).then(
        ({ status }) => status,
        () => 0, // the node may end before it answers
      ),
    )
    await sleep(50)
    assert.equal(await node.stop(), 0)
    for (const status of await Promise.all(late)) assert.ok([0, 401, 503].includes(status), status)
  })

  test('a file that is gone or wrong lets nobody in, and is said once', async (t) => {
    const { node, file } = await start(t, `zoe:${QUICK}\n`)
    const zoe = async () => (await get(node.port, '/in/page.txt', ZOE)).status
    assert.equal(await zoe(), 200)
    rmSync(file)
    await until(async () => (await zoe()) === 503, 'the file is missed')
    for (let i = 0; i < 20; i++) assert.equal(await zoe(), 503)
    assert.equal((await get(node.port, '/in/page.txt')).status, 401, 'who gives no name is asked')
    writeFileSync(file, 'zoe:sesame\n')
    await sleep(1500)
    assert.equal(await zoe(), 503)
    writeFileSync(file, `zoe:${QUICK}\n`)
    await until(async () => (await zoe()) === 200, 'the file is back')
    assert.equal(node.log.match(/error auth: nobody is let in by/g).length, 1)
    await node.logLine(/info auth: .* can be used again/)
  })

  test('a user whose line goes is out within seconds', async (t) => {
    const { node, file } = await start(t, `zoe:${QUICK}\nadam:${QUICK}\n`)
    const status = async (user) =>
      (await get(node.port, '/in/page.txt', { lines: [basic(user, 'sesame')] })).status
    assert.equal(await status('zoe'), 200)
    assert.equal(await status('adam'), 200)
    await sleep(2100) // what changed this long ago is not looked at each second any more
    assert.equal(await status('zoe'), 200)
    writeFileSync(file, `adam:${QUICK}\n`)
    const changed = Date.now()
    await until(async () => (await status('zoe')) === 401, 'zoe is out')
    assert.ok(Date.now() - changed < 8000, `${Date.now() - changed} ms`)
    assert.equal(await status('adam'), 200)
  })

  test('logs never have a password', async (t) => {
    const logs = tempFolder(t)
    const path = join(logs, 'access.log')
    const { node } = await start(t, `zoe:${QUICK}\n`, {
      config: { accessLog: { path, format: 'combined' }, errorLog: { level: 'debug' } },
    })
    await get(node.port, '/in/page.txt', ZOE)
    await get(node.port, '/in/page.txt', WRONG)
    await node.stop()
    const log = readFileSync(path, 'utf8')
    assert.match(log, /^\S+ - \S+ \[.* 200 /m)
    assert.match(log, /^\S+ - - \[.* 401 /m)
    for (const text of [log, node.log])
      assert.doesNotMatch(text, /sesame|c2VzYW1l|em9lOnNlc2FtZQ|em9lOlNlc2FtZQ/i)
  })
})
