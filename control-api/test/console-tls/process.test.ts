// SPDX-License-Identifier: MIT
// The real service with a certificate of its own.
import { copyFileSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { serverEnv, start, startServer } from '../processes.ts'
import { ask, handshake, listen, makeAuthority } from './browser.ts'

/** Processes on a machine that may have much else to do. */
const WITHIN_MS = 120_000
const PASSWORD = 'my very own password'
const SEEN_WITHIN = { timeout: 30_000 }

type Files = { chainFile: string; keyFile: string }
const tlsEnv = ({ chainFile, keyFile }: Files) => ({
  FARMSTEAD_TLS_CERTIFICATE_FILE: chainFile,
  FARMSTEAD_TLS_KEY_FILE: keyFile,
})

async function startWithFiles(env: Record<string, string> = {}) {
  const dir = tempDir()
  const authority = makeAuthority(dir)
  const files = authority.issue('console')
  const dataDir = tempDir()
  const server = await startServer(dataDir, { ...tlsEnv(files), ...env })
  return { ...server, authority, ca: authority.ca, files, dir, dataDir }
}

/** Makes the administrator, and is signed in as her. */
async function setUp({ url, ca, out }: { url: string; ca: string; out: { stdout: string } }) {
  const token = /#(fss_\S+)/.exec(out.stdout)?.[1]
  const body = { token, username: 'ana', password: PASSWORD }
  const headers = { origin: url }
  expect((await ask(`${url}/api/v1/setup`, ca, { method: 'POST', headers, body })).status).toBe(201)
  return await signIn({ url, ca })
}

async function signIn({ url, ca }: { url: string; ca: string }) {
  const body = { username: 'ana', password: PASSWORD }
  const headers = { origin: url }
  const answer = await ask(`${url}/api/v1/session`, ca, { method: 'POST', headers, body })
  expect(answer.status).toBe(201)
  const cookies = answer.headers['set-cookie'] ?? []
  const cookie = cookies.map((one) => one.split(';')[0]).join('; ')
  return { cookie, cookies, headers: { cookie, origin: url } }
}

describe('a console with a certificate and a key in files', () => {
  test('speaks HTTPS, and its cookies are for HTTPS alone', { timeout: WITHIN_MS }, async () => {
    const server = await startWithFiles()
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(server.out.stdout).toContain(`Set-up           ${server.url}/setup#fss_`)
    const health = await ask(`${server.url}/api/v1/health`, server.ca)
    expect([health.status, health.headers['strict-transport-security']]).toEqual([200, undefined])
    const { cookies } = await setUp(server)
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

  test('shows a renewed certificate to who comes then, and ends nobody’s event stream', {
    timeout: WITHIN_MS,
  }, async () => {
    const server = await startWithFiles()
    const { url, ca, authority, child, out, files } = server
    const { cookie, headers } = await setUp(server)
    const endOf = async () => {
      const { body } = await ask(`${url}/api/metrics`, ca, { headers })
      return Number(
        /^farmstead_console_certificate_not_after_timestamp_seconds (\S+)/m.exec(body)?.[1],
      )
    }
    const daysLeft = async () => Math.round(((await endOf()) - Date.now() / 1000) / 86_400)
    expect(await daysLeft()).toBe(60)
    const { stream, close } = listen(`${url}/api/v1/events`, ca, cookie)
    onTestFinished(close)
    await expect.poll(() => stream.text, SEEN_WITHIN).not.toBe('')
    const before = await handshake(url)

    // Half of a renewal is none.
    copyFileSync(authority.issue('other').keyFile, files.keyFile)
    child.kill('SIGHUP')
    await expect.poll(() => out.stderr, SEEN_WITHIN).toMatch(/new certificate cannot be served/)
    expect(out.stderr).toMatch(/FARMSTEAD_TLS_KEY_FILE, \S+console\.key:1: this key is not the one/)
    expect(await handshake(url)).toEqual(before)

    authority.issue('console', 90)
    child.kill('SIGHUP')
    await expect
      .poll(async () => (await handshake(url)).serial, SEEN_WITHIN)
      .not.toBe(before.serial)
    expect(out.stderr).toMatch(/"names":\["localhost","127\.0\.0\.1"\].*serves another certificate/)
    // Gathered at most every ten seconds.
    await expect.poll(daysLeft, SEEN_WITHIN).toBe(90)

    const told = stream.text.length
    const user = { username: 'ben', roles: ['viewer'], scope: null }
    const made = await ask(`${url}/api/v1/users`, ca, { method: 'POST', headers, body: user })
    expect(made.status).toBe(201)
    await expect.poll(() => stream.text.slice(told), SEEN_WITHIN).toMatch(/"kind":"user"/)
    expect(stream.isOver).toBe(false)
    expect(out.stderr).not.toContain('PRIVATE KEY')
  })
})

test('a console that cannot serve its certificate says why, and does not start', {
  timeout: WITHIN_MS,
}, async () => {
  const authority = makeAuthority(tempDir())
  const { keyFile } = authority.issue('other')
  const env = { ...serverEnv(tempDir()), ...tlsEnv({ ...authority.issue('console'), keyFile }) }
  const { code, stdout, stderr } = await start('server.ts', [], env).ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^farmstead control plane: The environment does not make a configuration:\n {2}- FARMSTEAD_TLS_KEY_FILE, \S+other\.key:1: this key is not the one that "CN=console" was made for; give the key that .*\n$/,
  )
})

test('a console shows one of the certificates it keeps, and its renewals at once', {
  timeout: WITHIN_MS,
}, async () => {
  const dir = tempDir()
  const authority = makeAuthority(dir)
  const { ca } = authority
  const material = ({ chainFile, keyFile }: Files) => ({
    chain: readFileSync(chainFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
  })
  const dataDir = tempDir()
  const files = await startServer(dataDir, tlsEnv(authority.issue('first')))
  const first = await setUp({ ...files, ca })
  const upload = { name: 'console', ...material(authority.issue('kept')) }
  const list = '/api/v1/certificates'
  const made = await ask(files.url + list, ca, {
    method: 'POST',
    headers: first.headers,
    body: upload,
  })
  expect(made.status).toBe(201)
  files.child.kill('SIGTERM')
  await files.ended

  const { url, child, out } = await startServer(dataDir, { FARMSTEAD_TLS_CERTIFICATE: 'console' })
  const before = await handshake(url)
  expect(out.stderr).toContain('certificate \\"console\\"')
  const { headers } = await signIn({ url, ca })
  const mine = { headers: { ...headers, 'if-match': '*' } }
  const removal = await ask(`${url}${list}/console`, ca, { ...mine, method: 'DELETE' })
  expect([removal.status, removal.body]).toEqual([
    409,
    expect.stringContaining('the console itself shows it (FARMSTEAD_TLS_CERTIFICATE)'),
  ])
  const body = material(authority.issue('kept', 90))
  const renewal = { ...mine, method: 'POST', body }
  expect((await ask(`${url}${list}/console/versions`, ca, renewal)).status).toBe(201)
  child.kill('SIGHUP')
  await expect.poll(async () => (await handshake(url)).serial, SEEN_WITHIN).not.toBe(before.serial)
})
