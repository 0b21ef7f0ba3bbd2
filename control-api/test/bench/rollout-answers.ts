// SPDX-License-Identifier: MIT
// What the API says of a large rollout: how many bytes each answer has, and how long it takes to make it, without the
// network. Of a list, 100 rollouts of which each says that it has so many nodes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listRollouts } from '../../src/features/rollouts/store/rollouts.ts'
import { showCells, showTasks } from '../../src/features/rollouts/task-view.ts'
import { showRollout, showRollouts } from '../../src/features/rollouts/view.ts'
import { addLargeRollout, LARGE } from '../features/rollouts/large-rollout.ts'
import { openData } from '../simulator/real-plane.ts'

export type Answer = { nodes: number; what: string; bytes: number; medianMs: number }
const LISTED = 100
const TIMES = 15
const SOME = [{ key: 'zone', kind: 'in' as const, values: ['eu'] }]

export async function measureAnswers(sizes: readonly number[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const nodes of sizes) answers.push(...(await answersOf(nodes)))
  return answers
}

async function answersOf(nodes: number): Promise<Answer[]> {
  const dir = mkdtempSync(join(tmpdir(), 'farmstead-bench-answers-'))
  const { db, close } = await openData({ dataDir: dir }, Date.now)
  try {
    await addLargeRollout(db, nodes)
    const row = await db
      .selectFrom('rollouts')
      .selectAll()
      .where('id', '=', LARGE)
      .executeTakeFirstOrThrow()
    const others = Array.from({ length: LISTED - 1 }, (_, i) => ({
      ...row,
      id: `rollout_${String(i + 2).padStart(26, '0')}`,
    }))
    await db.insertInto('rollouts').values(others).execute()
    const page = { before: undefined, limit: LISTED, scope: null }
    const asked: Record<string, () => Promise<unknown>> = {
      'a list of 100': async () => showRollouts(db, await listRollouts(db, page), null),
      'the rollout': () => showRollout({ db, now: Date.now }, LARGE, null),
      'the rollout, to who sees a tenth': () => showRollout({ db, now: Date.now }, LARGE, SOME),
      '100 nodes': () => showTasks(db, LARGE, { scope: null, limit: 100 }),
      '100 that may need a look': () =>
        showTasks(db, LARGE, { scope: null, limit: 100, exceptions: true }),
      cells: async () => (await showCells(db, LARGE, { scope: null })).cells,
      'cells, with names of some': async () =>
        (await showCells(db, LARGE, { scope: null, namesFrom: 0 })).cells,
    }
    const answers: Answer[] = []
    for (const [what, ask] of Object.entries(asked)) answers.push(await measure(nodes, what, ask))
    return answers
  } finally {
    await close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function measure(nodes: number, what: string, ask: () => Promise<unknown>): Promise<Answer> {
  const took: number[] = []
  let bytes = 0
  for (let i = 0; i < TIMES; i++) {
    const fromMs = performance.now()
    bytes = Buffer.byteLength(JSON.stringify(await ask()))
    took.push(performance.now() - fromMs)
  }
  const medianMs = took.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)] ?? 0
  return { nodes, what, bytes, medianMs }
}

export const answersTable = (answers: readonly Answer[]): string[] => [
  '| nodes | answer | bytes | ms |',
  '|---|---|---|---|',
  ...answers.map(
    ({ nodes, what, bytes, medianMs }) =>
      `| ${nodes} | ${what} | ${bytes} | ${medianMs.toFixed(1)} |`,
  ),
]
