// SPDX-License-Identifier: MIT
// Several control planes as processes, on one database of a real PostgreSQL.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { tempDir } from '../helper.ts'
import { databaseOf, dropDatabase } from '../postgres.ts'
import { start } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'

export type Replica = Awaited<ReturnType<typeof startReplica>>
type Place = { databaseUrl: string; dataDir: string; env?: Record<string, string> }

export async function aDatabase(): Promise<string> {
  const url = (await databaseOf(tempDir())) ?? ''
  onTestFinished(() => dropDatabase(url))
  return url
}

/** A folder with the one key that the operator gives to each. */
export function folderWithKeyOf({ dataDir: other }: { dataDir: string }): string {
  const dataDir = tempDir()
  cpSync(join(other, 'secrets.key'), join(dataDir, 'secrets.key'))
  return dataDir
}

export async function startReplica({ databaseUrl, dataDir, env = {} }: Place) {
  const [port, agentPort, privatePort] = await Promise.all([freePort(), freePort(), freePort()])
  const full = {
    DATABASE_URL: databaseUrl,
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_PORT: `${port}`,
    FARMSTEAD_AGENT_PORT: `${agentPort}`,
    FARMSTEAD_AGENT_URL: `https://127.0.0.1:${agentPort}`,
    FARMSTEAD_REPLICA_ADDRESS: `127.0.0.1:${privatePort}`,
    FARMSTEAD_LOG_LEVEL: 'warn',
    ...env,
  }
  const process = start(PROGRAMS.server, [], full)
  const says = async (what: RegExp, timeout = 60_000) =>
    await expect.poll(() => process.out.stderr + process.out.stdout, { timeout }).toMatch(what)
  return {
    ...process,
    says,
    dataDir,
    databaseUrl,
    env: full,
    url: `http://127.0.0.1:${port}`,
    agents: `https://127.0.0.1:${agentPort}`,
    private: `http://127.0.0.1:${privatePort}`,
    leads: () => says(/Agents {2}/),
    follows: () => says(/The leader is at/),
    admin: async (...args: string[]) => {
      const done = await start(PROGRAMS.admin, args, full).ended
      expect(done.code, done.stderr).toBe(0)
      return done.stdout
    },
  }
}

/** A leader, and one that follows. */
export async function twoReplicas() {
  const databaseUrl = await aDatabase()
  const first = await startReplica({ databaseUrl, dataDir: tempDir() })
  await first.leads()
  const second = await startReplica({ databaseUrl, dataDir: folderWithKeyOf(first) })
  await second.follows()
  return [first, second] as const
}

const json = { 'content-type': 'application/json' }

/** An administrator by their session, at any replica's address. */
export async function signIn(replica: Replica) {
  const { setupToken } = JSON.parse(await replica.admin('init', '--json'))
  const made = await fetch(`${replica.url}/api/v1/setup`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({
      ...{ token: setupToken, username: 'ana', password: 'correct horse battery staple' },
    }),
  })
  expect(made.status, await made.clone().text()).toBe(201)
  const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return {
    // biome-ignore lint/suspicious/noExplicitAny: what it answers has its tests elsewhere
    read: async (answer: Promise<Response> | Response): Promise<any> => await (await answer).json(),
    ask: (at: Replica, path: string, method = 'GET', body?: object) =>
      fetch(`${at.url}/api/v1${path}`, {
        method,
        headers: { ...json, cookie, origin: at.url },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      }),
  }
}
