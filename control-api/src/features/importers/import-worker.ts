// SPDX-License-Identifier: MIT
// What becomes of the files of an import, worked out in a thread of its own; see import-work.ts.
import type { Finding } from './findings.ts'
import type { Gain } from './gains.ts'
import { importers } from './languages.ts'
import { reportOf } from './report.ts'
import type { ImportBody } from './schema.ts'
import { sourceOf } from './source.ts'
import { type Place, Unreadable } from './tree.ts'

/** Errors lose their class between threads, so they are told as what they say. */
type Outcome =
  | { kind: 'imported'; draft: string | null; gains: Gain[]; findings: Finding[]; report: string }
  | { kind: 'unreadable'; place: Place; why: string }
  | { kind: 'too-much'; why: string }

/** As many characters as a config's text may have. */
const LONGEST_DRAFT = 1_048_576
/** Of what is said of all directives: a sentence may be said of each of them. */
const MOST_SAID = 16 * 1_048_576

export function read({ language, main, files }: ImportBody): Outcome {
  try {
    const imported = importers[language](main, sourceOf(files))
    const { draft, gains, findings } = imported
    if (draft !== null && draft.length > LONGEST_DRAFT) {
      const why = `Its draft would have more than the ${LONGEST_DRAFT} characters that a config may have`
      return { kind: 'too-much', why }
    }
    const said = findings.reduce((sum, finding) => sum + lengthOf(finding), 0)
    if (said > MOST_SAID) {
      const why = `What is to be said of its directives has more than ${MOST_SAID} characters`
      return { kind: 'too-much', why }
    }
    const report = reportOf(`From ${language}: ${main.join(', ')}`, imported)
    return { kind: 'imported', draft, gains, findings, report }
  } catch (error) {
    if (error instanceof Unreadable) {
      return { kind: 'unreadable', place: error.place, why: error.message }
    }
    throw error
  }
}

const lengthOf = ({ file, directive, notes }: Finding) =>
  notes.reduce((sum, { text }) => sum + text.length, file.length + directive.length)
