// SPDX-License-Identifier: MIT
// What runs beside what on two cores: docs/decisions/0188.

/**
 * heavy: takes the machine, or is about time: one at a time
 * light: leaves half of it idle, as it waits for the most part, or is one thread: two at a time, after these
 * patient: works only, and has no time to keep: one at a time beside all others, of whom it takes nothing
 * @typedef {'heavy' | 'light' | 'patient'} Load
 */

/** @template T @param {T[]} all @param {number} atOnce @param {(one: T) => Promise<void>} work */
async function workThrough(all, atOnce, work) {
  const left = [...all]
  const one = async () => {
    for (let next = left.shift(); next; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/** Promise.withResolvers, which a system's Node may not have yet. */
function anEnd() {
  let resolve = () => {}
  const promise = new Promise((/** @type {(value: void) => void} */ done) => {
    resolve = done
  })
  return { promise, resolve }
}

/**
 * `over` comes once nothing but what is patient runs beside it: there may be something to run again, alone. `waitedFor` says
 * when nothing goes on but what is patient, and when something does again.
 * @template {{ load: Load, title: string, after?: string, isFull?: boolean }} Check `isFull`: it has no time to spare, so nothing
 *   patient begins beside it; what has begun goes on
 * @template Result
 * @param {Check[]} all
 * @param {{ run: (check: Check) => Promise<Result>, over: (check: Check, result: Result) => Promise<void>, waitedFor: (isWaitedFor: boolean) => void }} does
 */
export async function runInLanes(all, { run, over, waitedFor }) {
  /** Of what has not ended. */
  const ends = new Map(all.map(({ title }) => [title, anEnd()]))
  /** @type {{ check: Check, result: Result }[]} */
  const ended = []
  const waitFor = async (/** @type {Promise<unknown>} */ end) => {
    waitedFor(true)
    await end
    waitedFor(false)
  }
  /** Of the one under way that is full. @type {ReturnType<typeof anEnd> | null} */
  let full = null
  const work = async (/** @type {Check} */ check) => {
    const first = ends.get(check.after ?? '')
    if (first) await waitFor(first.promise)
    if (check.load === 'patient') {
      // Who waited for the one before this begins first.
      await new Promise((resolve) => setImmediate(resolve))
      while (full !== null) await full.promise
    }
    if (check.isFull) full = anEnd()
    const result = await run(check)
    if (check.isFull) {
      full?.resolve()
      full = null
    }
    ended.push({ check, result })
    ends.get(check.title)?.resolve()
    ends.delete(check.title)
  }
  const allOver = async () => {
    for (const { check, result } of ended.splice(0)) await over(check, result)
  }
  const of = (/** @type {Load} */ load) => all.filter((check) => check.load === load)
  const patient = workThrough(of('patient'), 1, work)
  for (const check of of('heavy')) {
    await work(check)
    await allOver()
  }
  await workThrough(of('light'), 2, work)
  await waitFor(patient)
  await allOver()
}
