// SPDX-License-Identifier: MIT
// The agents’ listener of the real service.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from './helper.ts'
import { serverEnv, start } from './processes.ts'
import { PROGRAMS } from './programs.ts'

describe('the agents’ listener', () => {
  const mtls = (dataDir: string) => {
    const { FARMSTEAD_AGENT_TRANSPORT: _, ...env } = serverEnv(dataDir)
    return { ...env, FARMSTEAD_AGENT_URL: 'https://127.0.0.1:9701' }
  }

  test('speaks TLS unless told otherwise, and prints so', async () => {
    const server = start(PROGRAMS.server, [], mtls(tempDir()))
    await expect.poll(() => server.out.stdout).toMatch(/Agents/)
    expect(server.out.stdout).toMatch(/Agents {11}https:\/\/127\.0\.0\.1:\d+ {2}\(mutual TLS\)/)
  })

  test('does not start with a CA that others can read, and says what to do', async () => {
    const dataDir = tempDir()
    await start(PROGRAMS.admin, ['enrolment-token'], { FARMSTEAD_DATA_DIR: dataDir }).ended
    chmodSync(join(dataDir, 'ca.key'), 0o644)
    const { code, stderr } = await start(PROGRAMS.server, [], mtls(dataDir)).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^farmstead control plane: .*ca\.key can be read by others \(mode 0644\)/,
    )
    expect(stderr).not.toMatch(/ at .*\.ts:/)
  })

  // Seven processes, one after the other: on a busy machine that takes longer than a test may by default.
  test('takes its CA from the operator’s commands', { timeout: 90_000 }, async () => {
    const dataDir = tempDir()
    const env = { FARMSTEAD_DATA_DIR: dataDir }
    const ca = async (...args: string[]) => await start(PROGRAMS.admin, ['ca', ...args], env).ended
    const none = await ca('rotate')
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(/^admin: There is no .*ca\.key/),
    ])
    const { stdout } = await start(PROGRAMS.admin, ['enrolment-token', '--json'], env).ended
    const { secret, token, command } = JSON.parse(stdout)
    expect(command).toContain(`https://127.0.0.1:9701 --token ${token}`)
    const { fingerprint } = JSON.parse((await ca('rotate', '--json')).stdout)
    const status = (await ca('status')).stdout
    expect(status).toContain(token.replace(`${secret}.`, ''))
    expect(status).toMatch(new RegExp(`next +${fingerprint}.*\\n.*nobody\\n.*nobody`))
    expect(JSON.parse((await ca('finish-rotation', '--json')).stdout)).toEqual({ fingerprint })
    expect((await ca('recreate')).code).toBe(2)
    const fresh = JSON.parse((await ca('recreate', '--yes', '--json')).stdout)
    expect(fresh.fingerprint).not.toBe(fingerprint)
  })
})
