// SPDX-License-Identifier: MIT
// Which items of two lists differ: Myers' O(ND), after what is alike at both ends. Bounded: a text whose
// lines differ in very many places is one large hunk from the first difference to the last.

/** Items [fromStart, fromEnd) became items [toStart, toEnd). Hunks are in order and never touch. */
export type Hunk = { fromStart: number; fromEnd: number; toStart: number; toEnd: number }

/** The work grows with its square; a thousand changed lines are no longer read line by line. */
const MAX_EDITS = 1000
/** Lines that are all alike can be compared on every diagonal: a bound of its own. */
const MAX_COMPARISONS = 20_000_000

export function diffLists(from: readonly string[], to: readonly string[]): Hunk[] {
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && from[head] === to[head]) head++
  let tail = 0
  while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++
  const [a, b] = numbered(from.slice(head, from.length - tail), to.slice(head, to.length - tail))
  return gapsBetween(matches(a, b) ?? [], a.length, b.length).map((hunk) => ({
    fromStart: hunk.fromStart + head,
    fromEnd: hunk.fromEnd + head,
    toStart: hunk.toStart + head,
    toEnd: hunk.toEnd + head,
  }))
}

/** Equal items get equal numbers, so that comparing them costs the same however long they are. */
function numbered(from: readonly string[], to: readonly string[]): [number[], number[]] {
  const numbers = new Map<string, number>()
  const numberOf = (item: string) => {
    const known = numbers.get(item)
    if (known !== undefined) return known
    numbers.set(item, numbers.size)
    return numbers.size - 1
  }
  return [from.map(numberOf), to.map(numberOf)]
}

type Match = { from: number; to: number }

/**
 * A longest list of pairs of equal items; null: it takes more than is allowed. `reach[k]` is how far
 * in `a` one gets on the diagonal k (place in `a` minus place in `b`) with `edits` edits.
 */
function matches(a: readonly number[], b: readonly number[]): Match[] | null {
  const limit = Math.min(a.length + b.length, MAX_EDITS)
  const reach = new Int32Array(2 * limit + 3)
  const steps: Int32Array[] = []
  let comparisons = 0
  for (let edits = 0; edits <= limit && comparisons < MAX_COMPARISONS; edits++) {
    steps.push(reach.slice(limit + 1 - edits, limit + 2 + edits))
    for (let k = -edits; k <= edits; k += 2) {
      const at = limit + 1 + k
      const start = cameDown(reach, at, k, edits) ? (reach[at + 1] ?? 0) : (reach[at - 1] ?? 0) + 1
      let x = start
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      comparisons += x - start
      reach[at] = x
      if (x >= a.length && x - k >= b.length) return walkBack(steps, a.length, b.length)
    }
  }
  return null
}

/** Whether the best way to the diagonal k is an item of `b` more, not one of `a` less. */
const cameDown = (reach: Int32Array, at: number, k: number, edits: number) =>
  k === -edits || (k !== edits && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0))

/** `steps[n]` holds the diagonals -n … n as they were before the edit n. */
function walkBack(steps: readonly Int32Array[], aLength: number, bLength: number): Match[] {
  const found: Match[] = []
  let [x, y] = [aLength, bLength]
  for (let edits = steps.length - 1; edits >= 0; edits--) {
    const before = steps[edits] ?? new Int32Array(1)
    const k = x - y
    const previous = edits === 0 ? 0 : cameDown(before, k + edits, k, edits) ? k + 1 : k - 1
    const startX = edits === 0 ? 0 : (before[previous + edits] ?? 0)
    const startY = startX - previous
    while (x > startX && y > startY) found.push({ from: --x, to: --y })
    ;[x, y] = [startX, startY]
  }
  return found.reverse()
}

function gapsBetween(found: readonly Match[], fromLength: number, toLength: number): Hunk[] {
  const hunks: Hunk[] = []
  let [fromStart, toStart] = [0, 0]
  for (const { from, to } of [...found, { from: fromLength, to: toLength }]) {
    if (from > fromStart || to > toStart)
      hunks.push({ fromStart, fromEnd: from, toStart, toEnd: to })
    ;[fromStart, toStart] = [from + 1, to + 1]
  }
  return hunks
}
