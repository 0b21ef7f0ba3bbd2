// SPDX-License-Identifier: MIT
// What is ordered because of an earlier rollout.
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, siteText } from './helper.ts'
import { farmOf, start } from './rollout-farm.ts'

describe('rollout', { timeout: FARMCTL_TEST_MS }, () => {
  test('back is a rollout of the version before', async () => {
    const { farm } = await farmOf('node-1')
    await start(farm)
    farm.file('default.jsonc', siteText(8102))
    await farm.run(['apply', '-f', 'default.jsonc', '--yes', '-m', 'The second'])
    await start(farm)
    const how = ['--at-once', '--yes', '-m', 'Wrong']
    const { code } = await farm.run(['rollout', 'rollback', 'default', ...how])
    expect(code).toBe(0)
    const nodes = await farm.run(['get', 'nodes'])
    expect(nodes.stdout).toMatch(/^node-1 +in-sync +yes +default@1/m)
    const again = await farm.run(['rollout', 'rollback', 'default', '--yes'])
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/--to VERSION/)])
  })

  test('that was cancelled while it waited is ordered again as it was, but for its time', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const waves = ['--waves', '1,100%', '--soak', '0s', '--gate', 'none', '-l', 'zone=node-1']
    const later = ['--at', new Date(Date.now() + 3600_000).toISOString(), '--no-wait']
    const order = ['rollout', 'start', 'default', '--yes', '-m', 'The first', ...waves]
    expect((await farm.run([...order, ...later])).code).toBe(0)
    const [before] = ((await farm.json('get', 'rollouts')) as { items: { id: string }[] }).items
    const id = before?.id ?? ''
    expect((await farm.run(['rollout', 'cancel', id])).code).toBe(0)
    const shown = await farm.run(['rollout', 'again', id, '--dry-run'])
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('node-1')])
    expect((await farm.run(['rollout', 'again', id, '--yes', '--no-wait'])).code).toBe(0)
    const { items } = (await farm.json('get', 'rollouts')) as { items: object[] }
    expect(items).toHaveLength(2)
    expect(items[0]).toMatchObject({
      ...{ state: 'running', version: 1, selector: 'zone=node-1', message: 'The first' },
      ...{ startAt: null, totalNodes: 1 },
      strategy: { waves: [{ nodes: 1 }, { percent: 100 }], soakSeconds: 0, gates: [] },
    })
  })
})
