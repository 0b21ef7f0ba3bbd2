// SPDX-License-Identifier: MIT
// The long polls of all nodes at once, for requests.ts: how long they hold up everybody else when they are woken with
// nothing to say, and with a new text for all.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

import type { Service } from '../../src/app.ts'
import { sha256 } from '../../src/base/ids.ts'
import { inSlices } from '../../src/base/slices.ts'
import { example } from '../agents/node-client.ts'
import type { Row } from './asking.ts'
import { CONFIG, credentialOf, INCARNATION, nodeIdOf } from './large-database.ts'
import { watchTurns } from './turns.ts'

const WAIT_MS = 30_000
const AT_A_TIME = 100
const OBEYED = 1000
const TEXTS = [
  { what: 'a text of 4 KB for all', bytes: 4 * 1024, share: 1 },
  { what: 'a text of 1 MB for a tenth', bytes: 1024 * 1024, share: 0.1 },
]

export async function measurePolls(
  service: Service,
  nodes: number,
  note: (row: Row) => void,
): Promise<void> {
  const waits = countWaits(service)
  // What each is given from now on has the same generation, whatever it had before.
  await service.services.db.updateTable('nodes').set({ max_generation: OBEYED }).execute()
  const { polls } = await pollAll(service, nodes, OBEYED)
  await waits.reach(nodes)
  const woken = async () => {
    const before = waits.count()
    service.fleet.wakeAll()
    await waits.reach(before + nodes)
  }
  const first = await watched(woken)
  note({ ...(await watched(woken)), what: 'polls, nothing is new', firstMs: first.longestMs })
  let generation = OBEYED
  for (const { what, bytes, share } of TEXTS) {
    const some = Math.ceil(nodes * share)
    const times: number[] = []
    for (let i = 0; i < 2; i++) {
      generation = await assignAll(service, some, bytes, i)
      const row = await watched(async () => {
        service.fleet.wakeAll()
        await Promise.all(polls.slice(0, some))
      })
      times.push(row.longestMs)
      if (i > 0) note({ ...row, what: `polls, ${what}`, firstMs: times[0] ?? 0 })
      const again = await pollAll(service, some, generation)
      polls.splice(0, some, ...again.polls)
      await waits.reach(waits.count())
    }
  }
  isOver.add(service.agents)
  service.fleet.close()
  await Promise.all(polls)
}

/** Those that wait say it to the fleet. */
function countWaits({ fleet }: Service) {
  const wait = fleet.wait.bind(fleet)
  let count = 0
  fleet.wait = (...about) => {
    count++
    return wait(...about)
  }
  const reach = async (wanted: number) => {
    while (count < wanted) await sleep(5)
    await sleep(200)
  }
  return { count: () => count, reach }
}

/** Each resolves when it is given something; who is told that nothing is new asks again. */
async function pollAll({ agents }: Service, nodes: number, generation: number) {
  const have = { generation, digest: `sha256:${sha256('any')}` }
  const payload = { ...example('desired.request'), have, waitMs: WAIT_MS, incarnation: INCARNATION }
  const poll = async (i: number): Promise<void> => {
    const headers = { authorization: `Bearer ${credentialOf(i)}` }
    const asked = { method: 'POST' as const, url: '/agent/v1/desired', payload, headers }
    const { statusCode, rawPayload } = await agents.inject(asked)
    if (statusCode !== 200) throw new Error(`a poll was answered ${statusCode}`)
    if (rawPayload.equals(NOTHING_NEW) && !isOver.has(agents)) await poll(i)
  }
  const polls: Promise<void>[] = []
  for (let i = 0; i < nodes; i++) {
    polls.push(poll(i))
    if (i % AT_A_TIME === 0) await setImmediate()
  }
  return { polls }
}
const NOTHING_NEW = Buffer.from('{"assignment":null}')
/** Listeners whose nodes are to ask no more. */
const isOver = new WeakSet<object>()

/** Given, and nobody woken yet. Returns the generation. */
async function assignAll(service: Service, nodes: number, bytes: number, i: number) {
  const { write } = service.services
  const text = `{ "workers": 1 } // "${i}" ${'x "y"\n'.repeat(bytes / 6)}`
  const digest = `sha256:${sha256(text)}`
  const wake = service.fleet.wake.bind(service.fleet)
  service.fleet.wake = () => {}
  let generation = 0
  const ids = Array.from({ length: nodes }, (_, n) => nodeIdOf(n))
  for (const some of inSlices(ids, AT_A_TIME)) {
    await write(async (unit) => {
      for (const nodeId of some) {
        const about = { nodeId, rolloutId: null, config: CONFIG, version: 1, group: 'default' }
        const given = await service.assignments.assign(unit, { ...about, text, digest })
        generation = Math.max(generation, given.generation)
      }
    })
    await setImmediate()
  }
  service.fleet.wake = wake
  return generation
}

async function watched(work: () => Promise<unknown>): Promise<Row> {
  await setImmediate()
  const fromMs = performance.now()
  const stop = watchTurns('')
  await work()
  const totalMs = performance.now() - fromMs
  const { longestMs, longestCpuMs } = stop()
  const rss = process.memoryUsage().rss
  return { what: '', status: 200, firstMs: 0, longestMs, longestCpuMs, totalMs, bytes: rss }
}
