// SPDX-License-Identifier: MIT
// The real service with a certificate of its own.
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { serverEnv, start } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'
import { ask, handshake, makeAuthority } from './browser.ts'
import { daysLeft, setUp, startWithFiles, tlsEnv, WITHIN_MS } from './console-process.ts'

describe('a console with a certificate and a key in files', () => {
  test('speaks HTTPS, and its cookies are for HTTPS alone', { timeout: WITHIN_MS }, async () => {
    const server = await startWithFiles()
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(server.out.stdout).toContain(`Set-up           ${server.url}/setup#fss_`)
    const health = await ask(`${server.url}/api/v1/health`, server.ca)
    expect([health.status, health.headers['strict-transport-security']]).toEqual([200, undefined])
    const { cookies, headers } = await setUp(server)
    expect(await daysLeft(server, headers)).toBe(60)
    expect(cookies).toHaveLength(2)
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure/)
    await expect(ask(`${server.url}/api/v1/health`, 'no authority')).rejects.toThrow()

    expect(await handshake(server.url)).toMatchObject({ protocol: 'TLSv1.3', alpn: 'http/1.1' })
    const older = await handshake(server.url, { maxVersion: 'TLSv1.2' })
    expect(older).toMatchObject({ protocol: 'TLSv1.2', cipher: 'ECDHE-ECDSA-AES128-GCM-SHA256' })
    const weak = [
      { maxVersion: 'TLSv1.1' },
      { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' },
    ] as const
    for (const options of weak) await expect(handshake(server.url, options)).rejects.toThrow()
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  })

  test('asks browsers to stay with HTTPS when told so', { timeout: WITHIN_MS }, async () => {
    const server = await startWithFiles({
      FARMSTEAD_TLS_HSTS_SECONDS: '86400',
      FARMSTEAD_PUBLIC_URL: 'https://farm.example.org',
    })
    const { headers } = await ask(`${server.url}/api/v1/health`, server.ca)
    expect(headers['strict-transport-security']).toBe('max-age=86400')
    expect(server.out.stdout).toContain('Set-up           https://farm.example.org/setup#fss_')
  })

  test('leads a look over plain HTTP on, and refuses what may hold a secret', {
    timeout: WITHIN_MS,
  }, async () => {
    const server = await startWithFiles()
    const plain = server.url.replace('https:', 'http:')
    const redirect = 'manual'
    const look = await fetch(`${plain}/nodes?state=drift`, { redirect })
    expect([look.status, look.headers.get('location')]).toEqual([
      307,
      `${server.url}/nodes?state=drift`,
    ])
    for (const init of [
      { method: 'POST', body: '{"password":"x"}' },
      { headers: { authorization: 'Bearer fsa_x' } },
      { headers: { cookie: 'farmstead_session=x' } },
    ]) {
      const refused = await fetch(`${plain}/api/v1/session?secret=1`, { redirect, ...init })
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        400,
        'application/problem+json',
      ])
      expect(await refused.json()).toMatchObject({
        code: 'https_required',
        detail: `This port speaks HTTPS. Ask ${server.url}/api/v1/session; what came now came unencrypted and was not looked at.`,
      })
    }
    const { port } = new URL(server.url)
    const odd = connect(Number(port), '127.0.0.1')
    odd.on('error', () => {})
    odd.end('\0\0\0 no protocol of ours\r\n\r\n')
    const silent = connect(Number(port), '127.0.0.1')
    onTestFinished(() => {
      silent.destroy()
    })
    expect((await ask(`${server.url}/api/v1/health`, server.ca)).status).toBe(200)
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  })
})

test('a console that cannot serve its certificate says why, and does not start', {
  timeout: WITHIN_MS,
}, async () => {
  const authority = makeAuthority(tempDir())
  const { keyFile } = authority.issue('other')
  const env = { ...serverEnv(tempDir()), ...tlsEnv({ ...authority.issue('console'), keyFile }) }
  const { code, stdout, stderr } = await start(PROGRAMS.server, [], env).ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^farmstead control plane: The environment does not make a configuration:\n {2}- FARMSTEAD_TLS_KEY_FILE, \S+other\.key:1: this key is not the one that "CN=console" was made for; give the key that .*\n$/,
  )
})
