// SPDX-License-Identifier: MIT
// What metrics.db knows: questions are answered one after the other; long ones in parts, with others between.
import { nextTurn } from '../base/slices.ts'
import { compareSets } from './compare.ts'
import { giveWay } from './give-way.ts'
import type { Answer, Question, Reply, Request } from './messages.ts'
import { openMetricsDb } from './open.ts'
import { createRingStore } from './ring-store.ts'
import { queryHeatmap, querySets } from './sets.ts'
import { countedIn, querySites } from './site-query.ts'
import { FINEST } from './steps.ts'
import { topOf } from './top.ts'
import { unitsOf } from './units.ts'
import { movingValuesOf, valuesOf } from './values.ts'

/** Opens the file, and throws when it can't be. What is said comes in the order in which it is known. */
export function answerQuestions(path: string, say: (reply: Reply) => void) {
  const db = openMetricsDb(path)
  const rings = createRingStore(db)

  function answer(question: Question): Answer | Promise<Answer> {
    switch (question.kind) {
      case 'take':
        return rings.takeAll(question.takes)
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
        return rings.pruneSome(question.nowMs, question.after)
      case 'roll-up':
        return rings.rollUp.some(question.nowMs)
      case 'memberships':
        for (const [nodeId, membership] of question.of) {
          rings.rollUp.setMembership(nodeId, membership)
        }
        return null
      case 'give-way':
        return giveWay(db, rings, question)
      case 'close':
        db.close()
        return null
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

async function inTurns<T>(parts: Generator<void, T>): Promise<T> {
  for (;;) {
    const part = parts.next()
    if (part.done) return part.value
    await nextTurn()
  }
}
