// SPDX-License-Identifier: MIT
// Slow clients and handshakes of a real node, and healthy traffic, of which nothing is told.
import { once } from 'node:events'
import http2 from 'node:http2'
import https from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/seeded-random.ts'
import { advise, READ } from '../../../src/features/advice/advise.ts'
import { openMetricsDb } from '../../../src/metrics-store/open.ts'
import { createRingStore } from '../../../src/metrics-store/ring-store.ts'
import { planQuery } from '../../../src/metrics-store/rings.ts'
import { type Unit, unitsOf } from '../../../src/metrics-store/units.ts'
import { clients, endsWithTest, get, kept, LONG_MS, type RealNode, realNode } from './real-node.ts'

test(
  'slow clients and sessions that are not resumed are told of, and quick and kept ones are not',
  async () => {
    const node = await realNode({ files: { 'a.html': 'page', 'large.bin': Buffer.alloc(300_000) } })
    const session = () =>
      endsWithTest(
        http2.connect(`https://127.0.0.1:${node.tlsPort}`, {
          rejectUnauthorized: false,
          settings: { initialWindowSize: 16_384 },
        }),
      )
    const sessions = Array.from({ length: 5 }, session)
    const takeSlowly = async (n: number) => {
      const stream = sessions[n % 5]?.request({ ':path': '/large.bin' })
      if (!stream) return
      stream.on('data', () => {
        stream.pause()
        setTimeout(() => stream.resume(), 30)
      })
      await once(stream, 'end')
    }
    const [slow] = await node.advisedUnder(clients(40, takeSlowly), 'slowClients')
    expect(slow).toMatchObject({ rule: 'slowClients', change: null })
    const quick = kept()
    const fetched = clients(2, () => get(quick, node, '/large.bin'))
    expect((await node.judgedUnder(fetched, 'slowClients')).advice).toEqual([])

    const tls = (maxCachedSessions: number) =>
      endsWithTest(new https.Agent({ rejectUnauthorized: false, maxCachedSessions }))
    const over = (agent: https.Agent) =>
      clients(2, () => get(agent, { port: node.tlsPort }, '/a.html'))
    const [shaken] = await node.advisedUnder(over(tls(0)), 'handshakes')
    expect(shaken).toMatchObject({ rule: 'handshakes', change: null })
    const { advice, quiet } = await node.judgedUnder(over(tls(100)), 'handshakes')
    expect(advice).toEqual([])
    expect(quiet.find(({ rule }) => rule === 'handshakes')?.why).toMatch(/\d+ TLS handshakes/)
    await adviseNothingInAnHour(node)
  },
  LONG_MS,
)

/**
 * Windows of healthy traffic of several rates, measured on the real node, and drawn again until they are an hour: at each minute
 * of it, the last fifteen.
 */
async function adviseNothingInAnHour(node: RealNode) {
  const agent = kept()
  const tls = endsWithTest(new https.Agent({ rejectUnauthorized: false, keepAlive: true }))
  const loads = [
    clients(1, async () => {
      await get(agent, node, '/a.html')
      await sleep(20)
    }),
    clients(8, (n) => get(agent, node, n % 4 === 0 ? '/large.bin' : '/a.html')),
    clients(4, () => get(tls, { port: node.tlsPort }, '/a.html')),
  ]
  const measured: Unit[] = []
  for (const load of loads) {
    await node.judgedUnder(load, 'slowClients')
    measured.push(...measuredBy(node))
  }
  expect(measured.length).toBeGreaterThanOrEqual(9)
  const random = seededRandom(7)
  const hour = Array.from({ length: 360 }, () => {
    const unit = measured[Math.floor(random() * measured.length)]
    if (!unit) throw new Error('nothing was measured')
    return unit
  })
  for (let end = 90; end <= hour.length; end += 6) {
    expect(advise(hour.slice(end - 90, end)).advice).toEqual([])
  }
}

function measuredBy({ service, id }: RealNode) {
  const db = openMetricsDb(join(service.config.dataDir, 'metrics.db'))
  const nowSeconds = service.services.now() / 1000
  const plan = planQuery({ fromSeconds: nowSeconds - 900, toSeconds: nowSeconds }, 10, nowSeconds)
  try {
    const set = [{ id, generation: null }]
    for (const parts = unitsOf(createRingStore(db), { ...plan, set, wanted: READ }); ; ) {
      const part = parts.next()
      if (part.done) return part.value
    }
  } finally {
    db.close()
  }
}
