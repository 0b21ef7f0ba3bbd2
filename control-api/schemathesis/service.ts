// SPDX-License-Identifier: MIT
// The real service on a real socket, with something of everything in it, for schemathesis to call.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildService } from '../src/app.ts'
import { envToConfig } from '../src/config.ts'
import { hashPassword } from '../src/people/passwords.ts'
import { insertUser } from '../src/people/users.ts'
import { SimulatedNode } from '../test/simulated-node.ts'

const PASSWORD = 'correct horse battery staple'
const TEXT =
  '{ "listen": [{ "address": "127.0.0.1", "port": 8080 }], "sites": [{ "hosts": ["*"], "root": "/" }] }'

export type Running = {
  url: string
  /** An API token that carries all an administrator may. */
  token: string
  stop: () => Promise<void>
}

export async function startService(): Promise<Running> {
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-schemathesis-'))
  const config = envToConfig({
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
    FARMSTEAD_LOG_LEVEL: 'error',
  })
  const service = await buildService(config)
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const agentUrl = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const { write } = service.services
  const passwordHash = await hashPassword(PASSWORD)
  await write(async (unit) => {
    const nowMs = Date.now()
    const roles = ['admin' as const]
    await insertUser(unit, { username: 'admin', passwordHash, roles, isOneTime: false, nowMs })
  })
  const token = await signInForToken(url)
  const nodes = [
    await joinNode(url, agentUrl, token, 'edge-1'),
    await joinNode(url, agentUrl, token, 'edge-2'),
  ]
  const api = caller(url, { authorization: `Bearer ${token}` })
  for (const parent of [null, 1]) {
    const text = `${TEXT} // version after ${parent}`
    await api('POST', '/configs/default/versions', { text, parent, message: 'for the tests' })
  }
  await api('POST', '/rollouts', { config: 'default', version: 1 })
  const stop = async () => {
    for (const node of nodes) await node.disconnect()
    await service.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { url, token, stop }
}

async function joinNode(url: string, agentUrl: string, token: string, name: string) {
  const api = caller(url, { authorization: `Bearer ${token}` })
  const { secret } = await api<{ secret: string }>('POST', '/enrolment-tokens', {})
  const node = await SimulatedNode.join(agentUrl, secret, name)
  await node.connect()
  return node
}

/** A session would end when signOut is tried. */
async function signInForToken(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const api = caller(url, { cookie, origin: url })
  const made = await api<{ secret: string }>('POST', '/tokens', {
    name: 'schemathesis',
    permissions: null,
    expiresInDays: 1,
  })
  return made.secret
}

const caller =
  (url: string, headers: Record<string, string>) =>
  async <T>(method: string, path: string, body: object): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return (await response.json()) as T
  }
