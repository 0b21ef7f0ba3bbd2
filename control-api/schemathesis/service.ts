// SPDX-License-Identifier: MIT
// The real service on a real socket, with something of everything in it, for schemathesis to call.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildService } from '../src/app.ts'
import { newIdentity } from '../src/backup/seal.ts'
import { envToConfig } from '../src/environment/config.ts'
import { hashPassword } from '../src/people/passwords.ts'
import { insertUser } from '../src/people/user-store.ts'
import { limits } from '../src/plugins/limits.ts'
import { Answers } from './answers.ts'
import { caller, type Known, PASSWORD, seed } from './seed.ts'

export type Running = {
  url: string
  /** An API token that carries all an administrator may. */
  token: string
  /** What can be named in a path. */
  known: Known
  answers: Answers
  stop: () => Promise<void>
}

/** What asks whether every answer is right wants answers: how it is slowed down has tests of its own. */
const LESS_LIMITED = 100

export async function startService(): Promise<Running> {
  for (const limit of Object.values(limits)) limit.max *= LESS_LIMITED
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-schemathesis-'))
  const { recipient } = await newIdentity()
  const config = envToConfig({
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
    FARMSTEAD_BACKUP_RECIPIENTS: recipient,
    FARMSTEAD_BACKUP_KEEP: '1000',
    FARMSTEAD_LOG_LEVEL: 'error',
  })
  const answers = new Answers()
  // Its nodes are simulated and have no log to send: they need not be waited for.
  const service = await buildService(config, { onRoute: answers.watch, logTailWithinMs: 50 })
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const agentUrl = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const passwordHash = await hashPassword(PASSWORD)
  await service.services.write(async (unit) => {
    const nowMs = Date.now()
    const roles = ['admin' as const]
    await insertUser(unit, { username: 'admin', passwordHash, roles, isOneTime: false, nowMs })
  })
  const token = await signInForToken(url)
  const api = caller(url, { authorization: `Bearer ${token}` })
  const { known, disconnect } = await seed(api, agentUrl, service.lookAtAlerts)
  answers.forget()
  const stop = async () => {
    await disconnect()
    await service.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { url, token, known, answers, stop }
}

/** A session would end when signOut is tried. */
async function signInForToken(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`the sign-in failed: ${await response.text()}`)
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  const cookie = cookies.join('; ')
  const api = caller(url, { cookie, origin: url })
  const wish = {
    ...{ name: 'schemathesis', permissions: null, expiresInDays: 1 },
    password: PASSWORD,
  }
  return (await api<{ secret: string }>('POST', '/tokens', wish)).secret
}
