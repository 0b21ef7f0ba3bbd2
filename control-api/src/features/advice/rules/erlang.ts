// SPDX-License-Identifier: MIT
// How long jobs wait on average when they come at random and find `threads` that take a random time each (M/M/c, Erlang's C).
// An estimate: disks are neither.

type Queue = { threads: number; perSecond: number; meanSeconds: number }

/** null: more comes than they can do, and the wait only grows. */
export function meanWaitSeconds({ threads, perSecond, meanSeconds }: Queue): number | null {
  const load = perSecond * meanSeconds
  if (threads <= load) return null
  // Erlang's B step by step, which overflows for no number of threads.
  let blocked = 1
  for (let n = 1; n <= threads; n++) blocked = (load * blocked) / (n + load * blocked)
  const waiting = blocked / (1 - (load / threads) * (1 - blocked))
  return (waiting * meanSeconds) / (threads - load)
}
