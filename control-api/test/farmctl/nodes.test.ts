// SPDX-License-Identifier: MIT
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/agent-protocol/messages.gen.ts'
import { example } from '../agents/node-client.ts'
import { FARMCTL_TEST_MS, farmctl, joinNode, siteText } from './helper.ts'

describe('nodes', { timeout: FARMCTL_TEST_MS }, () => {
  test('get labels, overrides, and an end', async () => {
    const farm = await farmctl()
    const { run, file } = farm
    const node = await joinNode(farm, 'node-1')
    const labelled = await run(['nodes', 'label', 'node-1', 'tier=edge', 'zone-'])
    expect([labelled.code, labelled.stdout]).toEqual([0, 'node-1: tier=edge\n'])
    expect((await run(['nodes', 'label', 'node-1', 'nonsense'])).stderr).toMatch(/key=value/)
    const patch = file('patch.jsonc', '{ "workers": 2 } // fewer cores')
    const changed = await run(['nodes', 'override', 'node-1', '-f', patch, '--yes'])
    expect([changed.code, changed.stderr]).toEqual([0, expect.stringContaining('+  "workers": 2')])
    expect((await run(['nodes', 'override', 'node-1', '-f', patch, '--yes'])).stdout).toBe(
      'No change.\n',
    )
    const broken = await run(['nodes', 'override', 'node-1', '-f', file('b.jsonc', '{\n"a" 1}')])
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('b.jsonc:2:5: ')])
    const latinFile = file('latin.jsonc', '')
    writeFileSync(join(farm.home, latinFile), Buffer.from('{ "a": "\xe9" }', 'latin1'))
    const latin = await run(['nodes', 'override', 'node-1', '-f', latinFile, '--yes'])
    expect([latin.code, latin.stderr]).toEqual([2, expect.stringContaining('save it as UTF-8')])
    // Of text that a terminal would take for its own, a pipe gets each byte.
    const site = siteText(8101).replace('A site of one file.', 'A site\u202e.')
    await run(['apply', '-f', file('default.jsonc', site), '--yes', '-m', 'The first'])
    const rendered = await run(['nodes', 'rendered', 'node-1', '--config', 'default'])
    expect(rendered.stdout).toContain('A site\u202e.')
    expect([rendered.code, parse(rendered.stdout)]).toEqual([
      0,
      expect.objectContaining({ workers: 2, listen: [{ port: 8101 }] }),
    ])
    const asked = ['nodes', 'why', 'node-1', 'http://www.example.org/']
    expect((await run(asked)).stdout).toMatch(/^http:.*\n {2}The node has no config yet/)
    const why = await run([...asked, '-f', file('why.jsonc', site)])
    expect([why.code, why.stdout]).toEqual([0, expect.stringMatching(/\n {2}200\n {2}looks for /)])
    const wrong = await run([...asked, '-f', file('wrong.jsonc', '{"sites": 1}')])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('wrong.jsonc:1:')])
    expect((await run(['nodes', 'cordon', 'node-1'])).stderr).toMatch(/--reason/)
    expect((await run(['nodes', 'cordon', 'node-1', '--reason', 'new disk'])).stdout).toMatch(
      /farmctl nodes uncordon node-1/,
    )
    expect((await run(['get', 'nodes'])).stdout).toMatch(/,cordoned/)
    const plan = (await run(['rollout', 'plan', 'default'])).stdout
    expect(plan).toMatch(/0 of 1 nodes change, .*1 cordoned and skipped/)
    expect(plan).toMatch(/skipped: cordoned$/m)
    expect((await run(['nodes', 'uncordon', 'node-1'])).stdout).toMatch(/^node-1 is not cordoned/)
    expect((await run(['nodes', 'drift', 'node-1'])).code).toBe(6)
    expect((await run(['describe', 'node', 'node-1'])).stdout).toMatch(/^Sync|^sync:/m)
    node.policy = example<{ policy: Policy }>('hello.request.policy').policy
    await node.hello()
    expect((await run(['describe', 'node', 'node-1'])).stdout).toMatch(
      /policy:\n +source: +file\n.*serve:\n +- +\/srv\/www/s,
    )
    expect((await run(['nodes', 'revoke', 'node-1', '--yes'])).stdout).toMatch(
      /enrol --node node-1/,
    )
    expect((await run(['nodes', 'decommission', 'node-1', '--yes'])).code).toBe(0)
    expect((await run(['describe', 'node', 'node-1'])).stderr).toMatch(/There is no node "node-1"/)
  })
})

describe('nodes list', { timeout: FARMCTL_TEST_MS }, () => {
  test('is filtered, sorted and cut by the control plane, and says how many there are', async () => {
    const farm = await farmctl()
    const { run, json } = farm
    const nodes = []
    for (const name of ['a', 'b', 'c']) nodes.push(await joinNode(farm, name))
    const list = (...args: string[]) => run(['nodes', 'list', ...args])
    const names = async (...args: string[]) => (await list(...args, '-o', 'name')).stdout
    const cut = await list('--sort', 'name', '--desc', '--limit', '2', '-o', 'name')
    expect(cut).toMatchObject({ code: 0, stdout: 'c\nb\n' })
    expect(cut.stderr).toContain('2 of 3 nodes; --all lists all of them.')
    const all = await list('--limit', '1', '--all', '-o', 'name')
    expect(all).toMatchObject({ stdout: 'a\nb\nc\n', stderr: '' })
    await run(['nodes', 'cordon', 'b', '--reason', 'new disk'])
    await nodes[0]?.disconnect()
    expect(await names('--cordoned')).toBe('b\n')
    // It is missed a moment after it is gone.
    await expect.poll(() => names('--disconnected'), { timeout: FARMCTL_TEST_MS / 4 }).toBe('a\n')
    expect(await names('--connected', '--query', 'zone=c')).toBe('c\n')
    expect(await names('-l', 'zone in (a,c)', '--sort', 'seen', '--limit', '1')).toBe('a\n')
    expect(await names('--group', 'default', '--identity', 'good', '--all')).toBe('a\nb\nc\n')
    expect((await list()).stdout).toMatch(/^NAME +STATE/)
    expect(await json('nodes', 'list', '--state', 'in-sync')).toEqual({ items: [], total: 0 })
    expect((await list('--config', 'default')).stdout).toBe('No node matches.\n')
  })

  test('says what of it is wrong', async () => {
    const { run } = await farmctl()
    const wrong = async (...args: string[]) => (await run(['nodes', 'list', ...args])).stderr
    expect(await wrong('--state', 'gone')).toMatch(/Allowed choices are out-of-sync/)
    expect(await wrong('--limit', '0')).toMatch(/--limit is a number from 1/)
    expect(await wrong('--config', 'default@new')).toMatch(/default@7/)
    expect(await wrong('-l', 'zone=')).toMatch(/column/)
    expect(await wrong('--connected', '--disconnected')).toMatch(/cannot be used with/)
    expect((await run(['nodes', 'log', 'No Name'])).stderr).toMatch(/There is no node "No Name"/)
  })
})

describe('decommission', { timeout: FARMCTL_TEST_MS }, () => {
  test('takes a name or a selector, and only those that are away when it is told so', async () => {
    const farm = await farmctl()
    const { run, json } = farm
    const nodes = []
    for (const name of ['a', 'b', 'c']) nodes.push(await joinNode(farm, name))
    await nodes[0]?.disconnect()
    const end = (...args: string[]) => run(['nodes', 'decommission', ...args])
    expect((await end('--yes')).stderr).toMatch(/Which nodes/)
    expect((await end('a', '-l', 'zone=a', '--yes')).code).toBe(1)
    expect((await end('-l', '', '--yes')).stderr).toMatch(/every node/)
    expect((await end('-l', 'zone in (a,b)')).stderr).toMatch(/Add --yes/)
    const none = await end('-l', 'zone=b', '--disconnected', '--yes')
    expect([none.code, none.stdout]).toEqual([0, 'No node matches: nothing was done.\n'])
    const slip = await end('-l', 'zone=typo', '--yes')
    expect(slip).toMatchObject({ code: 1 })
    expect(slip.stderr).toContain('No node matches "zone=typo"')
    expect((await end('-l', 'zone=typo', '--yes', '--allow-empty')).code).toBe(0)
    expect(await json('nodes', 'decommission', '-l', 'zone in (a,b)', '--yes')).toMatchObject({
      decommissioned: [{ name: 'a' }, { name: 'b' }],
    })
    expect((await run(['get', 'nodes', '-o', 'name'])).stdout).toBe('c\n')
  })
})

describe('enrol', { timeout: FARMCTL_TEST_MS }, () => {
  test('prints the command to run on the machine, alone on standard output', async () => {
    const { run, json } = await farmctl()
    const { code, stdout } = await run(['enrol', '--label', 'zone=eu', '--expires', '2h'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S*farmstead-node join .*\n$/)])
    const { items } = (await json('get', 'enrolment-tokens')) as { items: { labels: object }[] }
    expect(items).toEqual([expect.objectContaining({ labels: { zone: 'eu' }, maxUses: 1 })])
    expect((await run(['enrol', '--expires', 'soon'])).stderr).toMatch(/90s, 30m, 1h or 7d/)
  })
})

describe('tokens', { timeout: FARMCTL_TEST_MS }, () => {
  test('are made with a secret shown once, and revoked', async () => {
    const { run, json, url } = await farmctl()
    const args = ['tokens', 'create', 'export job', '--permission', 'configs:read']
    const { id, secret }: { id: string; secret: string } = await json(...args)
    const env = { FARMSTEAD_URL: url, FARMSTEAD_TOKEN: secret }
    expect((await run(['get', 'configs'], '', env)).code).toBe(0)
    expect((await run(['get', 'nodes'], '', env)).code).toBe(5)
    expect((await run(['get', 'tokens'])).stdout).toContain('export job')
    expect((await run(['tokens', 'revoke', id, '--yes'])).code).toBe(0)
    expect((await run(['get', 'configs'], '', env)).code).toBe(5)
  })
})
