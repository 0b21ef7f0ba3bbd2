// SPDX-License-Identifier: MIT
// A rollout that is under way when its control plane is moved to PostgreSQL goes on there, with the same nodes, who obey no
// other one from then on.
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { Session } from '../durability/session.ts'
import { tempDir } from '../helper.ts'
import { isOnPostgres } from '../postgres.ts'
import { serverEnv, startServer } from '../processes.ts'
import { oneTimePassword } from '../service-process.ts'
import { SimulatedNode } from '../simulated-node.ts'
import { askedOf, aTarget, move } from './moving.ts'

/** Processes start and agree on busy cores: this is for when they never would. */
const LONG = { timeout: 60_000 }
const text = (port: number) =>
  `{ "listen": [{ "address": "127.0.0.1", "port": ${port} }], "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }`

test.skipIf(!isOnPostgres)('a rollout goes on where its control plane was moved to', async () => {
  const dataDir = tempDir()
  const port = await freePort()
  const env = { FARMSTEAD_AGENT_PORT: `${port}`, FARMSTEAD_LOG_LEVEL: 'fatal' }
  const first = await startServer(dataDir, env)
  const password = oneTimePassword({ ...process.env, ...serverEnv(dataDir), DATABASE_URL: '' })
  const session = await Session.first(first.url, password, 'a long password of the move')
  const nodes: SimulatedNode[] = []
  for (const name of ['edge-1', 'edge-2']) {
    const { body } = await session.must('POST', '/enrolment-tokens', {})
    const node = await SimulatedNode.join(`http://127.0.0.1:${port}`, `${body.secret}`, name)
    await node.connect()
    nodes.push(node)
  }
  const payload = { text: text(8080), parent: null, message: 'm' }
  await session.must('POST', '/configs/default/versions', payload)
  const waves = [{ nodes: 1 }, { percent: 100 }]
  const soaks = { minHealthySeconds: 0, soakSeconds: 20, maxSoakSeconds: 20 }
  const strategy = { waves, ...soaks, gates: [] }
  const order = { config: 'default', version: 1, strategy }
  const { id } = (await session.must('POST', '/rollouts', order)).body
  const rollout = async () => (await session.must('GET', `/rollouts/${id}`)).body
  await expect.poll(async () => (await rollout()).soakedSeconds, LONG).toBeGreaterThan(1)
  first.child.kill('SIGTERM')
  await first.ended
  for (const node of nodes) await node.disconnect()

  const url = await aTarget()
  const { code, stderr } = await move(dataDir, url).ended
  expect([code, stderr]).toEqual([0, ''])
  const second = await startServer(dataDir, { ...env, DATABASE_URL: url })
  await session.continueAt(second.url)
  expect(await rollout()).toMatchObject({ phase: 'soaking' })
  for (const node of nodes) await node.connect()
  await expect.poll(async () => (await rollout()).state, LONG).toBe('succeeded')
  expect(
    await askedOf(
      url,
      'select max(epoch) > 1000000 as above from assignments join nodes on id = node_id where name = $$edge-2$$',
    ),
  ).toEqual([{ above: 1 }])
  for (const node of nodes) await node.disconnect()
})
