// SPDX-License-Identifier: MIT
// Names to save under (RFC 6266, RFC 8187), and files that are stored compressed and sent as what is in them.
import assert from 'node:assert/strict'
import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { startNode, until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const named = (answer) => answer.headers['content-disposition']

test('downloads are saved under their own name or a given one, in whatever letters', async (t) => {
  const node = await startNode(t, {
    files: {
      'files/report.pdf': 'x'.repeat(2000),
      'files/Übersicht 100%.pdf': 'u',
      'files/a"b\\c.txt': 'q',
      'files/日本.txt': 'j',
      'files/index.html': 'folder',
      'view/a.pdf': 'v',
      'other.pdf': 'o',
    },
    site: {
      downloads: [
        { paths: ['/view/**'], fileName: 'Rechnung €.pdf', inline: true },
        { paths: ['/files/**'] },
      ],
    },
  })
  for (const [target, want] of [
    ['/files/report.pdf', 'attachment; filename="report.pdf"'],
    [
      '/files/%C3%9Cbersicht%20100%25.pdf',
      `attachment; filename="_bersicht 100_.pdf"; filename*=UTF-8''%C3%9Cbersicht%20100%25.pdf`,
    ],
    ['/files/a%22b%5Cc.txt', `attachment; filename="a_b_c.txt"; filename*=UTF-8''a%22b%5Cc.txt`],
    [
      '/files/%E6%97%A5%E6%9C%AC.txt',
      `attachment; filename="__.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`,
    ],
    ['/files/', 'attachment; filename="index.html"'],
    ['/view/a.pdf', `inline; filename="Rechnung _.pdf"; filename*=UTF-8''Rechnung%20%E2%82%AC.pdf`],
    ['/other.pdf', undefined],
  ])
    for (let turn = 0; turn < 2; turn++) {
      const answer = await get(node.port, target)
      assert.deepEqual([answer.status, named(answer)], [200, want], target)
    }
  const part = await get(node.port, '/files/report.pdf', { lines: ['Range: bytes=0-9'] })
  assert.deepEqual([part.status, named(part)], [206, 'attachment; filename="report.pdf"'])
  const none = await get(node.port, '/files/none.pdf')
  assert.deepEqual([none.status, named(none)], [404, undefined], 'an error is shown, not saved')
  const headers = [{ name: 'Content-Disposition', value: 'inline', paths: ['*.pdf'] }]
  assert.ok(await node.reload({ ...node.config, sites: [{ ...node.config.sites[0], headers }] }))
  assert.equal(named(await get(node.port, '/files/report.pdf')), 'inline')
})

test('files that are stored compressed are sent as what is in them', async (t) => {
  const tile = gzipSync('a tile')
  const node = await startNode(t, {
    files: {
      'Build/game.wasm.br': 'brotli',
      'Build/game.data.gz': gzipSync('data'),
      'Build/game.data.gz.br': 'no copy of a coded file is sent',
      'Build/game.js.br': 'script',
      'Build/game.unityweb': 'unity',
      'tiles/1/2/3.pbf': tile,
      'tiles/1/2/4.pbf': gzipSync('another'.repeat(500)),
      'a.tar.gz': gzipSync('tar'),
      'a.svgz': gzipSync('<svg/>'),
    },
    site: {
      storedCodings: [
        { paths: ['/Build/*.br'], coding: 'br', refuse: true },
        { paths: ['/Build/*.gz'], coding: 'gzip' },
        { paths: ['*.unityweb'], coding: 'br', type: 'application/octet-stream' },
        { paths: ['/tiles/**'], coding: 'gzip', type: 'application/vnd.mapbox-vector-tile' },
      ],
    },
  })
  const br = { lines: ['Accept-Encoding: gzip, deflate, br'] }
  for (const [target, type, coding] of [
    ['/Build/game.wasm.br', 'application/wasm', 'br'],
    ['/Build/game.js.br', 'text/javascript; charset=utf-8', 'br'],
    ['/Build/game.data.gz', 'application/octet-stream', 'gzip'],
    ['/Build/game.unityweb', 'application/octet-stream', 'br'],
    ['/tiles/1/2/3.pbf', 'application/vnd.mapbox-vector-tile', 'gzip'],
    ['/a.tar.gz', 'application/gzip', undefined],
    ['/a.svgz', 'image/svg+xml', 'gzip'],
  ]) {
    const answer = await get(node.port, target, br)
    assert.equal(answer.status, 200, target)
    assert.equal(answer.headers['content-type'], type, target)
    assert.equal(answer.headers['content-encoding'], coding, target)
  }
  const sent = await get(node.port, '/tiles/1/2/3.pbf', br)
  assert.deepEqual(sent.body, tile, 'the bytes are those of the file')
  assert.equal(gunzipSync(sent.body).toString(), 'a tile')
  const part = await get(node.port, '/tiles/1/2/4.pbf', { lines: ['Range: bytes=2-5'] })
  assert.deepEqual([part.status, part.headers['content-encoding']], [206, 'gzip'])
  assert.deepEqual(part.body, readFileSync(`${node.root}/tiles/1/2/4.pbf`).subarray(2, 6))
})

test('nothing compresses once more what is stored compressed', async (t) => {
  const log = gzipSync(Buffer.alloc(100_000, 'a line of a log\n'), { level: 0 })
  const node = await startNode(t, {
    files: { 'old/a.log': log, 'new/a.log': Buffer.alloc(100_000, 'a line of a log\n') },
    config: ({ folder }) => ({ compression: { cacheFolder: join(folder, 'copies') } }),
    site: { storedCodings: [{ paths: ['/old/**'], coding: 'gzip' }] },
  })
  const ask = (target) => get(node.port, target, { lines: ['Accept-Encoding: br, gzip'] })
  const then = new Date(Date.now() - 60_000)
  for (const name of ['old/a.log', 'new/a.log']) utimesSync(join(node.root, name), then, then)
  await until(async () => (await ask('/new/a.log')).headers['content-encoding'] === 'br', 'a copy')
  for (let turn = 0; turn < 3; turn++) {
    const answer = await ask('/old/a.log')
    assert.equal(answer.headers['content-encoding'], 'gzip')
    assert.deepEqual(answer.body, log)
    await sleep(50)
  }
  await node.untilCounter('copiesMade', 1)
})

test('a client that does not take the coding gets the file all the same, or 406 where a rule says so', async (t) => {
  const node = await startNode(t, {
    files: { 'Build/a.js.br': 'br', 'Build/a.js.gz': gzipSync('gz') },
    site: {
      storedCodings: [
        { paths: ['*.br'], coding: 'br', refuse: true },
        { paths: ['*.gz'], coding: 'gzip' },
      ],
    },
  })
  const statusOf = async (target, ...lines) => (await get(node.port, target, { lines })).status
  for (const [line, status] of [
    ['Accept-Encoding: gzip', 406],
    ['Accept-Encoding: br;q=0, gzip', 406],
    ['Accept-Encoding: identity', 406],
    ['Accept-Encoding: *;q=0', 406],
    ['Accept-Encoding: ', 406],
    ['Accept-Encoding: identity, br;q=0.1', 200],
    ['Accept-Encoding: *', 200],
    ['X-None: 1', 200],
  ]) {
    assert.equal(await statusOf('/Build/a.js.br', line), status, line)
    assert.equal(await statusOf('/Build/a.js.gz', line), 200, line)
  }
  const vary = async (target) => (await get(node.port, target)).headers.vary
  assert.equal(await vary('/Build/a.js.br'), 'Accept-Encoding')
  assert.equal(await vary('/Build/a.js.gz'), undefined, 'everybody gets the same')
})
