// SPDX-License-Identifier: MIT
// The real service with a certificate of its own, and who signs in to it.
import { expect } from 'vitest'
import { tempDir } from '../helper.ts'
import { startServer } from '../processes.ts'
import { ask, makeAuthority } from './browser.ts'

/** Processes on a machine that may have much else to do. */
export const WITHIN_MS = 120_000
const PASSWORD = 'my very own password'
export const SEEN_WITHIN = { timeout: 30_000 }

export type Files = { chainFile: string; keyFile: string }
export const tlsEnv = ({ chainFile, keyFile }: Files) => ({
  FARMSTEAD_TLS_CERTIFICATE_FILE: chainFile,
  FARMSTEAD_TLS_KEY_FILE: keyFile,
})

export async function startWithFiles(env: Record<string, string> = {}) {
  const dir = tempDir()
  const authority = makeAuthority(dir)
  const files = authority.issue('console')
  const dataDir = tempDir()
  const server = await startServer(dataDir, { ...tlsEnv(files), ...env })
  return { ...server, authority, ca: authority.ca, files, dir, dataDir }
}

/** Makes the administrator, and is signed in as her. */
export async function setUp({
  url,
  ca,
  out,
}: {
  url: string
  ca: string
  out: { stdout: string }
}) {
  const token = /#(fss_\S+)/.exec(out.stdout)?.[1]
  const body = { token, username: 'ana', password: PASSWORD }
  const headers = { origin: url }
  expect((await ask(`${url}/api/v1/setup`, ca, { method: 'POST', headers, body })).status).toBe(201)
  return await signIn({ url, ca })
}

export async function signIn({ url, ca }: { url: string; ca: string }) {
  const body = { username: 'ana', password: PASSWORD }
  const headers = { origin: url }
  const answer = await ask(`${url}/api/v1/session`, ca, { method: 'POST', headers, body })
  expect(answer.status).toBe(201)
  const cookies = answer.headers['set-cookie'] ?? []
  const cookie = cookies.map((one) => one.split(';')[0]).join('; ')
  return { cookie, cookies, headers: { cookie, origin: url } }
}

/** As the measurements say; they are gathered at most every ten seconds. */
export async function daysLeft(
  { url, ca }: { url: string; ca: string },
  headers: Record<string, string>,
): Promise<number> {
  const { body } = await ask(`${url}/api/metrics`, ca, { headers })
  const end = /^farmstead_console_certificate_not_after_timestamp_seconds (\S+)/m.exec(body)?.[1]
  return Math.round((Number(end) - Date.now() / 1000) / 86_400)
}
