// SPDX-License-Identifier: MIT
// What visitors got of the whole farm: how much of it was right, who served which version, and when what was wrong
// was seen first and last.
import type { Answer } from './visitor.ts'

export type Wrong = Answer & { node: string }
export type Span = { firstMs: number; lastMs: number }
const KEPT_WRONG = 2000

export class Availability {
  readonly #served = new Map<string, Set<string>>()
  readonly #spans = new Map<string, Span>()
  readonly #wrongSpans = new Map<string, Span>()
  /** The first ones; `wrongCount` is of all. */
  readonly wrong: Wrong[] = []
  wrongCount = 0
  answers = 0
  missedWhileDown = 0

  note(node: string, answer: Answer, wasDown: boolean): void {
    const { label, trouble, atMs } = answer
    if (label !== null) {
      this.#served.set(label, this.servedBy(label).add(node))
      widen(this.#spans, label, atMs)
    }
    if (trouble === null) this.answers++
    else if (wasDown && label === null) this.missedWhileDown++
    else {
      this.wrongCount++
      if (label !== null) widen(this.#wrongSpans, label, atMs)
      if (this.wrong.length < KEPT_WRONG) this.wrong.push({ node, ...answer })
    }
  }

  /** The nodes that answered anybody with that version. */
  servedBy(label: string): Set<string> {
    return this.#served.get(label) ?? new Set()
  }

  /** When anybody was answered with it first and last; null: never. */
  span(label: string): Span | null {
    return this.#spans.get(label) ?? null
  }

  /** When that answer was wrong. */
  wrongSpan(label: string): Span | null {
    return this.#wrongSpans.get(label) ?? null
  }

  get asText(): string {
    const { answers, wrongCount, missedWhileDown } = this
    const all = answers + wrongCount + missedWhileDown
    const share = ((answers / Math.max(1, all)) * 100).toFixed(3)
    return `visitors: ${all} questions, ${share} % answered right (status, length, bytes), ${wrongCount} wrong, ${missedWhileDown} unanswered by nodes that were down`
  }
}

function widen(spans: Map<string, Span>, label: string, atMs: number): void {
  const firstMs = spans.get(label)?.firstMs ?? atMs
  spans.set(label, { firstMs, lastMs: atMs })
}
