// SPDX-License-Identifier: MIT
// More and fewer event loops while clients come: none is lost with the socket of a loop.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { preloadEnv, wrapWith } from '../support/preload.mjs'
import { get } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha' }

/** `also`: the environment of one more library. */
async function startWithSlowCloses(t, config, also = {}) {
  const slow = join(tempFolder(t), 'slow')
  const env = preloadEnv('slow_close', { SLOW_CLOSE: slow })
  const libraries = [env.LD_PRELOAD, also.LD_PRELOAD].filter(Boolean).join(':')
  const wrap = wrapWith({ ...env, ...also, LD_PRELOAD: libraries })
  const node = await startNode(t, { files, wrap, config })
  writeFileSync(slow, '')
  return node
}

/** Clients that ask, each request on a connection of its own, while `change` is under way and for a while after it. */
async function whileClientsAsk(node, change) {
  let going = true
  const counts = [0, 0, 0, 0]
  const clients = Promise.all(
    counts.map(async (_, i) => {
      for (; going; counts[i]++) assert.equal((await get(node.port, '/a.txt')).status, 200)
    }),
  )
  const eachAsks = (times) => {
    const before = [...counts]
    return until(() => counts.every((count, i) => count >= before[i] + times), 'each asks')
  }
  const changing = async () => {
    await eachAsks(3)
    await change()
    await eachAsks(10)
    going = false
  }
  await Promise.all([changing(), clients])
}

test('fewer loops: who connects while the sockets of the others are closed is served', async (t) => {
  const node = await startWithSlowCloses(t, { workers: 4 })
  for (const workers of [2, 1])
    await whileClientsAsk(node, async () =>
      assert.ok(await node.reload({ ...node.config, workers }), node.log),
    )
  // All of them are asked again.
  await whileClientsAsk(node, async () =>
    assert.ok(await node.reload({ ...node.config, workers: 3 }), node.log),
  )
})

test('more loops, and the config is refused in the end: nobody has waited for them', async (t) => {
  const full = join(tempFolder(t), 'full')
  const fullEpoll = preloadEnv('full_epoll', { FULL_EPOLL: full })
  const node = await startWithSlowCloses(t, { workers: 1 }, fullEpoll)
  writeFileSync(full, '')
  await whileClientsAsk(node, async () =>
    assert.equal(await node.reload({ ...node.config, workers: 4 }), false),
  )
  assert.match(node.log, /event loop \d can't watch port/)
  rmSync(full)
  await whileClientsAsk(node, async () =>
    assert.ok(await node.reload({ ...node.config, workers: 4 }), node.log),
  )
})
