// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl, joinNode } from './helper.ts'

const RULE = `// Slow at night
{
  "name": "Slow",
  "condition": {
    "kind": "measurement", "each": "node", "by": "quantile:total:0.99",
    "comparison": "above", "threshold": 0.2, "windowSeconds": 300
  },
  "forSeconds": 60
}
`

describe('alerts', { timeout: FARMCTL_TEST_MS }, () => {
  test('are listed, shown, taken on and silenced', async () => {
    const farm = await farmctl()
    const { run, json, service } = farm
    await joinNode(farm, 'node-1')
    const { db } = service.services
    const { id: node } = (await json('describe', 'node', 'node-1')) as { id: string }
    const id = 'alert_01jd4q6v2m8w3x5y7z9abcdefg'
    const rule = `rule_${'0'.repeat(25)}5`
    await sql`insert into alerts (id, rule_id, rule_name, severity, subject_kind, subject_id, subject_name, node_id, state,
        message, pending_at_ms, firing_at_ms, is_without_data, is_untold, comment)
      values (${id}, ${rule}, 'Disk filling', 'warning', 'node', ${node}, 'node-1', ${node}, 'firing',
        'It is full.', 1, 2, 0, 0, '')`.execute(db)

    const listed = await run(['alerts', 'list', '--state', 'firing', '--node', 'node-1'])
    expect(listed.stdout).toMatch(/^STATE +SEVERITY.*\nfiring +warning +Disk filling +node-1/)
    expect((await run(['alerts', 'list', '--state', 'pending'])).stderr).toContain('no such alerts')
    const taken = await run(['alerts', 'acknowledge', id, '-m', 'A disk is ordered'])
    expect(taken.stdout).toMatch(/Taken on by \S+: A disk is ordered/)
    const args = ['--rule', 'Disk filling', '--reason', 'New disks', '--for', '8h']
    const { id: silence } = (await json('alerts', 'silence', ...args)) as { id: string }
    expect((await run(['alerts', 'show', id])).stdout).toContain('Silenced until')
    const silences = await run(['alerts', 'silences'])
    expect(silences.stdout).toMatch(new RegExp(`${silence}.*Disk filling +every node`))
    expect((await run(['alerts', 'unsilence', silence, '--yes'])).code).toBe(0)
    const about = await run(['alerts', 'silence', '--reason', 'x', '--for', '8h'])
    expect([about.code, about.stderr]).toEqual([1, expect.stringContaining('Of what?')])
    const forever = await run(['alerts', 'silence', '-l', 'a=b', '--reason', 'x', '--for', 'ever'])
    expect([forever.code, forever.stderr]).toEqual([1, expect.stringContaining('--for is a time')])
  })

  test('have rules that are files, applied again without a change', async () => {
    const { run, json, file } = await farmctl()
    const path = file('slow.jsonc', RULE)
    const apply = ['alerts', 'rules', 'apply', '-f', path]
    expect((await run(apply)).stdout).toBe('Slow is made.\n')
    expect((await run(apply)).stdout).toBe('Slow: no change.\n')
    file('slow.jsonc', RULE.replace('0.2', '0.4'))
    expect((await run(apply)).stdout).toBe('Slow is changed.\n')
    const got = await run(['alerts', 'rules', 'get', 'Slow'])
    expect(JSON.parse(got.stdout)).toMatchObject({
      ...{ name: 'Slow', enabled: true, appliesTo: 'farm' },
      condition: { threshold: 0.4 },
    })
    expect((await run(['alerts', 'rules', 'apply', '-f', '-'], got.stdout)).stdout).toContain(
      'no change',
    )
    const said = await run(['alerts', 'rules', 'preview', '-f', path, '--days', '1'])
    expect(said.stdout).toMatch(/^Slow would have fired 0 times from .* pending only 0 times/)
    expect((await run(['alerts', 'rules', 'test', 'Slow'])).stdout).toContain('on its way')
    expect((await run(['alerts', 'rules', 'list'])).stdout).toMatch(/Slow +yes +warning/)
    expect((await run(['alerts', 'rules', 'remove', 'Slow', '--yes'])).code).toBe(0)
    const { items } = (await json('get', 'alert-rules')) as { items: { name: string }[] }
    expect(items.map(({ name }) => name)).not.toContain('Slow')

    file('slow.jsonc', RULE.replace('"forSeconds"', '"forSecond"'))
    const wrong = await run(apply)
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/slow.jsonc:8:3: "forSecond"/),
    ])
    file('slow.jsonc', '{ "name": "Slow" }')
    expect((await run(apply)).stderr).toContain('"condition" is missing')
    expect((await run(['alerts', 'rules', 'get', 'Fast'])).stderr).toContain('no rule "Fast"')
  })
})
