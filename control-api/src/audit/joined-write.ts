// SPDX-License-Identifier: MIT
// Writes of many callers in one transaction. A commit waits for the disk, and writes whole pages that the next one writes
// again: of ten thousand nodes that answer at once those that are heard within a turn of the loop share one.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../api-shapes/errors.ts'
import { nextTurn } from '../base/slices.ts'
import type { Unit, Write } from './write.ts'

/**
 * How long a transaction takes in more of them, in ms that this thread had the processor: whoever else waits for the loop has
 * a turn then. By the clock a crowded machine, which can afford it least, would have a commit for each.
 */
const TAKES_MORE_FOR_CPU_MS = 10
/**
 * The next begins when so many times as long as the last took has passed, so that of a storm more are gathered meanwhile: a
 * commit, and all who are told of it, cost as much for one as for thirty.
 */
const RESTS_TIMES = 5
const RESTS_AT_MOST_MS = 50

type Waiting = {
  /** As the one who asked: the audit says who that was. */
  work: (unit: Unit) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}
type Outcome = { value: unknown } | { refusal: AppError }

type Bounds = { takesMoreForMs?: number; restsAtMostMs?: number }

/** As `write`, in the order in which it is asked. Each is committed, or was refused, when it resolves. */
export function createJoinedWrite(
  write: Write,
  { takesMoreForMs = TAKES_MORE_FOR_CPU_MS, restsAtMostMs = RESTS_AT_MOST_MS }: Bounds = {},
): Write {
  let waiting: Waiting[] = []
  let isUnderWay = false
  let restsUntilMs = 0
  /** Some were left over by the last one: they have waited already. */
  let isCutOff = false

  /** Anew when the disk was full: from the first of them again. */
  const doThem = (tried: Waiting[], note: (outcomes: Outcome[]) => void) => async (unit: Unit) => {
    tried.length = 0
    const outcomes: Outcome[] = []
    unit.afterCommit(() => note(outcomes))
    const untilMs = cpuMs() + takesMoreForMs
    for (const one of waiting) {
      tried.push(one)
      outcomes.push(await outcomeOf(one, unit))
      if (cpuMs() >= untilMs) break
    }
    isCutOff = tried.length < waiting.length
    return outcomes
  }

  const writeSome = async () => {
    const tried: Waiting[] = []
    let committed: Outcome[] | null = null
    const note = (outcomes: Outcome[]) => {
      committed = outcomes
    }
    const tell = (outcomes: Outcome[]) => {
      for (const [i, one] of tried.entries()) settle(one, outcomes[i])
    }
    try {
      tell(await write(doThem(tried, note)))
    } catch (error) {
      if (committed !== null) {
        // What follows the commit failed, not what was written: as with a write alone, one is told of it.
        tried[0]?.reject(error)
        return tell(committed)
      }
      // It did not even begin, and would not for any of them.
      if (tried.length === 0) tried.push(...waiting)
      else if (tried.length > 1) return await eachAlone(tried)
      for (const { reject } of tried) reject(error)
    } finally {
      waiting = waiting.slice(tried.length)
    }
  }

  /** Whose fault it was shows, and nobody else pays for it. */
  const eachAlone = async (tried: readonly Waiting[]) => {
    for (const { work, resolve, reject } of tried) {
      await nextTurn()
      await write(work).then(resolve, reject)
    }
  }

  const run = async () => {
    isUnderWay = true
    while (waiting.length > 0) {
      const leftMs = restsUntilMs - performance.now()
      await (leftMs > 0 ? sleep(leftMs) : nextTurn())
      const beganMs = performance.now()
      await writeSome()
      const endedMs = performance.now()
      const restMs = Math.min(RESTS_TIMES * (endedMs - beganMs), restsAtMostMs)
      restsUntilMs = isCutOff ? 0 : endedMs + restMs
    }
    isUnderWay = false
  }

  return <T>(work: (unit: Unit) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const asCaller = AsyncLocalStorage.snapshot()
      waiting.push({
        work: (unit) => asCaller(work, unit),
        resolve: resolve as Waiting['resolve'],
        reject,
      })
      if (!isUnderWay) void run()
    })
}

/** Throws when what others share would keep a half of it. */
async function outcomeOf({ work }: Waiting, unit: Unit): Promise<Outcome> {
  const before = await unit.changesSoFar()
  try {
    return { value: await work(unit) }
  } catch (error) {
    // SQLite may have ended the transaction by itself, but not of a refusal of ours.
    const isWhole = error instanceof AppError && (await unit.changesSoFar()) === before
    if (!isWhole) throw error
    return { refusal: error }
  }
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (!outcome || 'refusal' in outcome) reject(outcome?.refusal)
  else resolve(outcome.value)
}

/** Of this thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
