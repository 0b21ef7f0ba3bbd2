// SPDX-License-Identifier: MIT
// Threads, queues, chunks and caches change while files are read from the disk: nobody notices.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startNode } from '../support/node.mjs'
import { RawClient, request } from '../support/raw.mjs'

const CLIENTS = 40
const FILES = {}
for (let i = 0; i < 20; i++) {
  FILES[`small-${i}.txt`] = Buffer.from(`small ${i} `.repeat(10 + 40 * i))
  FILES[`large-${i}.bin`] = Buffer.alloc(300_000 + 70_001 * i, `large ${i} `)
}

// No queue is shorter than there are clients: what is over it is to be refused.
const CHANGES = [
  { io: { readThreads: 64, statThreads: 8, queueLength: 4096, chunkBytes: 4096 } },
  { io: { readThreads: 1, statThreads: 1, queueLength: CLIENTS, chunkBytes: 4194304 } },
  { statCache: { engine: 'off' }, fileCache: { maxBytes: 0 } },
  { io: { statThreads: 2 }, statCache: { maxEntries: 16 }, fileCache: { maxOpenFiles: 16 } },
  { io: { readThreads: 16 }, fileCache: { maxFileBytes: 1_000_000 }, statCache: { ttlMillis: 1 } },
  { io: { readThreads: 'auto', chunkBytes: 65536 }, fileCache: { maxFileBytes: 0 } },
]

/** Throws the files out of the page cache, where there is one between them and the disk. */
async function chill(root) {
  const drop = 'for f; do dd if="$f" iflag=nocache count=0 status=none; done'
  const paths = Object.keys(FILES).map((name) => join(root, name))
  await promisify(execFile)('sh', ['-c', drop, 'sh', ...paths])
}

/** Each asks for one file after the other; end() says what went wrong and how many were answered. */
function startLoad(port) {
  const names = Object.keys(FILES)
  const failures = []
  let answered = 0
  let isOver = false
  async function ask(number) {
    const client = await RawClient.connect(port)
    for (let i = number; !isOver; i++, answered++) {
      const name = names[(i * 7) % names.length]
      client.send(request(`/${name}`))
      const { status, body } = await client.response()
      if (status !== 200 || !body.equals(FILES[name]))
        failures.push(`${name}: ${status}, ${body.length} bytes`)
    }
    client.close()
  }
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, (_, i) => ask(i).catch((error) => failures.push(`${error}`))),
  )
  return {
    answered: () => answered,
    end: async () => {
      isOver = true
      await clients
      return failures
    },
  }
}

test('threads, queues, chunks and caches change under load without a failed request', async (t) => {
  const node = await startNode(t, { files: FILES, config: { limits: { keepAliveRequests: 1e6 } } })
  const load = startLoad(node.port)
  for (let round = 0; round < 3; round++)
    for (const change of CHANGES) {
      const before = load.answered()
      await chill(node.root)
      assert.ok(await node.reload({ ...node.config, ...change }), node.log)
      const { gauges } = await node.status()
      if (change.io?.statThreads) assert.equal(gauges.statThreads, change.io.statThreads)
      if (change.io?.readThreads > 0) assert.equal(gauges.readThreads, change.io.readThreads)
      while (load.answered() < before + CLIENTS) await chill(node.root)
    }
  assert.deepEqual(await load.end(), [])
  assert.equal(await node.counter('laneRejected'), 0)
})
