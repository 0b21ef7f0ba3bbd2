// SPDX-License-Identifier: MIT
// A rollout to nodes that came by way of a replica that follows, while the leader is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { isOnPostgres } from '../postgres.ts'
import { SimulatedNode } from '../simulated-node.ts'
import { aDatabase, folderWithKeyOf, signIn, startReplica } from './farm.ts'

const NODES = 6
const plain = (replica: { agents: string }) => replica.agents.replace('https:', 'http:')
const text = (port: number) =>
  JSON.stringify({ listen: [{ port }], sites: [{ hosts: ['*'], root: '/srv/www' }] })

/** Who is cut off says hello again, as a real one does. */
async function comeBack(node: SimulatedNode): Promise<void> {
  await node.disconnect()
  for (;;) {
    try {
      return await node.connect()
    } catch {
      await sleep(250)
    }
  }
}

describe.skipIf(!isOnPostgres)('a rollout', () => {
  test('goes on within seconds when the leader is killed in its midst, and each node gets the version once', async () => {
    const databaseUrl = await aDatabase()
    const env = {
      FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
      FARMSTEAD_AGENT_URL: 'http://127.0.0.1:1',
    }
    const leader = await startReplica({ databaseUrl, dataDir: tempDir(), env })
    await leader.leads()
    const follower = await startReplica({ databaseUrl, dataDir: folderWithKeyOf(leader), env })
    await follower.follows()
    const { ask, read } = await signIn(leader)
    const token = await read(
      ask(leader, '/enrolment-tokens', 'POST', { maxUses: NODES, expiresInSeconds: 3600 }),
    )
    const nodes = await Promise.all(
      Array.from({ length: NODES }, (_, i) =>
        SimulatedNode.join(plain(follower), token.secret, `n${i}`),
      ),
    )
    for (const node of nodes) await node.connect()

    const make = async (port: number, parent: number | null) => {
      const made = await ask(leader, '/configs/default/versions', 'POST', {
        ...{ text: text(port), parent, message: 'x' },
      })
      expect(made.status, await made.clone().text()).toBe(201)
    }
    await make(8101, null)
    const strategy = {
      waves: [{ percent: 100 }],
      maxParallel: 1,
      minHealthySeconds: 3,
      soakSeconds: 1,
      gates: [],
    }
    const ordered = await ask(leader, '/rollouts', 'POST', {
      config: 'default',
      version: 1,
      strategy,
    })
    expect(ordered.status, await ordered.clone().text()).toBe(201)
    const { id } = await read(ordered)

    // Two have it, and are looked at before the next one gets it: none is in the midst of taking it.
    const states = async () => (await read(ask(leader, `/rollouts/${id}`))).states
    await expect
      .poll(states, { interval: 50 })
      .toEqual({ pending: NODES - 2, confirmed: 1, healthy: 1 })
    leader.child.kill('SIGKILL')
    const killedAtMs = performance.now()
    await Promise.all(nodes.map(comeBack))
    const ranThen = nodes.filter(({ ran }) => ran.length > 0).length
    expect(ranThen).toBeLessThan(NODES)
    await expect
      .poll(() => nodes.filter(({ ran }) => ran.length > 0).length, { timeout: 60_000 })
      .toBeGreaterThan(ranThen)
    const wentOnAfterS = (performance.now() - killedAtMs) / 1000
    await expect
      .poll(async () => (await read(ask(follower, `/rollouts/${id}`))).state, {
        timeout: 60_000,
        interval: 200,
      })
      .toBe('succeeded')
    expect(nodes.map(({ ran }) => ran)).toEqual(nodes.map(() => [text(8101)]))
    process.stdout.write(`the rollout went on after ${wentOnAfterS.toFixed(1)} s\n`)
    await Promise.all(nodes.map((node) => node.disconnect()))
  })
})
