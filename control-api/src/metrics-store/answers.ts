// SPDX-License-Identifier: MIT
// What metrics.db knows: questions are answered one after the other; long ones in parts, with others between.
import { nextTurn } from '../base/slices.ts'
import { compareSets } from './compare.ts'
import type { Answer, Question, Reply, Request, WorkerData } from './messages.ts'
import { openMetricsDb } from './open.ts'
import { NotReadYet, type Opened, openAlone } from './opened.ts'
import type { Membership } from './roll-up.ts'
import { queryHeatmap, querySets } from './sets.ts'
import { countedIn, querySites } from './site-query.ts'
import { FINEST } from './steps.ts'
import { topOf } from './top.ts'
import { unitsOf } from './units.ts'
import { movingValuesOf, valuesOf } from './values.ts'

const STILL_OPENED = 'measurements are being taken over from PostgreSQL'

/** Opens the file, and throws when it can't be. What is said comes in the order in which it is known. */
export function answerQuestions({ path, record }: WorkerData, say: (reply: Reply) => void) {
  let opened: Opened | null = null
  const toldEarly = new Map<string, Membership | null>()
  const stopping = new AbortController()
  if (record) {
    // What can't be opened later can't be opened now.
    openMetricsDb(path).close()
    void openBeside(record)
  } else opened = openAlone(path)

  /** Who decides does not wait for PostgreSQL, and who has none does not load its client. */
  async function openBeside(place: NonNullable<WorkerData['record']>): Promise<void> {
    const { openWithRecord } = await import('./postgres/opening.ts')
    const tell = (trouble: string | null) => say({ kind: 'trouble', trouble })
    const done = await openWithRecord(path, { place, tell, signal: stopping.signal })
    for (const [nodeId, membership] of toldEarly) {
      done?.rings.rollUp.setMembership(nodeId, membership)
    }
    opened = done
  }

  async function close(): Promise<null> {
    stopping.abort()
    await opened?.close()
    return null
  }

  function whileOpening(question: Question): Answer | Promise<Answer> {
    switch (question.kind) {
      case 'roll-up':
        return false
      case 'prune':
      case 'summed-until':
        return null
      case 'memberships':
        for (const [nodeId, membership] of question.of) toldEarly.set(nodeId, membership)
        return null
      case 'close':
        return close()
      default:
        throw new NotReadYet(STILL_OPENED)
    }
  }

  function answer(question: Question): Answer | Promise<Answer> {
    if (opened === null) return whileOpening(question)
    const { rings } = opened
    opened.requireRead(question)
    switch (question.kind) {
      case 'take':
        return opened.take(question.takes)
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
        if (question.after === 0) opened.keepUp(question.nowMs)
        return rings.pruneSome(question.nowMs, question.after)
      case 'roll-up':
        return opened.canRollUp() && rings.rollUp.some(question.nowMs)
      case 'memberships':
        for (const [nodeId, membership] of question.of) {
          rings.rollUp.setMembership(nodeId, membership)
        }
        return null
      case 'give-way':
        return opened.giveWay(question)
      case 'close':
        return close()
    }
  }

  return async ({ id, question }: Request): Promise<void> => {
    try {
      say({ kind: 'answer', id, answer: await answer(question) })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      say({ kind: 'failed', id, message, isNotReadYet: error instanceof NotReadYet })
    }
  }
}

async function inTurns<T>(parts: Generator<void, T>): Promise<T> {
  for (;;) {
    const part = parts.next()
    if (part.done) return part.value
    await nextTurn()
  }
}
