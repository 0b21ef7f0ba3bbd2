// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl, siteText } from './helper.ts'

describe('users', { timeout: FARMCTL_TEST_MS }, () => {
  test('are made, changed and removed', async () => {
    const { run, json } = await farmctl()
    const made = await run(['users', 'create', 'alice', '--role', 'operator', '--scope', 'zone=eu'])
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^\S+\n$/)])
    const changed = await run(['users', 'change', 'alice', '--role', 'viewer', '--whole-farm'])
    expect(changed.stdout).toBe('alice: viewer for the whole farm\n')
    expect(await json('get', 'users', 'alice')).toMatchObject({ roles: ['viewer'], scope: null })
    expect((await run(['users', 'end-sessions', 'alice', '--yes'])).code).toBe(0)
    expect((await run(['users', 'reset-second-factor', 'alice', '--yes'])).code).toBe(0)
    const actions: { items: { action: string }[] } = await json('audit', 'search', '--kind', 'user')
    expect(actions.items.slice(0, 2).map(({ action }) => action)).toEqual([
      'second-factor-reset',
      'sessions-ended',
    ])
    expect((await run(['users', 'remove', 'alice', '--yes'])).code).toBe(0)
    expect((await run(['get', 'users', 'alice'])).stderr).toMatch(/farmctl get users/)
  })
})

describe('audit', { timeout: FARMCTL_TEST_MS }, () => {
  test('is searched, exported and verified', async () => {
    const { run, json, file, home } = await farmctl()
    file('default.jsonc', siteText(8101))
    await run(['apply', '-f', 'default.jsonc', '--yes', '-m', 'The first'])
    const args = ['audit', 'search', '--kind', 'config', '--actor', 'test-admin']
    const { items } = (await json(...args)) as { items: { id: number; action: string }[] }
    expect(items.map(({ action }) => action)).toEqual(['version-created'])
    const id = String(items[0]?.id)
    expect((await run(['audit', 'show', id])).stdout).toMatch(/^via: +token$/m)
    expect((await run(['audit', 'export', '--kind', 'config', '-o', 'a.ndjson'])).code).toBe(0)
    const lines = readFileSync(join(home, 'a.ndjson'), 'utf8').trim().split('\n')
    expect(lines.some((line) => line.includes('version-created'))).toBe(true)
    const verified: { state: string; head: string } = await json('audit', 'verify')
    expect(verified).toMatchObject({
      state: 'whole',
      head: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })
})
