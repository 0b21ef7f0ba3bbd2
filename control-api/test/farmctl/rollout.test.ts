// SPDX-License-Identifier: MIT
// farmctl rollout, from the order to its end.
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS } from './helper.ts'
import { farmOf, start } from './rollout-farm.ts'

describe('rollout', { timeout: FARMCTL_TEST_MS }, () => {
  test('is watched to its good end, line by line where there is no terminal', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const { code, stdout, stderr } = await start(farm)
    expect(stderr).toMatch(/^default@1 running \d\/2/m)
    expect(stdout).toMatch(/succeeded/)
    expect(code).toBe(0)
    expect((await farm.run(['rollout', 'status'])).code).toBe(0)
    const rollout: { state: string } = await farm.json('rollout', 'status')
    expect(rollout.state).toBe('succeeded')
    const nodes = await farm.run(['get', 'nodes'])
    expect(nodes.stdout).toMatch(/^node-1 +in-sync +yes +default@1/m)
    expect((await farm.run(['get', 'nodes', '-l', 'zone=node-2', '-o', 'name'])).stdout).toBe(
      'node-2\n',
    )
  })

  test('that is for no node ends with 1, and begins when that was meant', async () => {
    const { farm } = await farmOf('node-1')
    for (const more of [[], ['--dry-run']]) {
      const slip = await start(farm, '-l', 'zone=nodee-1', ...more)
      expect([slip.code, slip.stderr]).toEqual([1, expect.stringMatching(/zone=nodee-1/)])
    }
    expect(await farm.json('get', 'rollouts')).toEqual({ items: [] })
    // It was meant, and yet nothing that nobody ran is released.
    expect((await start(farm, '-l', 'zone=nodee-1', '--allow-empty')).code).toBe(4)
  })

  test('that a node refuses ends with 2 and says where; frozen, it stays so', async () => {
    const { farm, nodes } = await farmOf('node-1')
    const [node] = nodes
    if (node)
      node.conduct = {
        kind: 'nack',
        code: 'port_in_use',
        message: 'Port 8101 is taken.',
        at: '8101',
      }
    const { code, stdout, stderr } = await start(farm)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is paused\.$/m)])
    expect(stdout).toMatch(/node-1 +nacked +port_in_use +Port 8101 is taken\./)
    expect((await farm.run(['rollout', 'watch'])).code).toBe(2)
    const second = await start(farm, '--on-overlap', 'refuse')
    expect([second.code, second.stderr]).toEqual([6, expect.stringMatching(/freeze/)])
    expect((await farm.run(['rollout', 'freeze', '--yes'])).code).toBe(0)
    expect((await farm.run(['rollout', 'status'])).code).toBe(2)
  })

  test('that a node went back from ends with 3', async () => {
    const { farm, nodes } = await farmOf('node-1')
    const [node] = nodes
    if (node) node.conduct = { kind: 'revert' }
    expect(await start(farm)).toMatchObject({ code: 3 })
  })

  test('is planned without being started, and goes on when the watcher leaves', async () => {
    const { farm, nodes } = await farmOf('node-1')
    const dry = await farm.run(['rollout', 'start', 'default@1', '--dry-run'])
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringMatching(/^node-1 +yes +- +new text$/m),
    ])
    expect((await farm.run(['rollout', 'list', '--json'])).stdout).toContain('"items": []')
    const [node] = nodes
    if (node) node.conduct = { kind: 'hang' }
    expect((await start(farm, '--no-wait')).stdout).toMatch(/has begun/)
    const { child, out, ended } = farm.start(['rollout', 'watch'])
    await expect.poll(() => out.stderr, { timeout: 120_000 }).toMatch(/node-1 applying/)
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([130, expect.stringMatching(/goes on without you/)])
  })
})
