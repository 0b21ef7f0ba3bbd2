// SPDX-License-Identifier: MIT
// What metrics.db knows: questions are answered one after the other; long ones in parts, with others between.
import { nextTurn } from '../base/slices.ts'
import { compareSets } from './compare.ts'
import { giveWay } from './give-way.ts'
import type { Answer, Question, Reply, Request, WorkerData } from './messages.ts'
import type { MetricsDb } from './metrics-db.ts'
import { openMetricsDb } from './open.ts'
import type { RecordPlace } from './postgres/copy.ts'
import { FORGET_COPY } from './postgres/forget.ts'
import type { Gate } from './postgres/gate.ts'
import type { Mirror, TellTrouble } from './postgres/mirror.ts'
import { createRingStore, type Outcome, type Take } from './ring-store.ts'
import { queryHeatmap, querySets } from './sets.ts'
import { countedIn, querySites } from './site-query.ts'
import { FINEST } from './steps.ts'
import { topOf } from './top.ts'
import { unitsOf } from './units.ts'
import { movingValuesOf, valuesOf } from './values.ts'

type Opened = { db: MetricsDb; mirrored: { mirror: Mirror; gate: Gate } | null; refused?: string }

/** Opens the file, and throws when it can't be. What is said comes in the order in which it is known. */
export async function answerQuestions(
  { path, record }: WorkerData,
  say: (reply: Reply) => void,
): Promise<(request: Request) => Promise<void>> {
  const tell: TellTrouble = (trouble) => say({ kind: 'trouble', trouble })
  const { db, mirrored, refused } = record
    ? await openWithRecord(path, record, tell)
    : openAlone(path)
  const rings = createRingStore(db)

  function take(takes: Take[]): Outcome[] | Promise<Outcome[]> {
    if (refused !== undefined) throw new Error(refused)
    return mirrored ? mirrored.gate.take(rings, takes) : rings.takeAll(takes)
  }

  /** A copy that nobody notes the changes of is not changed. */
  const isToRollUp = () =>
    refused === undefined && (mirrored === null || mirrored.gate.canRollUp(rings))

  async function close(): Promise<null> {
    await mirrored?.mirror.close()
    db.close()
    return null
  }

  function answer(question: Question): Answer | Promise<Answer> {
    switch (question.kind) {
      case 'take':
        return take(question.takes)
      case 'sets':
        return inTurns(querySets(rings, question))
      case 'heatmap':
        return inTurns(queryHeatmap(rings, question))
      case 'compare':
        return inTurns(compareSets(rings, question))
      case 'top':
        return inTurns(topOf(rings, question))
      case 'units':
        return inTurns(unitsOf(rings, question))
      case 'slow-requests':
        return rings.slowRequests(question)
      case 'sites':
        return inTurns(querySites(rings.sites, question))
      case 'counted-in':
        return inTurns(countedIn(rings.sites, question))
      case 'totals':
        return rings.totals()
      case 'summed-until':
        return rings.rollUp.madeUntil(FINEST)
      case 'values':
        return inTurns(valuesOf(rings, question))
      case 'moving-values':
        return inTurns(movingValuesOf(rings, question))
      case 'prune':
        if (question.after === 0) mirrored?.mirror.keepUp(question.nowMs)
        return rings.pruneSome(question.nowMs, question.after)
      case 'roll-up':
        return isToRollUp() && rings.rollUp.some(question.nowMs)
      case 'memberships':
        for (const [nodeId, membership] of question.of) {
          rings.rollUp.setMembership(nodeId, membership)
        }
        return null
      case 'give-way':
        return mirrored
          ? mirrored.mirror.alone(() => giveWay(db, rings, question))
          : giveWay(db, rings, question)
      case 'close':
        return close()
    }
  }

  return async ({ id, question }: Request): Promise<void> => {
    try {
      say({ kind: 'answer', id, answer: await answer(question) })
    } catch (error) {
      say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
    }
  }
}

function openAlone(path: string): Opened {
  const db = openMetricsDb(path)
  db.exec(FORGET_COPY)
  return { db, mirrored: null }
}

/** Who has no PostgreSQL does not load it. */
async function openWithRecord(
  path: string,
  record: RecordPlace,
  tell: TellTrouble,
): Promise<Opened> {
  const { openMirrored } = await import('./postgres/mirror.ts')
  const opened = await openMirrored(path, record, tell)
  // Past measurements are there to be looked at.
  if ('refused' in opened) return { db: openMetricsDb(path), mirrored: null, ...opened }
  const { createGate } = await import('./postgres/gate.ts')
  const { db, mirror } = opened
  return { db, mirrored: { mirror, gate: createGate(mirror) } }
}

async function inTurns<T>(parts: Generator<void, T>): Promise<T> {
  for (;;) {
    const part = parts.next()
    if (part.done) return part.value
    await nextTurn()
  }
}
