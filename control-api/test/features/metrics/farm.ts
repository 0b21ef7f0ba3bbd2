// SPDX-License-Identifier: MIT
// A service with a clock of its own, and connected nodes that report what they are told to.
import { onTestFinished } from 'vitest'
import { type Built, build } from '../../helper.ts'
import { SimulatedNode } from '../../simulated-node.ts'

export const NOW = 1_800_000_003_000
export const at = (ms: number) => new Date(ms).toISOString()
export type Farm = Built & { clock: { nowMs: number }; nodes: SimulatedNode[] }

/** Nodes with these labels, by name. */
export async function farm(
  labels: Record<string, Record<string, string>>,
  config: Parameters<typeof build>[0] = {},
): Promise<Farm> {
  const clock = { nowMs: NOW }
  const service = await build({ ...config, now: () => clock.nowMs })
  const url = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const nodes: SimulatedNode[] = []
  for (const [name, given] of Object.entries(labels)) {
    const made = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/enrolment-tokens',
      payload: { labels: given },
    })
    const node = await SimulatedNode.join(url, made.json().secret, name)
    await node.connect()
    onTestFinished(() => node.disconnect())
    nodes.push(node)
  }
  return { ...service, clock, nodes }
}
