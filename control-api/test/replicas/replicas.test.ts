// SPDX-License-Identifier: MIT
// Real processes on a real PostgreSQL: whoever of them ends, the others go on, and nothing that was acknowledged is lost.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../helper.ts'
import { isOnPostgres } from '../postgres.ts'
import { start } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'
import {
  aDatabase,
  folderWithKeyOf,
  type Replica,
  signIn,
  startReplica,
  twoReplicas,
} from './farm.ts'

/** From when a leader goes until another has its place, at the most. */
const TAKEN_OVER_WITHIN_MS = 30_000
/** A leader looks every ten seconds. */
const LONG = { timeout: 60_000 }

const tokenBody = (label: string) => ({
  labels: { which: label },
  maxUses: 1,
  expiresInSeconds: 3600,
})

async function sql(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** By the API of any of them. */
async function labelsSeen(ask: Awaited<ReturnType<typeof signIn>>['ask'], at: Replica) {
  const answer = await ask(at, '/enrolment-tokens')
  expect(answer.status).toBe(200)
  const { items } = (await answer.json()) as { items: { labels: Record<string, string> }[] }
  return items.map(({ labels }) => labels.which).sort()
}

describe.skipIf(!isOnPostgres)('replicas on one database', () => {
  test('answer alike, whichever is asked, and are told whose connection it is', async () => {
    const [leader, follower] = await twoReplicas()
    const { ask } = await signIn(leader)
    expect((await ask(follower, '/enrolment-tokens', 'POST', tokenBody('a'))).status).toBe(201)
    expect(await labelsSeen(ask, leader)).toEqual(['a'])
    expect(await (await fetch(`${follower.private}/ready`)).json()).toEqual({
      role: 'follower',
      ready: true,
    })
    expect(await (await fetch(`${leader.private}/ready`)).json()).toEqual({
      role: 'leader',
      ready: true,
    })

    const failed = await askFrom('127.0.0.3', `${follower.url}/api/v1/session`, {
      ...{ username: 'nobody', password: 'correct horse battery staple' },
    })
    expect(failed).toBe(401)
    const rows = await sql(
      leader.databaseUrl,
      `select address from events where action = 'sign-in-failed'`,
    )
    expect(rows).toEqual([{ address: '127.0.0.3' }])
  })

  test('go on when the leader is killed: nothing that was acknowledged is lost, and sessions and the CA are the same', async () => {
    const [leader, follower] = await twoReplicas()
    const { ask } = await signIn(leader)
    const ca = readFileSync(join(leader.dataDir, 'ca.key'), 'utf8')
    const acknowledged: string[] = []
    for (let i = 0; i < 40; i++) {
      const label = `n${i}`
      if (i === 20) leader.child.kill('SIGKILL')
      const answer = await ask(follower, '/enrolment-tokens', 'POST', tokenBody(label)).catch(
        () => null,
      )
      if (answer?.status === 201) acknowledged.push(label)
      if (i > 20 && acknowledged.at(-1) === label) break
      // Asked in the midst of its end: whether it was done is not known.
    }
    await follower.leads()
    const after = await ask(follower, '/enrolment-tokens', 'POST', tokenBody('after'))
    expect(after.status).toBe(201)
    expect(await labelsSeen(ask, follower)).toEqual(
      expect.arrayContaining([...acknowledged, 'after']),
    )
    expect(readFileSync(join(follower.dataDir, 'ca.key'), 'utf8')).toBe(ca)

    const again = await startReplica({ ...leader, env: {} })
    await again.follows()
    expect(await labelsSeen(ask, again)).toEqual(await labelsSeen(ask, follower))
  })

  // What may be done once only is not tried again by clients and proxies: a connection that is cut then is a question without answer.
  test('while nobody leads they hold who comes, at either port, and who leads then answers them', async () => {
    const [leader, follower] = await twoReplicas()
    const { ask } = await signIn(leader)
    leader.child.kill('SIGKILL')
    await leader.ended
    const asked = ['a', 'b', 'c'].map((label) =>
      ask(follower, '/enrolment-tokens', 'POST', tokenBody(label)),
    )
    const [path, at] = ['/agent/v1/ca', follower.agents]
    const hello = new Promise<number>((resolve, reject) => {
      get(`${at}${path}`, { rejectUnauthorized: false }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      }).on('error', reject)
    })
    expect(follower.out.stdout).not.toMatch(/Agents {2}/)
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([201, 201, 201])
    expect(await hello).toBe(200)
    expect(await labelsSeen(ask, follower)).toEqual(['a', 'b', 'c'])
  })

  test('go on when the leader hangs; when it wakes it can write nothing, and ends', async () => {
    const [leader, follower] = await twoReplicas()
    const { ask } = await signIn(leader)
    leader.child.kill('SIGSTOP')
    await expect
      .poll(() => follower.out.stdout, { timeout: TAKEN_OVER_WITHIN_MS })
      .toMatch(/Agents {2}/)
    expect((await ask(follower, '/enrolment-tokens', 'POST', tokenBody('a'))).status).toBe(201)
    leader.child.kill('SIGCONT')
    expect((await leader.ended).code).toBe(75)
    expect(await labelsSeen(ask, follower)).toEqual(['a'])
  })

  test('go on when the connection to the database is cut: who led follows, once it is started again', async () => {
    const [leader, follower] = await twoReplicas()
    const { ask } = await signIn(leader)
    await sql(leader.databaseUrl, 'select pg_terminate_backend(pid::integer) from leader')
    expect((await leader.ended).code).toBe(75)
    expect(leader.out.stderr).toMatch(/connection to PostgreSQL has ended/)
    await follower.leads()
    expect((await ask(follower, '/enrolment-tokens', 'POST', tokenBody('a'))).status).toBe(201)
  })

  test('a rotation of the CA, begun in the folder of any of them, is the next leader’s too', async () => {
    const [leader, follower] = await twoReplicas()
    await follower.admin('ca', 'rotate')
    const next = readFileSync(join(follower.dataDir, 'ca-next.key'), 'utf8')
    const path = join(leader.dataDir, 'ca-next.key')
    await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8'), LONG).toBe(next)
    rmSync(join(follower.dataDir, 'ca-next.key'))
    await expect
      .poll(() =>
        sql(leader.databaseUrl, `select name from shared_keys where name = 'ca-next.key'`),
      )
      .toHaveLength(1)
    leader.child.kill('SIGKILL')
    await follower.leads()
    expect(readFileSync(join(follower.dataDir, 'ca-next.key'), 'utf8')).toBe(next)
  })

  test('one without the key that all share does not lead, and says what to copy', async () => {
    const databaseUrl = await aDatabase()
    const first = await startReplica({ databaseUrl, dataDir: tempDir() })
    await first.leads()
    first.child.kill('SIGKILL')
    await first.ended
    for (const dataDir of [tempDir(), withOtherKey()]) {
      const second = await startReplica({ databaseUrl, dataDir })
      expect((await second.ended).code).toBe(1)
      expect(second.out.stderr).toMatch(/another secrets\.key.*Copy that of a replica/s)
    }
    const third = await startReplica({ databaseUrl, dataDir: folderWithKeyOf(first) })
    await third.leads()
    third.child.kill('SIGKILL')
    await third.ended
    const env = { FARMSTEAD_SECRETS_KEY_FILE: join(first.dataDir, 'secrets.key') }
    const unlike = await startReplica({ databaseUrl, dataDir: withOtherKey(), env })
    expect((await unlike.ended).code).toBe(1)
    expect(unlike.out.stderr).toMatch(/holds another key than .*secrets\.key/)
    const mounted = await startReplica({ databaseUrl, dataDir: tempDir(), env })
    await mounted.leads()
  })

  test('an operator’s command may come before the first start, and its key is then the one to copy', async () => {
    const databaseUrl = await aDatabase()
    // There is no folder yet, either.
    const dataDir = join(tempDir(), 'data')
    const env = { DATABASE_URL: databaseUrl, FARMSTEAD_DATA_DIR: dataDir }
    const init = await start(PROGRAMS.admin, ['init', '--json'], env).ended
    expect(init.code, init.stderr).toBe(0)
    const other = await startReplica({ databaseUrl, dataDir: tempDir() })
    expect((await other.ended).code).toBe(1)
    const first = await startReplica({ databaseUrl, dataDir })
    await first.leads()
  })

  test('one that waits ends when it is told to', async () => {
    const [leader, follower] = await twoReplicas()
    follower.child.kill('SIGTERM')
    expect((await follower.ended).code).toBe(0)
    // So does one that is about to ask for the lock.
    const early = await startReplica({ ...leader, dataDir: folderWithKeyOf(leader), env: {} })
    await early.says(/It waits/)
    early.child.kill('SIGTERM')
    expect((await early.ended).code).toBe(0)
  })

  test('a database that cannot be had is waited for; one that never can be is refused at once', async () => {
    const databaseUrl = await aDatabase()
    const url = new URL(databaseUrl)
    url.pathname = '/there_is_none_of_this_name'
    const refused = await startReplica({ databaseUrl: url.href, dataDir: tempDir() })
    expect((await refused.ended).code).toBe(1)
    expect(refused.out.stderr).toMatch(/does not exist/)
    const waiting = await startReplica({
      databaseUrl: 'postgres://farmstead@127.0.0.1:9/x',
      dataDir: tempDir(),
    })
    await waiting.says(/PostgreSQL cannot be asked who leads: .*ECONNREFUSED/)
    expect(await (await fetch(`${waiting.private}/live`)).json()).toEqual({
      role: 'follower',
      ready: false,
    })
    expect((await fetch(`${waiting.private}/ready`)).status).toBe(503)
  })
})

function withOtherKey(): string {
  const dataDir = tempDir()
  writeFileSync(join(dataDir, 'secrets.key'), randomBytes(32).toString('base64url'), {
    mode: 0o600,
  })
  return dataDir
}

async function askFrom(localAddress: string, url: string, body: object): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const asked = request(
    url,
    { method: 'POST', localAddress, headers: { 'content-type': 'application/json' } },
    (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    },
  )
  asked.on('error', reject)
  asked.end(JSON.stringify(body))
  return await promise
}
