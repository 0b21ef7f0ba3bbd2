// SPDX-License-Identifier: MIT
// What was done to the farm and what came of it.

export type Finding = { kind: string; sentence: string }
type Tally = {
  faults: Map<string, number>
  agreements: number
  worstMs: number
  notes: string[]
}

export class Findings {
  readonly found: Finding[] = []
  readonly #kinds = new Map<string, Tally>()
  readonly #say: (line: string) => void

  /** What is wrong is said at once. */
  constructor(say: (line: string) => void) {
    this.#say = say
  }

  #of(kind: string): Tally {
    const known = this.#kinds.get(kind)
    if (known) return known
    const tally: Tally = { faults: new Map(), agreements: 0, worstMs: 0, notes: [] }
    this.#kinds.set(kind, tally)
    return tally
  }

  injected(kind: string, fault: string): void {
    const { faults } = this.#of(kind)
    faults.set(fault, (faults.get(fault) ?? 0) + 1)
  }

  agreed(kind: string, afterMs: number): void {
    const tally = this.#of(kind)
    tally.agreements++
    tally.worstMs = Math.max(tally.worstMs, afterMs)
  }

  note(kind: string, sentence: string): void {
    this.#of(kind).notes.push(sentence)
  }

  wrong(kind: string, sentence: string, evidence = ''): void {
    this.found.push({ kind, sentence })
    this.#say(`WRONG ${kind}: ${sentence}`)
    if (evidence) this.#say(evidence.replace(/^/gm, '    '))
  }

  /** What came of one kind, which is over. */
  tell(kind: string): void {
    const { faults, agreements, worstMs, notes } = this.#of(kind)
    const total = [...faults.values()].reduce((sum, one) => sum + one, 0)
    const slowest = `the slowest after ${(worstMs / 1000).toFixed(2)} s`
    this.#say(`${kind}: ${total} faults, ${agreements} agreements, ${slowest}`)
    for (const line of byFamily(faults)) this.#say(`    ${line}`)
    for (const note of notes) this.#say(`    ${note}`)
  }

  /** Once more, after all else: what is wrong. */
  repeatWrong(): void {
    for (const { kind, sentence } of this.found) this.#say(`WRONG ${kind}: ${sentence}`)
  }
}

/** A line for all that is called "connection: …", and one for what has no such beginning. */
function byFamily(faults: ReadonlyMap<string, number>): string[] {
  const families = Map.groupBy(faults, ([fault]) => (fault.includes(': ') ? familyOf(fault) : ''))
  return [...families].map(([family, members]) => {
    const sorted = members.sort(([, a], [, b]) => b - a)
    const rest = family === '' ? 0 : family.length + 2
    const all = sorted.map(([fault, count]) => `${fault.slice(rest)} ${count}`).join(', ')
    const total = members.reduce((sum, [, count]) => sum + count, 0)
    return family === '' ? all : `${family} ${total}: ${all}`
  })
}

const familyOf = (fault: string) => fault.slice(0, fault.indexOf(': '))
