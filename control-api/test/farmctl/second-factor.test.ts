// SPDX-License-Identifier: MIT
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { PASSWORD } from '../helper.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

describe('login with a second factor', { timeout: FARMCTL_TEST_MS }, () => {
  test('asks for the code after the password, and says that a wrong one is wrong', async () => {
    const { service, run, url } = await farmctl({ signedIn: false })
    const path = '/api/v1/session/second-factor'
    const ask = (method: 'POST' | 'PUT', payload: object) =>
      service.admin.inject({ method, url: path, payload })
    const { secret } = (await ask('POST', { password: PASSWORD })).json()
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    const [recoveryCode] = (await ask('PUT', { code })).json().recoveryCodes

    const wrong = await run(['login', url], `test-admin\n${PASSWORD}\n000000\n`)
    expect([wrong.code, wrong.stderr]).toEqual([5, expect.stringMatching(/code/i)])
    const { code: exitCode, stderr } = await run(
      ['login', url],
      `test-admin\n${PASSWORD}\n${recoveryCode}\n`,
    )
    expect([exitCode, stderr]).toEqual([0, ''])
    expect((await run(['get', 'nodes'])).code).toBe(0)
  })
})
