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

/**
 * `over` comes once nothing but what is patient runs beside it: there may be something to run again, alone.
 * @template {{ load: Load, title: string, after?: string }} Check
 * @template Result
 * @param {Check[]} all
 * @param {{ run: (check: Check) => Promise<Result>, over: (check: Check, result: Result) => Promise<void> }} does
 */
export async function runInLanes(all, { run, over }) {
  const ends = new Map(all.map(({ title }) => [title, Promise.withResolvers()]))
  /** @type {{ check: Check, result: Result }[]} */
  const ended = []
  const work = async (/** @type {Check} */ check) => {
    if (check.after) await ends.get(check.after)?.promise
    const result = await run(check)
    ended.push({ check, result })
    ends.get(check.title)?.resolve(undefined)
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
  await patient
  await allOver()
}
