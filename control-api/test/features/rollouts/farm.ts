// SPDX-License-Identifier: MIT
// A farm for tests: the service, and nodes in this process that speak to its agent listener.
import { expect, onTestFinished } from 'vitest'
import type { Rollout } from '../../../src/features/rollouts/shapes/schema.ts'
import type { NodeTask, Tasks } from '../../../src/features/rollouts/shapes/task-schema.ts'
import { type Built, build, type Client, QUICK } from '../../helper.ts'
import { type Conduct, SimulatedNode } from '../../simulated-node.ts'

export const text = (port: number) => `{
  "listen": [{ "address": "127.0.0.1", "port": ${port} }], // the port
  "sites": [{ "hosts": ["*"], "root": "/srv/www" }]
}
`
export type Farm = Built & { url: string; nodes: SimulatedNode[] }

/** With version 1 saved, and nothing rolled out. */
export async function farm(
  names: string[],
  options: Parameters<typeof build>[0] = {},
): Promise<Farm> {
  const service = await build({ rhythm: QUICK, ...options })
  const url = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const nodes: SimulatedNode[] = []
  const result = { ...service, url, nodes }
  for (const name of names) await addNode(result, name)
  await saveVersion(service.admin, text(8080), null)
  return result
}

export async function addNode(
  { admin, url, nodes }: Farm,
  name: string,
  connected = true,
): Promise<SimulatedNode> {
  const token = await admin.inject({ method: 'POST', url: '/api/v1/enrolment-tokens', payload: {} })
  const node = await SimulatedNode.join(url, token.json().secret, name)
  nodes.push(node)
  if (connected) await node.connect()
  onTestFinished(() => node.disconnect())
  return node
}

export async function saveVersion(
  client: Client,
  versionText: string,
  parent: number | null,
): Promise<void> {
  const payload = { text: versionText, parent, message: 'test' }
  const response = await client.inject({
    method: 'POST',
    url: '/api/v1/configs/default/versions',
    payload,
  })
  if (response.statusCode !== 201) throw new Error(response.body)
}

/** With its first tasks, by name. */
export type WithTasks = Rollout & { tasks: NodeTask[] }
export async function get(service: Built, id: string): Promise<WithTasks> {
  const rollout = await getAlone(service, id)
  const tasks = await tasksOf(service, id)
  return { ...rollout, tasks: tasks.toSorted((a, b) => (a.nodeName < b.nodeName ? -1 : 1)) }
}
const getAlone = async ({ admin }: Built, id: string): Promise<Rollout> =>
  (await admin.inject({ url: `/api/v1/rollouts/${id}` })).json()
const tasksOf = async ({ admin }: Built, id: string): Promise<NodeTask[]> =>
  (await admin.inject({ url: `/api/v1/rollouts/${id}/tasks?limit=500` })).json<Tasks>().items

export const reaches = async (service: Built, id: string, state: string): Promise<WithTasks> => {
  await expect.poll(async () => (await getAlone(service, id)).state).toBe(state)
  return get(service, id)
}
const UNDER_WAY = ['offered', 'acked', 'applying', 'applied', 'confirmed', 'reverting']
/** Until no node of it is on its way any longer, so that it does not change while something is asked of it. */
export const rests = (service: Built, id: string): Promise<void> =>
  expect
    .poll(async () => (await tasksOf(service, id)).filter(({ state }) => UNDER_WAY.includes(state)))
    .toEqual([])
export function conducts({ nodes }: Farm, index: number, conduct: Conduct): void {
  const node = nodes[index]
  if (node) node.conduct = conduct
}

/** Two waves, and no more waiting than a test can bear. */
export const BY_WAVES = {
  waves: [{ nodes: 1 }, { percent: 100 }],
  maxParallel: 1,
  minHealthySeconds: 0,
  soakSeconds: 0,
  gates: [],
  onFailure: 'pause',
}
export const AT_ONCE = { atOnce: true }
/** To all at once, unless it says another way. */
export const order = (client: Client, payload: object, query = '') =>
  client.inject({
    method: 'POST',
    url: `/api/v1/rollouts${query}`,
    payload: { config: 'default', strategy: AT_ONCE, ...payload },
  })
export const act = (
  client: Client,
  { id, stateVersion }: Pick<Rollout, 'id' | 'stateVersion'>,
  action: string,
  body: object = {},
) =>
  client.inject({
    method: 'POST',
    url: `/api/v1/rollouts/${id}/actions/${action}`,
    payload: { stateVersion, ...body },
  })

/** Three nodes with version 1, and a version 2 to bring. */
export async function servingFarm(options: Parameters<typeof build>[0] = {}): Promise<Farm> {
  const service = await farm(['edge-1', 'edge-2', 'edge-3'], options)
  const first = (await order(service.admin, { version: 1 })).json()
  await reaches(service, first.id, 'succeeded')
  await saveVersion(service.admin, text(8090), 1)
  return service
}
