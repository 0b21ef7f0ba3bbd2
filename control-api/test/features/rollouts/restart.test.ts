// SPDX-License-Identifier: MIT
// The real service is killed while a rollout is under way, and takes it up again when its nodes are back.
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import { Session } from '../../durability/session.ts'
import { tempDir } from '../../helper.ts'
import { serverEnv, startServer } from '../../processes.ts'
import { oneTimePassword } from '../../service-process.ts'
import { SimulatedNode } from '../../simulated-node.ts'

const PASSWORD = 'a long password of the restart'
/** Processes start and agree on busy cores: this is for when they never would. */
const LONG = { timeout: 60_000 }
const text = (port: number) =>
  `{ "listen": [{ "address": "127.0.0.1", "port": ${port} }], "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }`

test('a rollout waits for the nodes of its wave after a kill, then soaks anew', async () => {
  const dataDir = tempDir()
  const agentPort = await freePort()
  const env = { FARMSTEAD_AGENT_PORT: `${agentPort}`, FARMSTEAD_LOG_LEVEL: 'fatal' }
  const first = await startServer(dataDir, env)
  const session = await Session.first(
    first.url,
    oneTimePassword({ ...process.env, ...serverEnv(dataDir) }),
    PASSWORD,
  )
  const nodes: SimulatedNode[] = []
  for (const name of ['edge-1', 'edge-2']) {
    const { body } = await session.must('POST', '/enrolment-tokens', {})
    const node = await SimulatedNode.join(`http://127.0.0.1:${agentPort}`, `${body.secret}`, name)
    await node.connect()
    nodes.push(node)
  }
  const save = (port: number, parent: number | null) =>
    session.must('POST', '/configs/default/versions', { text: text(port), parent, message: 'm' })
  const rollOut = async (version: number, strategy: object = { atOnce: true }) =>
    (await session.must('POST', '/rollouts', { config: 'default', version, strategy })).body.id
  const get = async (id: unknown) => (await session.must('GET', `/rollouts/${id}`)).body
  await save(8080, null)
  const before = await rollOut(1)
  await expect.poll(async () => (await get(before)).state, LONG).toBe('succeeded')

  await save(8090, 1)
  const waves = [{ nodes: 1 }, { percent: 100 }]
  const strategy = { waves, minHealthySeconds: 0, soakSeconds: 3_600, maxSoakSeconds: 3_600 }
  const id = await rollOut(2, { ...strategy, gates: [] })
  await expect.poll(async () => (await get(id)).soakedSeconds, LONG).toBeGreaterThan(2)
  first.child.kill('SIGKILL')
  await first.ended
  for (const node of nodes) await node.disconnect()

  const second = await startServer(dataDir, env)
  await session.continueAt(second.url)
  await expect.poll(async () => (await get(id)).state, LONG).toBe('paused')
  const waiting = await get(id)
  expect(waiting.reason).toContain('The control plane was away')
  expect(waiting.reason).toContain('edge-1')
  expect(waiting).toMatchObject({ phase: 'soaking', soakedSeconds: 0 })
  // Whose turn has not come is not waited for.
  await nodes[1]?.connect()
  await expect
    .poll(async () => (await session.must('GET', `/nodes/${nodes[1]?.id}`)).body.connected, LONG)
    .toBe(true)
  expect((await get(id)).state).toBe('paused')
  await nodes[0]?.connect()
  await expect.poll(async () => (await get(id)).state, LONG).toBe('running')
  const soaked = Number((await get(id)).soakedSeconds)
  await expect.poll(async () => (await get(id)).soakedSeconds, LONG).toBeGreaterThan(soaked)
  for (const node of nodes) await node.disconnect()
}, 300_000)
