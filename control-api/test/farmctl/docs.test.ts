// SPDX-License-Identifier: MIT
// Every command of docs/farmctl.md is run, in bash, in the page's order.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { newIdentity } from '../../src/backup/seal.ts'
import { hashPassword } from '../../src/people/passwords.ts'
import { insertUser } from '../../src/people/user-store.ts'
import { startReceiver } from '../features/webhooks/test-receiver.ts'
import { PASSWORD, tempDir } from '../helper.ts'
import { farmctl, joinNode, siteText } from './helper.ts'

const BIN = resolve(import.meta.dirname, '../../bin')
const PAGE = resolve(import.meta.dirname, '../../../docs/farmctl.md')
/** Some sixty processes, on a machine that may have others. */
const RUNS_WITHIN_MS = 600_000

test('the guide’s commands do what it says', { timeout: RUNS_WITHIN_MS }, async () => {
  const { recipient } = await newIdentity()
  const backups = { dir: tempDir(), recipients: [recipient], everyHours: 0, keep: 3 }
  const farm = await farmctl({ config: { backups, webhookAllow: ['127.0.0.0/8'] } })
  const { service, url, home, file } = farm
  const receiver = await startReceiver()
  const passwordHash = await hashPassword(PASSWORD)
  const ana = { username: 'ana', passwordHash, roles: ['admin' as const], isOneTime: false }
  await service.services.write((unit) => insertUser(unit, { ...ana, nowMs: Date.now() }))
  file('password.txt', `${PASSWORD}\n`)
  await farm.run(['apply', '-f', file('default.jsonc', siteText(8101)), '--yes', '-m', 'First'])
  for (const name of ['node-1', 'node-2']) await joinNode(farm, name)

  const script = blocksOf(readFileSync(PAGE, 'utf8'))
    .join('\n')
    .replaceAll('https://farm.example.org', url)
    .replaceAll('https://hooks.example.org/farmstead', receiver.url)
  expect(script.match(/farmctl/g)?.length).toBeGreaterThan(50)
  const env = { PATH: `${BIN}:${process.env.PATH}`, HOME: home, NO_COLOR: '1' }
  expect(await bash(script, { cwd: home, env })).toEqual({ code: 0, stderr: expect.any(String) })
  expect(readFileSync(join(home, 'control.age')).subarray(0, 21).toString()).toBe(
    'age-encryption.org/v1',
  )
  expect(receiver.received).toHaveLength(1)
})

const blocksOf = (page: string) =>
  [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text)

/** Ends at the first command that fails; standard error then says which. */
function bash(script: string, options: { cwd: string; env: Record<string, string> }) {
  return new Promise((done) => {
    execFile('bash', ['-exo', 'pipefail', '-c', script], options, (error, _stdout, stderr) =>
      done({ code: error ? error.code : 0, stderr }),
    )
  })
}
