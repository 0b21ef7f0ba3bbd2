// SPDX-License-Identifier: MIT
// From a seed that breaks a promise to less that still breaks it: fewer nodes, fewer kinds of faults, a shorter
// time. Another scope is another run, so what is left is the smallest of those tried, not of all.
import { Faults } from './faults.ts'
import { simulate } from './simulate.ts'
import { ALL, type Scope } from './world.ts'

type Shrunk = { scope: Scope; message: string }
const SHORTEST_MS = 10_000

/** null: it breaks none. */
export function shrink(seed: number): Shrunk | null {
  const broken = (scope: Scope) =>
    simulate({ from: seed, count: 1, scope }).violation?.message ?? null
  const message = broken(ALL)
  if (message === null) return null
  let least: Shrunk = { scope: ALL, message }
  for (let next = smaller(least, broken); next; next = smaller(least, broken)) least = next
  return least
}

/** The first smaller one that breaks the same promise. */
function smaller({ scope, message }: Shrunk, broken: (scope: Scope) => string | null) {
  for (const one of candidates(scope)) {
    const found = broken(one)
    if (found !== null && promiseOf(found) === promiseOf(message)) {
      return { scope: one, message: found }
    }
  }
  return null
}

const candidates = (scope: Scope): Scope[] => [
  ...[1, 2, 4].filter((nodes) => nodes < scope.nodes).map((nodes) => ({ ...scope, nodes })),
  ...[0.25, 0.5, 0.9]
    .map((part) => ({ ...scope, unrestMs: Math.round(scope.unrestMs * part) }))
    .filter(({ unrestMs }) => unrestMs >= SHORTEST_MS),
  ...Faults.names
    .filter((name) => !scope.without.has(name))
    .map((name) => ({ ...scope, without: new Set([...scope.without, name]) })),
]

/** "Error: I7: wave 0 of r1001 is through" → "Error: I7". */
const promiseOf = (message: string) => message.split(': ').slice(0, 2).join(': ')
