// SPDX-License-Identifier: MIT
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PASSWORD } from '../helper.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

const kept = (home: string) => join(home, '.config/farmstead/farmctl.json')

describe('login', { timeout: FARMCTL_TEST_MS }, () => {
  test('keeps a token of its own that only the user can read, and nothing else', async () => {
    const { service, run, home, url } = await farmctl({ signedIn: false, asProcess: true })
    const { code, stdout, stderr } = await run(['login', url], `test-admin\n${PASSWORD}\n`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`Signed in to ${url}`)
    const text = readFileSync(kept(home), 'utf8')
    expect(statSync(kept(home)).mode & 0o777).toBe(0o600)
    expect(text).not.toContain(PASSWORD)
    const tokens = (await service.admin.inject({ url: '/api/v1/tokens' })).json().items
    expect(tokens).toEqual([
      expect.objectContaining({ name: expect.stringMatching(/^farmctl on /), permissions: null }),
    ])
    expect(text).toContain(tokens[0].id)
    expect((await run(['get', 'nodes'])).code).toBe(0)
  })

  test('leaves no session behind', async () => {
    const { service } = await farmctl({ asProcess: true })
    const before = await service.services.db.selectFrom('sessions').select('user_id').execute()
    expect(before.length).toBe(1)
  })

  test('says that the password is wrong, with exit code 5, and keeps nothing', async () => {
    const { run, url } = await farmctl({ signedIn: false, asProcess: true })
    const { code, stdout, stderr } = await run(['login', url], 'test-admin\nwrong\n')
    expect([code, stdout]).toEqual([5, ''])
    expect(stderr).toMatch(/do not belong together/)
    expect(stderr).toMatch(/\(request \S+\)/)
    expect((await run(['get', 'nodes'])).stderr).toMatch(/No control plane is known.*farmctl login/)
  })

  test('takes a token from standard input, never from the command line', async () => {
    const { service, run, url } = await farmctl({ signedIn: false, asProcess: true })
    const permissions = ['nodes:read', 'system:read']
    const payload = { name: 'ci', permissions, expiresInDays: 1, password: PASSWORD }
    const made = await service.admin.inject({ method: 'POST', url: '/api/v1/tokens', payload })
    const { secret } = made.json()
    expect((await run(['login', url, '--token', secret])).stderr).toMatch(/--token -/)
    expect((await run(['login', url, '--token', '-'], 'fsa_nonsense\n')).code).toBe(5)
    expect((await run(['login', url, '--token', '-'], `${secret}\n`)).code).toBe(0)
    expect((await run(['get', 'nodes'])).code).toBe(0)
    expect((await run(['get', 'configs'])).code).toBe(5)
  })

  test('leaves no token behind that it could not keep', async () => {
    const { service, run, home, url } = await farmctl({ signedIn: false, asProcess: true })
    writeFileSync(join(home, '.config'), 'a file where a folder is wanted')
    const { code, stdout } = await run(['login', url], `test-admin\n${PASSWORD}\n`)
    expect([code, stdout]).toEqual([1, ''])
    expect((await service.admin.inject({ url: '/api/v1/tokens' })).json().items).toEqual([])
    const told = await service.services.db
      .selectFrom('events')
      .select('action')
      .where('kind', '=', 'token')
      .execute()
    expect(told.map(({ action }) => action)).toEqual(['created', 'revoked'])
  })

  test.each([
    ['a line break within', (secret: string) => `${secret.slice(0, 40)}\n${secret.slice(40)}`],
    ['a space within', (secret: string) => `${secret} ${secret}`],
    ['letters no header takes', (secret: string) => `${secret}ß\u0080`],
  ])('tells nobody a token that is none: %s', async (_name, spoil) => {
    const { run, url } = await farmctl({ signedIn: false, asProcess: true })
    const secret = `fsa_01jd4q6v2m8w3x5y7z9abcdefg_${'x'.repeat(43)}`
    for (const args of [
      ['get', 'nodes'],
      ['get', 'nodes', '--json'],
    ]) {
      const env = { FARMSTEAD_URL: url, FARMSTEAD_TOKEN: spoil(secret) }
      const { code, stdout, stderr } = await run(args, '', env)
      expect(code).toBe(5)
      expect(stderr).toMatch(/holds a line break, a space or another character/)
      expect(stdout + stderr).not.toContain('xxxxx')
    }
    const kept = await run(['login', url, '--token', '-'], spoil(secret))
    expect(kept.stdout + kept.stderr).not.toContain('xxxxx')
  })

  test('takes a token with a line break behind it, as files end', async () => {
    const { run, url, home } = await farmctl({ asProcess: true })
    const { contexts } = JSON.parse(readFileSync(kept(home), 'utf8'))
    const { secret } = contexts[new URL(url).host].token
    const env = { FARMSTEAD_URL: url, FARMSTEAD_TOKEN: `${secret}\n` }
    expect((await run(['get', 'nodes'], '', env)).code).toBe(0)
  })

  test('refuses a file of tokens that others can read', async () => {
    const { run, home } = await farmctl({ asProcess: true })
    chmodSync(kept(home), 0o644)
    const { code, stderr } = await run(['get', 'nodes'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/chmod 600/)])
  })
})

describe('logout', { timeout: FARMCTL_TEST_MS }, () => {
  test('revokes the token', async () => {
    const { service, run, url } = await farmctl({ asProcess: true })
    expect((await run(['logout'])).stdout).toMatch(/revoked/)
    expect((await service.admin.inject({ url: '/api/v1/tokens' })).json().items).toEqual([])
    const { code, stderr } = await run(['get', 'nodes'])
    expect([code, stderr]).toEqual([5, expect.stringContaining(`farmctl login ${url}`)])
  })
})

describe('contexts', { timeout: FARMCTL_TEST_MS }, () => {
  test('are listed, chosen and forgotten with their tokens', async () => {
    const { service, run, json, url } = await farmctl({ asProcess: true })
    await run(['login', url, '--name', 'second', '--user', 'test-admin'], `${PASSWORD}\n`)
    const host = new URL(url).host
    expect(await json('context', 'list')).toEqual({
      items: [
        { name: host, url, caFile: null, isCurrent: false, isSignedIn: true },
        { name: 'second', url, caFile: null, isCurrent: true, isSignedIn: true },
      ],
    })
    expect((await run(['context', 'use', host])).code).toBe(0)
    expect((await run(['context', 'remove', 'second'])).code).toBe(0)
    expect((await service.admin.inject({ url: '/api/v1/tokens' })).json().items).toHaveLength(1)
    expect((await run(['context', 'use', 'second'])).stderr).toMatch(/no context "second"/)
    expect((await run(['get', 'nodes'])).code).toBe(0)
  })

  test('give way to the environment', async () => {
    const { run, url } = await farmctl({ signedIn: false, asProcess: true })
    const env = { FARMSTEAD_URL: url, FARMSTEAD_TOKEN: 'fsa_nonsense' }
    const { code, stderr } = await run(['get', 'nodes'], '', env)
    expect([code, stderr]).toEqual([5, expect.stringMatching(/Sign in: farmctl login/)])
  })
})
