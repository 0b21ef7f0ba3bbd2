// SPDX-License-Identifier: MIT
// The primary of PostgreSQL goes, and its standby takes its place.
import { describe, expect, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { isOnPostgres } from '../postgres.ts'
import { folderWithKeyOf, type Replica, signIn, startReplica } from './farm.ts'
import { aPair } from './pair.ts'

const LONG = { timeout: 60_000, interval: 100 }

/** As whoever runs them does: one that ends is started again. */
async function supervised(replica: Replica): Promise<Replica> {
  await replica.ended
  return await startReplica(replica)
}

describe.skipIf(!isOnPostgres)('a failover of the database', () => {
  test('is followed by the replicas, and nothing that was acknowledged is lost', async () => {
    const pair = await aPair()
    const leader = await startReplica({ databaseUrl: pair.url, dataDir: tempDir() })
    await leader.leads()
    const follower = await startReplica({ databaseUrl: pair.url, dataDir: folderWithKeyOf(leader) })
    await follower.follows()
    const { ask, read } = await signIn(leader)
    const acknowledged: string[] = []
    let isOver = false
    const writing = (async () => {
      for (let i = 0; !isOver; i++) {
        const body = { labels: { which: `n${i}` }, expiresInSeconds: 3600 }
        const answer = await ask(follower, '/enrolment-tokens', 'POST', body).catch(() => null)
        if (answer?.status === 201) acknowledged.push(`n${i}`)
      }
    })()
    await expect.poll(() => acknowledged.length, LONG).toBeGreaterThan(5)
    const again = supervised(leader)
    pair.killPrimary()
    await expect.poll(() => leader.out.stderr, LONG).toMatch(/connection to PostgreSQL has ended/)
    const before = acknowledged.length
    pair.promote()
    const promotedAtMs = performance.now()
    await expect.poll(() => acknowledged.length, LONG).toBeGreaterThan(before + 5)
    const seconds = (performance.now() - promotedAtMs) / 1000
    isOver = true
    await writing
    const { items } = await read(ask(follower, '/enrolment-tokens?limit=500'))
    const there = items.map(({ labels }: { labels: { which: string } }) => labels.which)
    expect(there).toEqual(expect.arrayContaining(acknowledged))
    process.stdout.write(`written again ${seconds.toFixed(1)} s after the standby was promoted\n`)
    await (await again).says(/The leader is at|Agents {2}/)
  })
})
