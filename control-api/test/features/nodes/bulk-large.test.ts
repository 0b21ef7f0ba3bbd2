// SPDX-License-Identifier: MIT
// A change of two hundred nodes while a rollout is under way to all of them, and another waits for it: each statement, and what
// follows for each rollout, once for all. Counted, so that no clock has a say.
import { expect, test } from 'vitest'
import { enrol } from '../../bench/scale.ts'
import { watchTurns } from '../../bench/turns.ts'
import { farm, order, saveVersion, text } from '../rollouts/farm.ts'

const NODES = 200
const ids = Array.from({ length: 2 * NODES }, (_, i) => `node_${String(i).padStart(26, '0')}`)
const BY_WAVES = {
  ...{ waves: [{ percent: 5 }, { percent: 100 }], maxParallel: 10 },
  ...{ minHealthySeconds: 0, soakSeconds: 600, maxSoakSeconds: 1200 },
}
const MOST_STATEMENTS = 50
/** Of each the node, its task, some rows of the audit, and as many others as follow. */
const MOST_CHANGES = 7 * NODES

test('a change of two hundred nodes under way is one piece of work for each rollout, whatever it is', async () => {
  const service = await farm([])
  await saveVersion(service.admin, text(8081), 1)
  await enrol(service.services, ids)
  for (const version of [1, 2]) await order(service.admin, { version, strategy: BY_WAVES })
  const [some, others] = [ids.slice(0, NODES), ids.slice(NODES)]
  for (const [nodeIds, change] of [
    [some, { kind: 'label', set: { rack: 'b2' } }],
    [some, { kind: 'cordon', reason: 'new disks' }],
    [some, { kind: 'uncordon' }],
    [others, { kind: 'decommission' }],
  ] as const) {
    const stop = watchTurns(service.config.dataDir)
    const answer = await service.admin.inject({
      ...{ method: 'POST', url: '/api/v1/nodes/actions/change' },
      payload: { nodeIds, change },
    })
    const { mostStatements, mostChanges } = stop()
    const { results } = answer.json()
    expect(
      results.filter(({ outcome }: { outcome: string }) => outcome === 'changed'),
    ).toHaveLength(NODES)
    expect(mostStatements, change.kind).toBeLessThan(MOST_STATEMENTS)
    expect(mostChanges, change.kind).toBeLessThan(MOST_CHANGES)
  }
})
