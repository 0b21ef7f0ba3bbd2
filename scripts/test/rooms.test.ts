// SPDX-License-Identifier: MIT
// control-api's order of rooms is held by rules: what is planted against it is found and named.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const command = [
  ...['--import', here('../rooms/typescript-5.mjs')],
  here('../../node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
  ...['--config', here('../rooms/rules.mjs'), '--output-type', 'err', 'control-api/src'],
]

/** File → imports. All of them run down. */
const house: Record<string, string> = {
  'base/ids.ts': '',
  'base/utf8.ts': '',
  'labels/selector.ts': '',
  'db/sqlite/open.ts': "import type Sqlite from 'better-sqlite3'",
  'agents/inbox.ts': "import { newId } from '../base/ids.ts'",
  'features/nodes/store.ts': "import type { Id } from '../../base/ids.ts'",
  'features/rollout-rules/store.ts': '',
  'features/rollouts/reducer/model.ts': "import type { Rules } from '../../rollout-rules/store.ts'",
  'features/rollouts/store/tasks.ts': "import type { Task } from '../reducer/model.ts'",
  'farmctl/table.ts': "import { utf8 } from '../base/utf8.ts'",
  'app.ts': "import './agents/inbox.ts'",
}

function broken(planted: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'farmstead-rooms-'))
  try {
    const files = Object.entries({ ...house, ...planted })
    for (const [file, text] of files) {
      const path = join(root, 'control-api/src', file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${text}\n`)
    }
    writeFileSync(join(root, 'control-api/tsconfig.json'), '{}')
    const run = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' })
    const said = `${run.stdout}${run.stderr}`
    const [, modules] = /\((?:\d+ [^)]*\)\. )?(\d+) modules/.exec(said) ?? []
    assert.ok(Number(modules) >= files.length, said)
    return [...said.matchAll(/error ([\w-]+): control-api\/src\/(\S+) →/g)]
      .map(([, rule, from]) => `${rule}: ${from}`)
      .sort()
  } finally {
    rmSync(root, { recursive: true })
  }
}

it('a house in order passes', () => assert.deepEqual(broken({}), []))

const rows: [rule: string, planted: Record<string, string>][] = [
  ['floor-1', { 'base/a.ts': "import '../db/sqlite/open.ts'" }],
  ['floor-1', { 'base/type.ts': "import type { Database } from '../db/sqlite/open.ts'" }],
  ['floor-1', { 'base/part.ts': "export type A = import('../db/sqlite/open.ts').Database" }],
  ['floor-1', { 'base/later.ts': "await import('../db/sqlite/open.ts')" }],
  ['floor-1', { 'base/beside.ts': "import '../labels/selector.ts'" }],
  ['rollouts-floor-2', { 'features/rollouts/reducer/b.ts': "import '../store/tasks.ts'" }],
  ['no-other-feature', { 'features/groups/c.ts': "import '../nodes/store.ts'" }],
  ['rules-for-rollouts-alone', { 'features/nodes/d.ts': "import '../rollout-rules/store.ts'" }],
  ['agents-for-app-alone', { 'process/e.ts': "import '../agents/inbox.ts'" }],
  ['client-of-the-api', { 'farmctl/f.ts': "import '../base/ids.ts'" }],
  ['nobody-of-the-service-is-a-client', { 'process/g.ts': "import '../farmctl/table.ts'" }],
  ['pure', { 'base/line-diff.ts': "import 'node:util'" }],
  ['sqlite-where-databases-are-opened', { 'people/h.ts': "import 'better-sqlite3'" }],
  ['unknown-room', { 'hall/i.ts': "import '../base/ids.ts'" }],
]

it('what is planted against it is named', () => {
  const planted = Object.assign({}, ...rows.map(([, files]) => files))
  const expected = rows.flatMap(([rule, files]) => Object.keys(files).map((f) => `${rule}: ${f}`))
  const found = broken(planted)
  for (const one of expected) assert.ok(found.includes(one), `${one}\n${found.join('\n')}`)
})

it('so is a circle', () => {
  const circle = { 'json/a.ts': "import './b.ts'", 'json/b.ts': "import type {} from './a.ts'" }
  assert.deepEqual(broken(circle), ['no-circle: json/a.ts'])
})
