// SPDX-License-Identifier: MIT
// "Did you mean …?": the known name nearest to a mistyped one.

/** null when nothing is near enough to be what was meant: a third of the letters may differ. */
export function nearestName(typed: string, known: readonly string[]): string | null {
  const wanted = typed.slice(0, 64).toLowerCase()
  let best: { name: string; distance: number } | null = null
  for (const name of known) {
    const distance = editDistance(wanted, name.toLowerCase())
    if (!best || distance < best.distance) best = { name, distance }
  }
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  return best && best.distance <= allowed ? best.name : null
}

/** Insertions, deletions, replacements and swaps of neighbours, each of cost 1. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(replace, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
