// SPDX-License-Identifier: MIT
// What nodes measured, and a leader acknowledged, when that leader is gone with its machine, or hangs and wakes up again.
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Window } from '../../src/agent-protocol/messages.gen.ts'
import { SCALE } from '../../src/histogram/histogram.ts'
import { tempDir } from '../helper.ts'
import { histogramOf } from '../histogram-of.ts'
import { isOnPostgres } from '../postgres.ts'
import { SimulatedNode } from '../simulated-node.ts'
import { aDatabase, folderWithKeyOf, type Replica, signIn, startReplica } from './farm.ts'

const LONG = { timeout: 60_000, interval: 200 }
const WINDOW_MS = 1_000
const ENV = {
  FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
  FARMSTEAD_AGENT_URL: 'http://127.0.0.1:1',
}
const SERIES: Window['series'] = [
  {
    generation: 0,
    counters: { requests: 1 },
    stages: { total: { scale: SCALE, ...histogramOf([0.1]) } },
  },
]

/** A request in each window; what was not acknowledged is sent again, as a real node does. */
function measuring(node: SimulatedNode) {
  const unacknowledged: Window[] = []
  let measured = 0
  let acknowledged = 0
  const forget = (upTo: number) => {
    acknowledged = Math.max(acknowledged, upTo)
    while ((unacknowledged[0]?.seq ?? Number.POSITIVE_INFINITY) <= upTo) unacknowledged.shift()
  }
  return {
    async measure(): Promise<void> {
      const before = [...unacknowledged]
      const startedMs = measured * WINDOW_MS
      unacknowledged.push({ seq: ++measured, startedMs, durationMs: WINDOW_MS, series: SERIES })
      try {
        forget(await node.report(SERIES, WINDOW_MS, before))
      } catch {
        await sleep(100)
      }
    },
    async sendRest(): Promise<void> {
      await expect
        .poll(async () => {
          await node.send(unacknowledged).then(forget, () => {})
          return unacknowledged.length
        }, LONG)
        .toBe(0)
    },
    counts: () => ({ measured, acknowledged }),
  }
}

async function aFarm() {
  const databaseUrl = await aDatabase()
  const leader = await startReplica({ databaseUrl, dataDir: tempDir(), env: ENV })
  await leader.leads()
  const follower = await startReplica({ databaseUrl, dataDir: folderWithKeyOf(leader), env: ENV })
  await follower.follows()
  const { ask, read } = await signIn(leader)
  const token = await read(
    ask(leader, '/enrolment-tokens', 'POST', { maxUses: 1, expiresInSeconds: 3600 }),
  )
  const agents = follower.agents.replace('https:', 'http:')
  const node = await SimulatedNode.join(agents, token.secret, 'n')
  await node.hello()
  /** null: it is not loaded yet, and said to be so. */
  const requests = async (at: Replica): Promise<number | null> => {
    const answer = await ask(at, `/metrics/query?node=${node.id}`)
    const body = await read(answer)
    if (answer.status === 503) {
      expect(body.code).toBe('metrics_not_loaded')
      return null
    }
    expect(answer.status).toBe(200)
    return body.series[0].count.reduce((sum: number, n: number | null) => sum + (n ?? 0), 0)
  }
  return {
    databaseUrl,
    leader,
    follower,
    node: measuring(node),
    hello: () => node.hello(),
    requests,
  }
}

/** Says hello until somebody hears it. */
const untilHeard = (hello: () => Promise<void>) =>
  expect
    .poll(
      () =>
        hello().then(
          () => true,
          () => false,
        ),
      LONG,
    )
    .toBe(true)

describe.skipIf(!isOnPostgres)('what was measured', () => {
  test('is shown by the next leader, each window once, when the first is gone with its machine', async () => {
    const { leader, follower, node, hello, requests } = await aFarm()
    await expect
      .poll(async () => {
        await node.measure()
        return node.counts().acknowledged
      }, LONG)
      .toBeGreaterThan(5)
    for (let i = 0; i < 20; i++) {
      if (i === 10) leader.child.kill('SIGKILL')
      await node.measure()
    }
    const { acknowledged } = node.counts()
    await leader.ended
    rmSync(leader.dataDir, { recursive: true })
    await follower.leads()
    // Before the node says anything more: what was acknowledged is there.
    await expect.poll(() => requests(follower), LONG).toBeGreaterThanOrEqual(acknowledged)
    await untilHeard(hello)
    await node.sendRest()
    expect(await requests(follower)).toBe(node.counts().measured)
  })

  test('is written by the new leader alone when the one before hung in the midst of it', async () => {
    const { databaseUrl, leader, follower, node, hello, requests } = await aFarm()
    await expect
      .poll(async () => {
        await node.measure()
        return node.counts().acknowledged
      }, LONG)
      .toBeGreaterThan(5)
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    // Its transaction waits for ours, so that it hangs with the record locked.
    await client.query('begin; lock table metrics_taken in exclusive mode')
    const asked = node.measure()
    await expect
      .poll(async () => {
        const { rows } = await client.query(`select 1 from pg_locks where not granted
          and relation = 'metrics_taken'::regclass`)
        return rows.length
      }, LONG)
      .toBe(1)
    leader.child.kill('SIGSTOP')
    await client.query('rollback')
    await follower.leads()
    await untilHeard(hello)
    await node.sendRest()
    const written = async () =>
      (await client.query('select writer, epoch::int from metrics_record')).rows
    const before = await written()
    leader.child.kill('SIGCONT')
    expect((await leader.ended).code).toBe(75)
    await asked
    await node.measure()
    await node.sendRest()
    expect(await written()).toEqual(before)
    expect(await requests(follower)).toBe(node.counts().measured)
    await client.end()
  })
})
