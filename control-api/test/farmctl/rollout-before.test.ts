// SPDX-License-Identifier: MIT
// farmctl rollout before it starts: approvals, times, emergencies.
import { describe, expect, test } from 'vitest'
import { hashPassword } from '../../src/people/passwords.ts'
import { insertUser } from '../../src/people/user-store.ts'
import { PASSWORD } from '../helper.ts'
import { FARMCTL_TEST_MS, type Farmctl } from './helper.ts'
import { farmOf, start } from './rollout-farm.ts'

/** Another administrator, whose context is the current one then. */
async function signInAs({ service, run, url }: Farmctl, username: string): Promise<void> {
  const passwordHash = await hashPassword(PASSWORD)
  const user = { username, passwordHash, roles: ['admin' as const], isOneTime: false }
  await service.services.write((unit) => insertUser(unit, { ...user, nowMs: Date.now() }))
  await run(['login', url, '--name', username, '--user', username], `${PASSWORD}\n`)
}

describe('rollout before the start', { timeout: FARMCTL_TEST_MS }, () => {
  test('waits for others to approve its plan', async () => {
    const { farm } = await farmOf('node-1')
    await farm.run(['rollout', 'rules', 'set', '--approvals', '1'])
    expect((await farm.run(['rollout', 'rules', 'get'])).stdout).toMatch(/^Approvals: 1, /)
    const { stdout: planned } = await farm.run(['rollout', 'plan', 'default'])
    expect(planned).toMatch(/^Others that must agree before it begins: 1$/m)
    const ordered = await start(farm)
    expect([ordered.code, ordered.stdout]).toEqual([
      4,
      expect.stringMatching(/^Approved by 0 of 1: nobody$/m),
    ])
    const own = await farm.run(['rollout', 'approve', '--yes'])
    expect([own.code, own.stderr]).toEqual([5, expect.stringMatching(/Ask somebody else/)])
    await signInAs(farm, 'bob')
    const approved = await farm.run(['rollout', 'approve', '--yes'])
    expect(approved.code).toBe(0)
    expect((await farm.run(['rollout', 'watch'])).code).toBe(0)
  })

  test('is rejected with a reason, or cancelled', async () => {
    const { farm } = await farmOf('node-1')
    await farm.run(['rollout', 'rules', 'set', '--approvals', '1'])
    await start(farm)
    const rejected = await farm.run(['rollout', 'reject', '--reason', 'Not today'])
    expect(rejected.stdout).toMatch(/^rejected: .*Not today/m)
    expect((await farm.run(['rollout', 'status'])).code).toBe(2)
    await start(farm)
    expect((await farm.run(['rollout', 'cancel'])).stdout).toMatch(/^cancelled: /m)
  })

  test('waits for its time; an emergency waits for nothing', async () => {
    const { farm } = await farmOf('node-1')
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const wrong = await start(farm, '--at', '2030-01-31T22:00')
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/with its zone/)])
    const later = await start(farm, '--at', soon, '--no-wait')
    expect([later.code, later.stdout]).toEqual([0, expect.stringMatching(/waits: /)])
    const scheduled = await farm.run(['rollout', 'status'])
    expect(scheduled.stdout).toMatch(new RegExp(`^Not before ${soon}$`, 'm'))
    const quick = { minHealthySeconds: 0, soakSeconds: 0, gates: [] }
    const strategy = ['--strategy', farm.file('quick.json', JSON.stringify(quick))]
    const now = await start(farm, '--emergency', 'Keys leaked', ...strategy)
    expect([now.code, now.stdout]).toEqual([0, expect.stringMatching(/^Emergency: Keys leaked$/m)])
  })
})
