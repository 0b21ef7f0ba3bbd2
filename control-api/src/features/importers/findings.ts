// SPDX-License-Identifier: MIT
// The three lists of an import. Each directive of the input is in one of them: what nobody spoke for is found at the end.
import { argsOf, type Directive, everyDirective } from './tree.ts'

export const VERDICTS = ['taken', 'different', 'unsupported'] as const
export type Verdict = (typeof VERDICTS)[number]
/** `code` stays as it is, for programs and tests; `text` is for people. */
export type Note = { code: string; text: string }
export type Finding = {
  file: string
  line: number
  column: number
  directive: string
  verdict: Verdict
  notes: Note[]
}

const LONGEST_SHOWN = 160

export class Findings {
  readonly #of = new Map<Directive, { verdict: Verdict; notes: Note[] }>()

  taken(...directives: readonly Directive[]): void {
    for (const one of directives) this.#add(one, 'taken')
  }

  different(directives: readonly Directive[], code: string, text: string): void {
    for (const one of directives) this.#add(one, 'different', { code, text })
  }

  unsupported(directives: readonly Directive[], code: string, text: string): void {
    for (const one of directives) this.#add(one, 'unsupported', { code, text })
  }

  isSaid(directive: Directive): boolean {
    return this.#of.has(directive)
  }

  /** A directive with several things to say is where the worst of them belongs. */
  #add(directive: Directive, verdict: Verdict, note?: Note): void {
    const had = this.#of.get(directive)
    const worst = VERDICTS[Math.max(rank(had?.verdict ?? 'taken'), rank(verdict))] ?? verdict
    const notes = had?.notes ?? []
    const isNew = note && !notes.some(({ code, text }) => code === note.code && text === note.text)
    this.#of.set(directive, { verdict: worst, notes: isNew ? [...notes, note] : notes })
  }

  /** By place: a file that is included twice has each of its directives once. */
  list(tree: readonly Directive[]): Finding[] {
    const byPlace = new Map<string, Finding>()
    for (const directive of everyDirective(tree)) {
      const { file, line, column } = directive
      const said = this.#of.get(directive)
      const verdict = said?.verdict ?? 'different'
      const notes = said?.notes ?? [UNUSED]
      const key = `${line}:${column}:${file}`
      const had = byPlace.get(key)
      if (!had) {
        byPlace.set(key, {
          file,
          line,
          column,
          directive: shown(directive),
          verdict,
          notes: [...notes],
        })
        continue
      }
      // Used in one place is used.
      const only = (list: readonly Note[]) => list.length === 1 && list[0]?.code === UNUSED.code
      if (only(notes)) continue
      if (only(had.notes)) {
        had.verdict = verdict
        had.notes = [...notes]
        continue
      }
      had.verdict = VERDICTS[Math.max(rank(had.verdict), rank(verdict))] ?? verdict
      for (const note of notes) {
        if (!had.notes.some(({ code, text }) => code === note.code && text === note.text))
          had.notes.push(note)
      }
    }
    return [...byPlace.values()]
  }
}

const UNUSED: Note = {
  code: 'unused',
  text: 'Nothing of the draft is governed by it: what it holds for has a setting of its own, or is not in the draft.',
}

const rank = (verdict: Verdict) => VERDICTS.indexOf(verdict)

function shown(directive: Directive): string {
  // A block of options without a name has none.
  const text = [directive.name, ...argsOf(directive)].join(' ').replace(/\s+/g, ' ').trim()
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
  return directive.block ? `${cut} { … }`.trim() : cut
}
