// SPDX-License-Identifier: MIT
// The operator’s commands, beside the real service.
import { describe, expect, test } from 'vitest'
import { tempDir } from './helper.ts'
import { admin, setUp } from './process-commands.ts'
import { startServer } from './processes.ts'

describe('the operator’s commands', () => {
  test('raise-epoch wants to be meant, and says when there is nothing to raise', async () => {
    const dataDir = tempDir()
    expect((await admin(dataDir, 'raise-epoch')).code).toBe(2)
    expect((await admin(dataDir, 'raise-epoch', '--yes')).stdout).toMatch(/Nothing to do/)
  })

  test('init gives a new set-up token until there is a user, while the service runs', async () => {
    const dataDir = tempDir()
    const first = JSON.parse((await admin(dataDir, 'init', '--json')).stdout)
    const server = await startServer(dataDir)
    const second = JSON.parse((await admin(dataDir, 'init', '--json')).stdout)
    expect(second).toEqual({ setupToken: expect.stringMatching(/^fss_/) })
    expect((await setUp(server.url, first.setupToken)).status).toBe(401)
    expect((await setUp(server.url, second.setupToken)).status).toBe(201)
    expect(JSON.parse((await admin(dataDir, 'init', '--json')).stdout)).toEqual({
      setupToken: null,
    })

    const args = ['reset-admin-password', '--user', 'ana', '--json']
    const reset = JSON.parse((await admin(dataDir, ...args)).stdout)
    const signedIn = await fetch(`${server.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ana', password: reset.password }),
    })
    expect(await signedIn.json()).toMatchObject({ passwordChangeRequired: true })
  })

  test('enrolment-token makes a token a node can use', async () => {
    const dataDir = tempDir()
    const args = [
      '--label',
      'zone=north',
      '--label',
      'rack=7',
      '--max-uses',
      '3',
      '--expires',
      '2h',
    ]
    const patch = ['--merge-patch', '{"listen":[{"port":8101}]}', '--forget-after', '6']
    const { stdout } = await admin(dataDir, 'enrolment-token', ...args, ...patch, '--json')
    const token = JSON.parse(stdout)
    expect(token).toMatchObject({
      labels: { zone: 'north', rack: '7' },
      maxUses: 3,
      forgetAfterHours: 6,
      createdBy: null,
    })
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(2 * 3600_000)
    expect(token.command).toContain(`--token ${token.secret}`)
  })

  test.each([
    [['enrolment-token', '--label', 'Zone'], /key=value/],
    [['reset-admin-password', '--user', 'a b'], /letters, digits/],
    [['enrolment-token', '--expires', '1 hour'], /30m, 1h or 7d/],
    [['enrolment-token', '--merge-patch', '[]'], /must be a JSON object/],
    [['import-config', '--name', 'default'], /required option/],
    [['frobnicate'], /unknown command/],
  ])('bad usage gets a line and exit code 2: %j', async (args, line) => {
    const { code, stderr } = await admin(tempDir(), ...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(line)
  })

  test('a file that is not there gets a line and exit code 1', async () => {
    const args = ['--name', 'default', '--file', '/nowhere.jsonc', '--message', 'm']
    const { code, stderr } = await admin(tempDir(), 'import-config', ...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^admin: .*nowhere\.jsonc/)
    expect(stderr).not.toMatch(/ at /)
  })
})
