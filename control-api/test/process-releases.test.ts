// SPDX-License-Identifier: MIT
// kill -9 in the midst of a push, at each of its steps: what is there afterwards is whole, what is not whole is in no
// version, and the next push goes on from it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId, sha256 } from '../src/base/ids.ts'
import type { CreatedToken } from '../src/features/tokens/schema.ts'
import { tempDir } from './helper.ts'
import { setUp, tokenIn } from './process-commands.ts'
import { start, startServer } from './processes.ts'
import { PROGRAMS } from './programs.ts'

const FILES = 60
const LARGE_BYTES = 24 * 1024 * 1024
/** Six starts of the service, each some seconds when the machine is busy. */
const WITHIN_MS = 600_000
/** A push that has not come there by then is over. */
const STEP_WITHIN_MS = 60_000

function tree(): string {
  const root = join(tempDir(), 'public')
  mkdirSync(root)
  for (let i = 0; i < FILES; i++) writeFileSync(join(root, `${i}.txt`), `${i}\n`.repeat(5000))
  writeFileSync(join(root, 'large.bin'), Buffer.alloc(LARGE_BYTES, newId('req')))
  return root
}

/** What is on the disk, as somebody else sees it. */
function look(dataDir: string) {
  const root = join(dataDir, 'releases')
  const blobs = readdirSync(join(root, 'blobs'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.length > 2,
  )
  const names = (dir: string) => readdirSync(join(root, dir))
  return { root, blobs, uploads: names('uploads'), lists: names('lists') }
}

type Step = { name: string; isReached: (seen: ReturnType<typeof look>) => boolean }
const STEPS: readonly Step[] = [
  { name: 'something came', isReached: ({ uploads, blobs }) => uploads.length + blobs.length > 0 },
  { name: 'the manifest is known', isReached: ({ lists }) => lists.length > 0 },
  {
    name: 'a batch has come, without its names',
    isReached: ({ uploads }) => uploads.length > FILES / 2,
  },
  { name: 'some contents are here', isReached: ({ blobs }) => blobs.length > FILES / 2 },
  { name: 'all contents are here', isReached: ({ blobs }) => blobs.length === FILES + 2 },
]

/** Or the push is over: a step can be too short to be seen. */
async function reached(
  { isReached }: Step,
  dataDir: string,
  pushing: Promise<unknown>,
): Promise<void> {
  const untilMs = performance.now() + STEP_WITHIN_MS
  let isOver = false
  pushing.then(() => {
    isOver = true
  })
  while (!isOver && !isReached(look(dataDir)) && performance.now() < untilMs) {
    await new Promise((done) => setTimeout(done, 2))
  }
}

/** A session's cookie is of the person; a token outlives the process. */
async function tokenOf(url: string, stdout: string): Promise<string> {
  const made = await setUp(url, tokenIn(stdout, url))
  const cookie = made.headers.getSetCookie().map((one) => one.split(';')[0])
  const answer = await fetch(`${url}/api/v1/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, cookie: cookie.join('; ') },
    body: JSON.stringify({
      ...{ name: 'ci', expiresInDays: 1, password: 'my very own password' },
      permissions: ['releases:read', 'releases:write'],
    }),
  })
  expect(answer.status, await answer.clone().text()).toBe(201)
  return ((await answer.json()) as CreatedToken).secret
}

test('a push that is cut off anywhere leaves nothing half, and goes on', {
  timeout: WITHIN_MS,
}, async () => {
  const [dataDir, root] = [tempDir(), tree()]
  let server = await startServer(dataDir)
  const token = await tokenOf(server.url, server.out.stdout)
  const push = () =>
    start(PROGRAMS.farmctl, ['releases', 'push', 'www', root, '--json'], {
      ...{ HOME: dataDir, FARMSTEAD_URL: server.url, FARMSTEAD_TOKEN: token },
    })
  const versions = async () => {
    const answer = await fetch(`${server.url}/api/v1/releases/www/versions`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (answer.status === 404) return []
    return ((await answer.json()) as { items: { manifest: string; blobs: number }[] }).items
  }

  for (const step of STEPS) {
    const pushing = push()
    await reached(step, dataDir, pushing.ended)
    server.child.kill('SIGKILL')
    pushing.child.kill('SIGKILL')
    await Promise.all([server.ended, pushing.ended])

    const { root: store, blobs } = look(dataDir)
    for (const name of blobs) {
      const bytes = readFileSync(join(store, 'blobs', name))
      expect(name.endsWith(sha256(bytes)), `${name} after: ${step.name}`).toBe(true)
    }
    server = await startServer(dataDir)
    for (const { blobs: needed } of await versions()) {
      expect(blobs.length, step.name).toBe(needed + 1)
    }
  }

  const before = look(dataDir).blobs.length
  const last = await push().ended
  expect(last.code, last.stderr).toBe(0)
  const { number, sent } = JSON.parse(last.stdout)
  expect([number, sent.contents]).toEqual([1, FILES + 2 - before])
  expect(await versions()).toHaveLength(1)
  expect(look(dataDir)).toMatchObject({ uploads: [], lists: [expect.any(String)] })
})
