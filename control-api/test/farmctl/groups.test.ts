// SPDX-License-Identifier: MIT
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, type Farmctl, farmctl, joinNode, siteText } from './helper.ts'

/** Two nodes in zones of their own names, one config. */
async function farmOfTwo(): Promise<Farmctl> {
  const farm = await farmctl()
  farm.file('farm/configs/default.jsonc', siteText(8101))
  await farm.run(['apply', '-f', 'farm', '--yes', '-m', 'The first'])
  for (const name of ['node-1', 'node-2']) await joinNode(farm, name)
  return farm
}

describe('groups in a folder', { timeout: FARMCTL_TEST_MS }, () => {
  test('are made, changed, put in order and pruned, and whom it touches is said first', async () => {
    const { run, json, file } = await farmOfTwo()
    file('farm/groups/one.jsonc', '{ "selector": "zone=node-1", "config": "default" } // mine')
    file('farm/groups/two.jsonc', '{ "selector": "zone", "mergePatch": { "workers": 2 } }')
    file('farm/group-order.jsonc', '{ "names": ["two"] }')
    const made = await run(['apply', '-f', 'farm', '--yes'])
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toContain('+ group one: create')
    expect(made.stdout).toContain('Moves 1 node: node-1 (default → one).')
    const order: { names: string[] } = await json('groups', 'order')
    expect(order.names).toEqual(['two', 'one'])

    file('farm/group-order.jsonc', '{ "names": ["one"] }')
    const ordered = await run(['apply', '-f', 'farm', '--dry-run'])
    expect(ordered.stdout).toContain('~ group-order group-order: change')
    expect(ordered.stdout).toContain('Moves 1 node: node-1 (two → one).')
    expect((await run(['apply', '-f', 'farm', '--yes'])).code).toBe(0)
    expect((await run(['apply', '-f', 'farm', '--dry-run', '--exit-code'])).code).toBe(0)

    expect((await run(['export', '--all', 'copy'])).code).toBe(0)
    const back = await run(['apply', '-f', 'copy', '--prune', '--dry-run', '--exit-code'])
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('Plan: 7 no change.')])
  })

  test('that have no file are removed with --prune; configs and nodes stay, and that is said', async () => {
    const { run, json, file } = await farmOfTwo()
    await run(['groups', 'create', 'gone', '--selector', 'zone=node-1', '--yes'])
    file('other/groups/default.jsonc', '{}')
    file('other/configs/other.jsonc', siteText(8109))
    const left = await run(['apply', '-f', 'other', '--yes', '-m', 'Another farm'])
    expect(left.stdout).not.toContain('gone')
    const { code, stdout } = await run(['apply', '-f', 'other', '--prune', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toContain('- group gone: remove')
    expect(stdout).toContain('Moves 1 node: node-1 (gone → default).')
    expect(stdout).toMatch(/! config default: kept\n.*farmctl config remove default/)
    expect(stdout).toContain('Plan: 1 remove, 1 kept, 2 no change.')
    const { items } = (await json('get', 'groups')) as { items: { name: string }[] }
    expect(items.map(({ name }) => name)).toEqual(['default'])
  })

  test('are told as places in their files when they are wrong', async () => {
    const { run, file } = await farmctl()
    file('farm/groups/bad.jsonc', '{\n  "selector": "zone=(",\n  "confg": "default"\n}')
    file('farm/groups/lost.jsonc', '{ "selector": "a", "config": "nowhere" }')
    file('farm/group-order.jsonc', '{ "names": ["nobody"] }')
    const { code, stderr } = await run(['apply', '-f', 'farm', '--yes'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/bad\.jsonc:2:15: "selector" is not understood at column/)
    expect(stderr).toMatch(/bad\.jsonc:3:3: "confg" is not known here/)
    expect(stderr).toMatch(/There is no config "nowhere"/)
    expect(stderr).toMatch(/group-order\.jsonc: there is no group "nobody"/)
  })
})

describe('groups', { timeout: FARMCTL_TEST_MS }, () => {
  test('are made, edited and removed one by one', async () => {
    const farm = await farmOfTwo()
    const { run, json, file, home } = farm
    const args = ['groups', 'create', 'edge', '--selector', 'zone in (node-1,node-2)']
    expect((await run([...args, '--dry-run'])).stdout).toContain('Moves 2 nodes:')
    expect((await run([...args, '--yes'])).code).toBe(0)
    expect((await run([...args, '--yes'])).code).toBe(6)
    expect((await run(['get', 'groups'])).stdout).toMatch(/^1 +edge +zone in .* 2 +-$/m)

    const path = join(
      home,
      file('editor', `#!/bin/sh\nsed -i 's/"config": null/"config": "default"/' "$1"\n`),
    )
    chmodSync(path, 0o755)
    const edited = await run(['groups', 'edit', 'edge', '--yes'], '', { EDITOR: path })
    expect([edited.code, edited.stdout]).toEqual([0, expect.stringContaining('edge: changed')])
    expect(await json('get', 'group', 'edge')).toMatchObject({ config: 'default' })

    expect((await run(['groups', 'remove', 'edge', '--yes'])).code).toBe(0)
    expect((await run(['groups', 'remove', 'default', '--yes'])).code).toBe(6)
  })

  test('may forget their nodes; a file without it takes it back', async () => {
    const { run, json, file } = await farmctl()
    const create = ['groups', 'create', 'spot', '--selector', 'pool=spot', '--yes']
    const wrong = await run([...create, '--forget-after', 'six'])
    expect(wrong.stderr).toContain('--forget-after is a whole number of hours, as in 6, not "six".')
    expect((await run([...create, '--forget-after', '0'])).code).not.toBe(0)
    expect((await run([...create, '--forget-after', '6'])).code).toBe(0)
    expect((await run(['get', 'groups', '-o', 'wide'])).stdout).toMatch(/spot .* after 6 h/)
    await run(['export', '--all', 'farm'])
    expect((await run(['apply', '-f', 'farm', '--dry-run', '--exit-code'])).code).toBe(0)
    file('farm/groups/spot.jsonc', '{ "selector": "pool=spot", "forgetAfterHours": "6" }')
    const refused = await run(['apply', '-f', 'farm', '--yes'])
    expect(refused.stderr).toContain('"forgetAfterHours" must be a whole number')
    file('farm/groups/spot.jsonc', '{ "selector": "pool=spot" }')
    expect((await run(['apply', '-f', 'farm', '--yes'])).code).toBe(0)
    expect(await json('get', 'group', 'spot')).toMatchObject({ forgetAfterHours: null })
  })

  test('that somebody changed while they were edited stay, and nothing typed is lost', async () => {
    const farm = await farmctl()
    const { run, json, file, home, service } = farm
    await run(['groups', 'create', 'edge', '--selector', 'zone', '--yes'])
    const script =
      '#!/bin/sh\ntouch open; while [ ! -e go-on ]; do sleep 0.1; done; sed -i s/zone/rack/ "$1"\n'
    const path = join(home, file('editor', script))
    chmodSync(path, 0o755)
    const { ended, child } = farm.start(['groups', 'edit', 'edge', '--yes'], { EDITOR: path })
    child.stdin?.end()
    await expect.poll(() => existsSync(join(home, 'open')), { timeout: 120_000 }).toBe(true)
    const url = '/api/v1/groups/edge'
    const { headers } = await service.admin.inject({ url })
    await service.admin.inject({
      method: 'PATCH',
      url,
      headers: { 'if-match': String(headers.etag) },
      payload: { description: 'Theirs' },
    })
    file('go-on', '')
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([6, expect.stringContaining('+  "description": "Theirs",')])
    const kept = /kept in (\S+)/.exec(stderr)?.[1] ?? ''
    expect(readFileSync(kept, 'utf8')).toContain('"selector": "rack"')
    expect(await json('get', 'group', 'edge')).toMatchObject({ selector: 'zone' })
  })
})
