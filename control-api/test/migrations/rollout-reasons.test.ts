// SPDX-License-Identifier: MIT
// Reasons that were stored as sentences are read as they were, and who sees some of the nodes is told none of it.
import { expect, test } from 'vitest'
import type { Scope } from '../../src/access/scope.ts'
import { loadRollout } from '../../src/features/rollouts/store/rollouts.ts'
import { countsOf, countTasksByWave } from '../../src/features/rollouts/store/task-counts.ts'
import { showTasks } from '../../src/features/rollouts/task-view.ts'
import { showRollout } from '../../src/features/rollouts/view.ts'
import { EVERYBODY } from '../../src/features/rollouts/words/audience.ts'
import { tellReason } from '../../src/features/rollouts/words/reasons.ts'
import { taskMessage } from '../../src/features/rollouts/words/why-words.ts'
import { Connections } from '../../src/fleet/connections.ts'
import { build, tempDir } from '../helper.ts'
import { loadDump, migrateTo, released, withSqlite } from './dump.ts'

const ID = 'rollout_01jd4q6v2m8w3x5y7z9abcdefb'
const BEFORE = '049-ephemeral-nodes'
const LEFT_OUT = 'edge-9, of the same kind, refused the same text'
const SENTENCE = 'edge-1 refused it. ana paused it: "odd". Resume goes on.'
const progress = (change: object) =>
  JSON.stringify({
    ...{
      wave: 0,
      waves: 2,
      phase: 'dispatching',
      soakedMs: 0,
      verdict: null,
      progressLeftMs: null,
    },
    ...{ hold: null, goesBack: null, ...change },
  })

/** A database of before, with that progress, on disk and brought to the newest. */
async function carriedOn(change: object) {
  const dataDir = tempDir()
  loadDump(dataDir, released.at(-1) ?? '')
  await migrateTo(dataDir, BEFORE)
  withSqlite(dataDir, (sqlite) => {
    sqlite
      .prepare('update rollouts set reason = ?, progress = ? where id = ?')
      .run(SENTENCE, progress(change), ID)
    // One that was left out for another, whom its message names.
    sqlite
      .prepare("update node_tasks set message = ?, code = 'schema', state = 'skipped'")
      .run(LEFT_OUT)
  })
  const { services } = await build({ config: { dataDir } })
  return services.db
}

test('a sentence stays as it was, with its code', async () => {
  const db = await carriedOn({ hold: { kind: 'manual', message: 'ana paused it: "odd".' } })
  const shown = await showRollout({ db, now: Date.now }, ID, null)
  expect(shown).toMatchObject({ reason: SENTENCE, reasonCode: 'text' })
  const loaded = await loadRollout(db, ID, new Connections())
  expect(loaded?.rollout.progress.hold).toEqual({
    kind: 'manual',
    why: { cause: 'text', text: 'ana paused it: "odd".' },
  })
  expect(loaded?.rollout.progress).toMatchObject({ goesBack: null })
  const [task] = loaded?.rollout.tasks ?? []
  expect(task && taskMessage(task, EVERYBODY)).toBe(LEFT_OUT)
})

test('who sees some of its nodes is told none of it', async () => {
  const db = await carriedOn({ hold: { kind: 'manual', message: 'ana paused it: "odd".' } })
  const { items: tasks } = await showTasks(db, ID, { scope: null, limit: 10 })
  const whole = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow()
  const other = {
    ...whole,
    id: 'node_01jd4q6v2m8w3x5y7z9abcdzzz',
    name: 'vault-7',
    labels: '{}',
    credential_digest: null,
  }
  await db.insertInto('nodes').values(other).execute()
  const row = await db
    .selectFrom('node_tasks')
    .selectAll()
    .where('rollout_id', '=', ID)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('node_tasks')
    .values({ ...row, node_id: other.id })
    .execute()
  const counts = JSON.stringify({ 0: { skipped: 2 } })
  await db.updateTable('rollouts').set({ counts }).where('id', '=', ID).execute()
  const [key = ''] = Object.keys(JSON.parse(whole.labels))
  const scope: Scope = [{ key, kind: 'exists' }]
  const own = await showRollout({ db, now: Date.now }, ID, scope)
  const { items: ownTasks } = await showTasks(db, ID, { scope, limit: 10 })
  expect(own).toMatchObject({ reasonCode: 'text', evidence: null })
  expect(own.reason).toMatch(/^Paused: Of your 1 in it, 0 have the version. Somebody paused it. It/)
  expect(ownTasks.map(({ message }) => message)).toEqual(
    tasks.map(() => 'a node of the same kind refused the same text'),
  )
})

test('what it goes back for and who stands in are sentences, too', async () => {
  const db = await carriedOn({ goesBack: 'edge-1 fell.', standIn: 'edge-2 takes its place.' })
  const loaded = await loadRollout(db, ID, new Connections())
  const { goesBack, standIn, hold } = loaded?.rollout.progress ?? {}
  expect(goesBack).toEqual({ cause: 'text', text: 'edge-1 fell.' })
  expect(standIn).toEqual({ text: 'edge-2 takes its place.' })
  expect(hold).toBeNull()
  if (!goesBack) throw new Error('it goes back')
  expect(tellReason({ code: 'went_back', why: goesBack, backNodes: 0 })).toBe(
    'edge-1 fell. No node had begun to apply it.',
  )
})

test('a rollout of before counts its tasks', async () => {
  const db = await carriedOn({})
  const rows = await db.selectFrom('rollouts').select(['id', 'counts']).execute()
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    const tasks = await db
      .selectFrom('node_tasks')
      .selectAll()
      .where('rollout_id', '=', row.id)
      .execute()
    expect(countsOf(row)).toEqual(countTasksByWave(tasks))
  }
  expect(rows.some(({ counts }) => counts.includes('"skipped":'))).toBe(true)
})
