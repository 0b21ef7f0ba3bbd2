// SPDX-License-Identifier: MIT
// The control plane has a node count requests below some paths, for a while.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinNodeFor } from '../support/joined-node.mjs'

const GUIDE = '<p>A guide</p>'

test('requests below the paths of an order are counted until it is over, and told with each window', async (t) => {
  const { control, node } = await joinNodeFor(t)
  mkdirSync(join(node.root, 'docs'))
  writeFileSync(join(node.root, 'docs/guide.html'), GUIDE)
  writeFileSync(join(node.root, 'docs/empty.html'), '')
  control.assign(node.config('v1', { workers: 2 }))
  node.start()
  await node.untilVersion('v1')
  assert.ok(control.of('hello')[0].body.capabilities.includes('pathWatch'))

  const ask = async (path, times) => {
    for (let i = 0; i < times; i++)
      await (await fetch(`http://127.0.0.1:${node.port}${path}`)).text()
  }
  const seriesOf = (windows) => windows.flatMap(({ window }) => window.series)
  /** Of one order: what the windows say of one of its paths together. */
  const counted = (id, place) =>
    seriesOf(control.windows)
      .filter(({ watched }) => watched?.id === id)
      .flatMap(({ watched }) => watched.counts)
      .filter(([at]) => at === place)
      .reduce((sum, [, ...row]) => row.map((n, i) => n + (sum[i] ?? 0)), [0])
  const untilCounting = async (id) => {
    for (; counted(id, 1)[0] === 0; await sleep(100)) await ask('/', 1)
  }

  const paths = [{ path: '/docs/' }, { path: '/' }]
  await ask('/docs/before', 3)
  const { id } = control.watch(paths, { forMs: 6_000 })
  await untilCounting(id)
  await ask('/docs/guide.html', 5)
  await ask('/docs/gone', 2)
  await ask('/docs/empty.html', 3)
  await fetch(`http://127.0.0.1:${node.port}/docs/guide.html`, { method: 'HEAD' })
  await control.until('told', () => counted(id, 0)[0] === 11)
  // An empty page is a page; a HEAD says nothing of one.
  assert.deepEqual(counted(id, 0), [11, 2, 8, 5 * GUIDE.length])

  // It is over by itself, and what is asked for again counts from 0.
  for (let isOver = false; !isOver; ) {
    await ask('/', 1)
    const windows = control.windows.length
    await control.until('two windows', () => control.windows.length >= windows + 2)
    isOver = seriesOf(control.windows.slice(windows - 1)).every(({ watched }) => !watched)
  }
  const again = control.watch(paths, { id })
  const before = counted(again.id, 0)[0]
  for (; counted(id, 0)[0] === before; await sleep(100)) await ask('/docs/guide.html', 1)
})
