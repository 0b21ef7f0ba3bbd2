// SPDX-License-Identifier: MIT
// An old backup, put back under a real node that has obeyed more since: it keeps what it serves, takes nothing
// that is older, and follows again once its operator has confirmed.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { openPolicy } from '../../../scripts/testing/node-policy.mjs'
import { nodeBinary, tempDir } from '../helper.ts'
import { type Json, RealControlPlane, run } from './real-process.ts'

const execute = promisify(execFile)
/** Processes start and agree on two busy cores: this is for when they never would. */
const AGREE_WITHIN_MS = 60_000
const WHOLE_TEST_MS = 240_000

const page = (root: string, port: number, version: number) =>
  JSON.stringify({
    listen: [{ address: '127.0.0.1', port }],
    sites: [
      {
        hosts: ['*'],
        root,
        headers: [{ action: 'set', name: 'x-version', value: String(version) }],
      },
    ],
  })

type Farm = { controlPlane: RealControlPlane; served: () => Promise<string | null>; save: Save }
type Save = (version: number) => Promise<void>

async function farm(): Promise<Farm & { stateDir: string }> {
  const controlPlane = new RealControlPlane()
  const [port, root, stateDir] = [await freePort(), tempDir(), join(tempDir(), 'state')]
  writeFileSync(join(root, 'index.html'), 'here')
  const first = join(tempDir(), 'first.jsonc')
  writeFileSync(first, page(root, port, 1))
  const what = ['--name', 'default', '--file', first, '--message', 'first', '--release']
  await controlPlane.admin('import-config', ...what)
  await controlPlane.start()
  await controlPlane.signIn()
  const { secret } = await controlPlane.must('POST', '/enrolment-tokens', {})
  mkdirSync(stateDir, { mode: 0o700 })
  const url = controlPlane.env.FARMSTEAD_AGENT_URL ?? ''
  const join_ = ['join', url, '--insecure-http', '--token', String(secret), '--state', stateDir]
  const policy = openPolicy(tempDir())
  await execute(nodeBinary, [...join_, ...policy])
  run([nodeBinary, 'run', '--state', stateDir, ...policy])
  const served = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    await answer?.text()
    return answer?.headers.get('x-version') ?? null
  }
  const save: Save = async (version) => {
    await controlPlane.must('POST', '/configs/default/versions', {
      text: page(root, port, version),
      parent: version - 1,
      message: `version ${version}`,
    })
  }
  return { controlPlane, served, save, stateDir }
}

const sync = async ({ controlPlane }: Farm) => {
  const { items } = await controlPlane.must<{ items: Json[] }>('GET', '/nodes')
  return items[0]?.sync as { state: string; reason: string }
}

async function rollOut({ controlPlane, served }: Farm, version: number): Promise<void> {
  await controlPlane.must('POST', '/rollouts', planOf(version))
  await expect.poll(served, { timeout: AGREE_WITHIN_MS }).toBe(String(version))
}
const planOf = (version: number) => ({
  config: 'default',
  version,
  strategy: { atOnce: true },
})

const connected = (farm: Farm) =>
  expect
    .poll(
      async () =>
        (await farm.controlPlane.must<{ items: Json[] }>('GET', '/nodes')).items[0]?.connected,
      { timeout: AGREE_WITHIN_MS },
    )
    .toBe(true)

test('an old backup does not drive the farm until it is told to', {
  timeout: WHOLE_TEST_MS,
}, async () => {
  const started = await farm()
  const { controlPlane, served, save } = started
  await expect.poll(served, { timeout: AGREE_WITHIN_MS }).toBe('1')
  await save(2)
  const keyFile = join(tempDir(), 'key.txt')
  const [{ recipient }] = await Promise.all([
    controlPlane.admin('backup-key', '--to', keyFile),
    rollOut(started, 2),
  ])
  const file = join(tempDir(), 'backup.age')
  await controlPlane.admin('backup', '--to', file, '--recipient', String(recipient))
  // Meanwhile the farm goes on: another start of the control plane, two more versions.
  const verified = controlPlane.admin('verify-backup', file, '--identity', keyFile)
  await controlPlane.end()
  await controlPlane.start()
  expect(await verified).toMatchObject({ format: 1, epoch: 1 })
  await connected(started)
  for (const version of [3, 4]) {
    await save(version)
    await rollOut(started, version)
  }
  const restore = () =>
    controlPlane.admin('restore', file, '--identity', keyFile, '--yes', '--replace')
  await expect(restore()).rejects.toThrow(/A control plane, or one of its commands, works in/)
  await controlPlane.end()
  expect(await restore()).toMatchObject({ manifest: { epoch: 1 } })

  await controlPlane.start()
  await controlPlane.signIn()
  await connected(started)
  const { recovery } = await controlPlane.must<{ recovery: Json }>('GET', '/recovery')
  // The same epoch as before the restore: nodes would obey it.
  expect(recovery).toMatchObject({ nodes: 1, epoch: 2 })
  await expect
    .poll(async () => (await controlPlane.must<{ recovery: Json }>('GET', '/recovery')).recovery, {
      timeout: AGREE_WITHIN_MS,
    })
    .toMatchObject({ unheard: [], highestEpoch: 2 })
  // Its newest version is the second one, and nobody gets it.
  const start = await controlPlane.ask('POST', '/rollouts', planOf(2))
  expect(await start.json()).toMatchObject({ status: 409, code: 'in_recovery' })
  expect(await served()).toBe('4')

  await controlPlane.must('POST', '/recovery/confirm', {})
  expect(await served()).toBe('4')
  expect((await sync(started)).state).not.toBe('in-sync')
  await save(3)
  await rollOut(started, 3)
  await expect
    .poll(async () => (await sync(started)).state, { timeout: AGREE_WITHIN_MS })
    .toBe('in-sync')
  expect(JSON.parse(readFileSync(join(started.stateDir, 'fences.json'), 'utf8'))).toMatchObject({
    maxEpoch: 3,
  })
})
