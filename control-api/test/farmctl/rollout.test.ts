// SPDX-License-Identifier: MIT
// farmctl rollout, from the order to its end.
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/agent-protocol/messages.gen.ts'
import { example } from '../agents/node-client.ts'
import { FARMCTL_TEST_MS, farmctl, joinNode, siteText } from './helper.ts'
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

  test('says beforehand what starting does, and what is not known of the nodes', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const planned = await farm.run(['rollout', 'plan', 'default'])
    expect(planned.stdout).toMatch(/0 would take it; not known of all: 2 too old to be asked/)
    expect(planned.stdout).toContain(
      'errors4xx<=0.02:revert errors404<=0.02:revert bytesPerRequest<=4:revert',
    )
    const { stderr } = await start(farm)
    expect(stderr).toMatch(/2 nodes get it at once and nothing is watched; when one refuses it/)
    const careful = await farm.run(['rollout', 'start', 'default@1', '--dry-run', '--careful'])
    expect(careful.stdout).toContain('When a node fails: revert')
    const both = await farm.run(['rollout', 'plan', 'default', '--at-once', '--soak', '5s'])
    expect([both.code, both.stderr]).toEqual([
      1,
      expect.stringMatching(/leaves nothing else to say/),
    ])
  })

  test('has the nodes’ answers of before in its JSON, too; an emergency says that nobody was asked', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const how = ['rollout', 'start', 'default@1', '--at-once', '--yes']
    const planned = await farm.json('rollout', 'plan', 'default@1')
    expect(planned).toMatchObject({ planDigest: expect.any(String), preflight: { tooOld: 2 } })
    expect(await farm.json(...how)).toMatchObject({ state: 'succeeded', preflight: { tooOld: 2 } })
    const none = await farm.json(...how, '--no-wait')
    expect(none).toMatchObject({ preflight: null, whyNotAsked: expect.stringMatching(/No node/) })
    const order = ['default@1', '--emergency', 'Keys leaked', '--yes']
    const urgent = await farm.json('rollout', 'start', ...order)
    const nobody = expect.stringMatching(/nobody was asked/)
    expect(urgent).toMatchObject({ preflight: null, whyNotAsked: nobody })
    expect((await farm.run(['rollout', 'start', ...order])).stderr).toEqual(nobody)
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

describe('rollout that machines’ owners do not allow', { timeout: FARMCTL_TEST_MS }, () => {
  test('is planned with who will refuse and why, and may be started all the same', async () => {
    const { farm, nodes } = await farmOf('node-1', 'node-2')
    const [node] = nodes
    if (!node) throw new Error('there are two nodes')
    const { policy } = example<{ policy: Policy }>('hello.request.policy')
    node.policy = { ...policy, rules: { ...policy.rules, serve: ['/srv/film'] } }
    await node.hello()
    const plan = await farm.run(['rollout', 'plan', 'default'])
    expect(plan.code).toBe(0)
    expect(plan.stdout).toMatch(/^1 +node-1 .* it will refuse$/m)
    expect(plan.stdout).toMatch(/^2 +node-2 .* new text$/m)
    expect(plan.stdout).toMatch(/^1 node will refuse it: its machine’s owner does not allow it; /m)
    expect(plan.stdout).toMatch(/^ {2}default@1:4:\d+: .*\/srv\/www.* \(node-1\)$/m)
    node.conduct = { kind: 'nack', code: 'policy', message: 'Not allowed here.' }
    expect((await start(farm)).code).toBe(2)
  })
})

describe('get --watch', { timeout: FARMCTL_TEST_MS }, () => {
  test('prints what changes until it is interrupted', async () => {
    const { farm } = await farmOf('node-1')
    const { child, out, ended } = farm.start(['get', 'nodes', '--watch', '-o', 'name'])
    await expect.poll(() => out.stdout, { timeout: 120_000 }).toBe('node-1\n')
    await joinNode(farm, 'node-2')
    await expect.poll(() => out.stdout, { timeout: 120_000 }).toMatch(/^node-2$/m)
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  })

  /** What was forgotten is collected as garbage, and must not take the way out along. */
  test('can be interrupted however long nothing happened', async () => {
    const farm = await farmctl()
    const collecting = "setInterval(()=>{gc();process.stderr.write('.')},20).unref()"
    const { child, out, ended } = farm.start(['get', 'users', '--watch', '-o', 'name'], {
      NODE_OPTIONS: `--expose-gc --import=data:text/javascript,${collecting}`,
    })
    await expect.poll(() => out.stdout, { timeout: 120_000 }).toBe('test-admin\n')
    const collections = out.stderr.length
    await expect.poll(() => out.stderr.length, { timeout: 60_000 }).toBeGreaterThan(collections + 5)
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  })
})
