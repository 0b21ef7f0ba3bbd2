// SPDX-License-Identifier: MIT
// The real service, whose certificate is replaced while it runs.
import { copyFileSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { startServer } from '../processes.ts'
import { ask, handshake, listen, makeAuthority } from './browser.ts'
import {
  daysLeft,
  type Files,
  SEEN_WITHIN,
  setUp,
  signIn,
  startWithFiles,
  tlsEnv,
  WITHIN_MS,
} from './console-process.ts'

test('a console shows a renewed certificate to who comes then, and ends nobody’s event stream', {
  timeout: WITHIN_MS,
}, async () => {
  const server = await startWithFiles()
  const { url, ca, authority, child, out, files } = server
  const { cookie, headers } = await setUp(server)
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
  await expect.poll(async () => (await handshake(url)).serial, SEEN_WITHIN).not.toBe(before.serial)
  await expect
    .poll(() => out.stderr, SEEN_WITHIN)
    .toMatch(/"names":\["localhost","127\.0\.0\.1"\].*serves another certificate/)
  expect(await daysLeft(server, headers)).toBe(90)

  const told = stream.text.length
  const user = { username: 'ben', roles: ['viewer'], scope: null }
  const made = await ask(`${url}/api/v1/users`, ca, { method: 'POST', headers, body: user })
  expect(made.status).toBe(201)
  await expect.poll(() => stream.text.slice(told), SEEN_WITHIN).toMatch(/"kind":"user"/)
  expect(stream.isOver).toBe(false)
  expect(out.stderr).not.toContain('PRIVATE KEY')
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
  await expect.poll(() => out.stderr, SEEN_WITHIN).toContain('certificate \\"console\\"')
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
