// SPDX-License-Identifier: MIT
// docs/farmctl.md as a script: its commands in bash, in the page's order, in a farm of two nodes with a first version.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { newIdentity } from '../../src/backup/seal.ts'
import { hashPassword } from '../../src/people/passwords.ts'
import { insertUser } from '../../src/people/user-store.ts'
import { COMPILED } from '../compiled.ts'
import { startReceiver } from '../features/webhooks/test-receiver.ts'
import { PASSWORD, tempDir } from '../helper.ts'
import { farmctl, joinNode, siteText } from './helper.ts'

const BIN = resolve(import.meta.dirname, '../../bin')
const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/farmctl.md'), 'utf8')
/** Some thirty processes, on a machine that may have others. */
export const PAGE_TEST_MS = 600_000

type Section = { title: string; commands: string }

const SECTIONS: Section[] = PAGE.split(/^## /m).map((text) => ({
  title: text.split('\n')[0] ?? '',
  commands: [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('\n'),
}))

/** Each part signs in first, as the page does, and needs nothing of another: so that two cores can run them. */
const PARTS = {
  files: ['Put it on the PATH', 'Sign in', 'A farm as files', 'Configs'],
  rollouts: ['Sign in', 'Look', 'Roll out'],
  nodes: ['Sign in', 'Nodes and groups', 'People and programs', 'Audit', 'Alerts', 'Sites'],
  backups: ['Sign in', 'Backups', 'Certificates', 'Webhooks', 'In scripts'],
}
type Part = keyof typeof PARTS

function sectionsOf(part: Part): Section[] {
  const all = Object.values(PARTS).flat()
  const missing = SECTIONS.filter(({ title, commands }) => commands !== '' && !all.includes(title))
  if (missing.length > 0) {
    throw new Error(`No part has these sections of the page: ${missing.map(({ title }) => title)}`)
  }
  return SECTIONS.filter(({ title }) => PARTS[part].includes(title))
}

/** Ends at the first command that fails; standard error then says which. */
function bash(script: string, options: { cwd: string; env: Record<string, string> }) {
  return new Promise<{ code: unknown; stderr: string }>((done) => {
    execFile('bash', ['-exo', 'pipefail', '-c', script], options, (error, _stdout, stderr) =>
      done({ code: error ? error.code : 0, stderr }),
    )
  })
}

export async function runPage(part: Part, { versions = 1 } = {}) {
  const { recipient } = await newIdentity()
  const backups = { dir: tempDir(), recipients: [recipient], everyHours: 0, keep: 3 }
  const farm = await farmctl({ config: { backups, webhookAllow: ['127.0.0.0/8'] } })
  const { service, url, home, file } = farm
  const receiver = await startReceiver()
  const passwordHash = await hashPassword(PASSWORD)
  const ana = { username: 'ana', passwordHash, roles: ['admin' as const], isOneTime: false }
  await service.services.write((unit) => insertUser(unit, { ...ana, nowMs: Date.now() }))
  file('password.txt', `${PASSWORD}\n`)
  for (let version = 1; version <= versions; version++) {
    const text = file('default.jsonc', siteText(8100 + version))
    await farm.run(['apply', '-f', text, '--yes', '-m', 'First'])
  }
  for (const name of ['node-1', 'node-2']) await joinNode(farm, name)

  const script = sectionsOf(part)
    .map(({ commands }) => commands)
    .join('\n')
    .replaceAll('https://farm.example.org', url)
    .replaceAll('https://hooks.example.org/farmstead', receiver.url)
  const env = { PATH: `${BIN}:${process.env.PATH}`, HOME: home, NO_COLOR: '1', ...COMPILED }
  const commands = script.match(/farmctl/g)?.length ?? 0
  return { ended: await bash(script, { cwd: home, env }), commands, home, receiver }
}
