// SPDX-License-Identifier: MIT
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl, joinNode, siteText } from './helper.ts'

describe('apply', { timeout: FARMCTL_TEST_MS }, () => {
  test('makes a version, byte for byte, and nothing the second time', async () => {
    const { run, json, file } = await farmctl()
    const path = file('configs/default.jsonc', siteText(8101))
    const first = await run(['apply', '-f', path, '--yes', '-m', 'The first'])
    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(first.stdout).toContain('+ config default: create')
    expect(first.stdout).toContain('rollout start default@1')
    expect((await run(['export', 'default'])).stdout).toBe(siteText(8101))

    const again = await run(['apply', '-f', path, '--yes', '-m', 'Again'])
    expect([again.code, again.stdout]).toEqual([
      0,
      '= config default: no change\nPlan: 1 no change.\n',
    ])
    const { items } = (await json('history', 'default')) as { items: { message: string }[] }
    expect(items.map(({ message }) => message)).toEqual(['The first'])
  })

  test('keeps line ends and marks, and refuses what is not UTF-8 with its place', async () => {
    const { run, file, home } = await farmctl()
    const text = `// größe 😀\r\n${siteText(8101).replace('\n', '\r\n')}\r`
    const path = file('configs/default.jsonc', text)
    const saved = await run(['import', 'default', path, '-m', 'From Windows'])
    expect([saved.code, saved.stderr]).toEqual([0, ''])
    expect((await run(['export', 'default'])).stdout).toBe(text)
    writeFileSync(join(home, path), Buffer.from(`// ok\n// größe\n${siteText(8101)}`, 'latin1'))
    for (const words of [
      ['apply', '-f', path, '--yes'],
      ['import', 'default', path],
    ]) {
      const refused = await run([...words, '-m', 'why'])
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/default\.jsonc:2:6: byte 0xF6 is not UTF-8/),
      ])
    }
  })

  test('shows what would change line by line, and does nothing unless told to', async () => {
    const { run, file } = await farmctl()
    await run(['apply', '-f', file('site.jsonc', siteText(8101)), '--yes', '-m', 'The first'])
    file('site.jsonc', siteText(8102))
    const dry = await run(['apply', '-f', 'site.jsonc', '--dry-run', '--exit-code'])
    expect(dry.code).toBe(1)
    expect(dry.stdout).toContain('~ config site: change')
    expect(dry.stdout).toContain('-  "listen": [{ "port": 8101 }],')
    expect(dry.stdout).toContain('+  "listen": [{ "port": 8102 }],')
    const asked = await run(['apply', '-f', 'site.jsonc', '-m', 'why'])
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringMatching(/Add --yes/)])
    const silent = await run(['apply', '-f', 'site.jsonc', '--yes'])
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringMatching(/--message/)])
    expect((await run(['export', 'site'])).stdout).toBe(siteText(8101))
  })

  test('tells every file’s errors as places in them, and does nothing of any', async () => {
    const { run, json, file } = await farmctl()
    file('farm/configs/good.jsonc', siteText(8101))
    file('farm/configs/bad.jsonc', siteText(8101).replace('"port"', '"prot"'))
    file('farm/nodes/typo.jsonc', '{\n  "lables": {}\n}')
    const { code, stdout, stderr } = await run(['apply', '-f', 'farm', '--yes', '-m', 'why'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^farmctl: farm\/configs\/bad\.jsonc:3:\d+: /)
    expect(stderr).toMatch(/\nfarm\/nodes\/typo\.jsonc:2:3: "lables" is not known here/)
    expect(await json('get', 'configs')).toEqual({ items: [] })
  })

  test('of a folder leaves out nodes that went, and does the rest', async () => {
    const { run, json, file } = await farmctl()
    file('farm/configs/good.jsonc', siteText(8101))
    file('farm/nodes/gone.jsonc', '{ "labels": { "zone": "eu" } }')
    const { code, stdout, stderr } = await run(['apply', '-f', 'farm', '--yes', '-m', 'why'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('? node gone: not there\n    farm/nodes/gone.jsonc is left out')
    expect(stdout).toContain('Plan: 1 create, 1 not there.')
    expect(await json('get', 'configs')).toMatchObject({ items: [{ name: 'good' }] })
    const alone = await run(['apply', '-f', 'farm/nodes/gone.jsonc', '--yes'])
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/no node "gone"/)])
  })

  test('takes a config from standard input', async () => {
    const { run } = await farmctl()
    const nameless = await run(['apply', '-f', '-', '--yes', '-m', 'why'], siteText(8101))
    expect(nameless.stderr).toMatch(/--name/)
    const args = ['apply', '-f', '-', '--name', 'default', '--yes', '-m', 'why']
    expect((await run(args, siteText(8101))).code).toBe(0)
    expect((await run(['export', 'default'])).stdout).toBe(siteText(8101))
  })

  test('gives nodes their labels and overrides; an exported farm is applied without a change', async () => {
    const farm = await farmctl()
    const { run, json, file, home } = farm
    await joinNode(farm, 'node-1')
    file('farm/configs/default.jsonc', siteText(8101))
    file(
      'farm/nodes/node-1.jsonc',
      '{ "labels": { "zone": "eu" }, "override": { "workers": 1 } } // mine',
    )
    const applied = await run(['apply', '-f', 'farm', '--yes', '-m', 'All of it'])
    expect([applied.code, applied.stderr]).toEqual([0, ''])
    const node: { labels: object } = await json('get', 'node', 'node-1')
    expect(node.labels).toEqual({ zone: 'eu' })
    expect((await run(['nodes', 'override', 'node-1'])).stdout).toBe('{\n  "workers": 1\n}\n')

    expect((await run(['export', '--all', 'copy'])).code).toBe(0)
    expect(readFileSync(join(home, 'copy/configs/default.jsonc'), 'utf8')).toBe(siteText(8101))
    const back = await run(['apply', '-f', 'copy', '--dry-run', '--exit-code'])
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('Plan: 4 no change.')])
  })

  test('prints one document with --json', async () => {
    const { json, file } = await farmctl()
    const path = file('default.jsonc', siteText(8101))
    expect(await json('apply', '-f', path, '--yes', '-m', 'why')).toMatchObject({
      applied: true,
      steps: [{ kind: 'config', name: 'default', file: path, action: 'create' }],
      done: [expect.stringContaining('version 1')],
    })
    expect(await json('config', 'apply', '-f', path)).toMatchObject({ applied: false })
  })
})
