// SPDX-License-Identifier: MIT
// Lists of very many files: whole over each protocol, made as the client takes them, and given up with it.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectHttp2 } from '../conformance/http2.mjs'
import { ask } from '../support/http2-ask.mjs'
import {
  checkNames,
  JSON_WANTED,
  names,
  resetHttp1,
  resetHttp2,
  startListing,
} from '../support/long-lists.mjs'
import { goneOf } from '../support/many-clients.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

test('a long list is the same over each protocol, and what follows it is answered', async (t) => {
  const node = await startListing(t, { count: 20_000 })
  const page = await get(node.port, '/many/')
  checkNames(names(page.text), 20_000)
  checkNames(names((await get(node.port, '/many/?order=desc')).text).reverse(), 20_000)
  const head = await get(node.port, '/many/', { method: 'HEAD' })
  assert.equal(head.headers['content-length'], String(page.body.length))
  const matched = await get(node.port, '/many/', { lines: ['If-None-Match: *'] })
  assert.equal(matched.status, 304)
  const client = await RawClient.connect(node.port)
  client.send(request('/many/', { method: 'HEAD' }) + request('/many/') + request('/a.txt'))
  await client.response({ isHead: true })
  assert.ok((await client.response()).body.equals(page.body))
  assert.equal((await client.response()).text, 'alpha')
  client.close()
  const old = await RawClient.connect(node.port)
  old.send('GET /many/ HTTP/1.0\r\nHost: test\r\n\r\n')
  assert.ok((await old.response()).body.equals(page.body))
  assert.equal((await old.closed()).length, 0)
  const framed = await ask(node, '/many/')
  assert.equal(framed.headers['content-length'], String(page.body.length))
  assert.ok(framed.body.equals(page.body))
  const framedHead = await ask(node, '/many/', { ':method': 'HEAD' })
  assert.equal(framedHead.headers['content-length'], String(page.body.length))
  assert.equal(framedHead.body.length, 0)
})

test('windows of HTTP/2 that are small or shut hold up the list, and nothing else', async (t) => {
  const node = await startListing(t, { count: 5000 })
  const whole = (await get(node.port, '/many/')).body
  const session = connectHttp2(node.port, { settings: { initialWindowSize: 1000 } })
  const list = session.request({ ':path': '/many/' })
  list.pause()
  const chunks = []
  list.on('data', (chunk) => chunks.push(chunk))
  list.pause()
  for (let i = 0; i < 5; i++) {
    assert.equal((await ask(node, '/a.txt', {}, session)).body.toString(), 'alpha')
    await sleep(20)
  }
  const shown = (await ask(node, '/many/', {}, session)).body
  assert.ok(shown.equals(whole), 'a window of 1,000 bytes at a time')
  list.resume()
  await new Promise((resolve) => list.on('close', resolve))
  assert.ok(Buffer.concat(chunks).equals(whole), 'the one that had to wait')
  session.destroy()
})

test('a folder in which names come and go is listed whole, with those that stay', async (t) => {
  const node = await startListing(t, { count: 2000 })
  let round = 0
  const change = () => {
    for (let i = 0; i < 50; i++) writeFileSync(join(node.many, `x${round}-${i}`), '')
    if (round > 0) for (let i = 0; i < 50; i++) rmSync(join(node.many, `x${round - 1}-${i}`))
    round++
  }
  for (let i = 0; i < 40; i++) {
    const listing = get(node.port, '/many/', i % 2 ? JSON_WANTED : {})
    change()
    const { complete, text } = await listing
    assert.ok(complete)
    const listed = i % 2 ? JSON.parse(text).entries.map(({ name }) => name) : names(text)
    checkNames(
      listed.filter((name) => name[0] === 'f'),
      2000,
    )
  }
})

test('names that are no UTF-8 are text in the list, and links to the files they name', async (t) => {
  const node = await startListing(t, { count: 1 })
  const bytes = Array.from({ length: 128 }, (_, i) => 128 + i)
  for (const byte of bytes)
    for (let i = 0; i < 4; i++)
      writeFileSync(
        Buffer.concat([Buffer.from(`${node.many}/${i}-`), Buffer.from([byte, 0x22, 0x3c])]),
        `${byte} ${i}`,
      )
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const page = utf8.decode((await get(node.port, '/many/')).body)
  const json = JSON.parse(utf8.decode((await get(node.port, '/many/', JSON_WANTED)).body))
  const hrefs = [...page.matchAll(/<th scope="row"><a href="([^"]+)">/g)].map(([, href]) => href)
  assert.equal(hrefs.length, 513)
  assert.deepEqual(
    json.entries.map(({ href }) => href),
    hrefs,
  )
  for (const byte of bytes)
    assert.ok(hrefs.includes(`3-%${byte.toString(16).toUpperCase()}%22%3C`), `${byte}`)
  assert.equal((await get(node.port, '/many/3-%FF%22%3C')).text, '255 3')
})

test('lists that are given up while they are made leave nothing behind', async (t) => {
  const node = await startListing(t, { count: 5000 })
  const whole = (await get(node.port, '/many/')).body
  for (let i = 0; i < 6; i++) await resetHttp1(node, '/many/')
  const session = connectHttp2(node.port)
  for (let i = 0; i < 6; i++) await resetHttp2(session, '/many/')
  session.destroy()
  await goneOf(node, 0)
  assert.ok((await get(node.port, '/many/')).body.equals(whole))
})
