// SPDX-License-Identifier: MIT
// Is this text a config, when it holds variables and no node is at hand? Each variable is given a word
// of no meaning, and what is then found wrong inside such a text is left to the check of every node's
// own text, before a rollout. A text that cannot fit, whatever it holds, is refused at once.
import type { Node } from 'jsonc-parser'
import type { ConfigError } from '../../../api-shapes/common.ts'
import { layOver, templatesIn } from '../render/render.ts'
import { type Filled, fillIn, type Lookup, mayHoldVariables } from '../render/variables.ts'
import { digestOf } from '../text/digest.ts'
import { parseConfigText, positionsIn } from '../text/text.ts'
import type { Validate, Validation } from './validation.ts'

const NOBODY = {
  group: { name: '', mergePatch: {} },
  node: { name: '', labels: {}, mergePatch: {} },
}

/** The parts of it that read the text; they hold nothing from one to the next. */
export type AuthorsText = {
  /** The text with words of no meaning in it; null: it can't be read. */
  sampleOf: (text: string) => Promise<string | null>
  /** What of the errors in its sample is wrong in the author's text. */
  judge: (text: string, sampleErrors: readonly ConfigError[]) => Promise<Validation>
}

export function createValidateAuthors(validate: Validate, texts: AuthorsText): Validate {
  return async (text) => {
    const sample = mayHoldVariables(text) ? await texts.sampleOf(text) : null
    if (sample === null) return await validate(text)
    const answer = await validate(sample)
    if (!answer.ok && answer.unavailable !== null) return answer
    return await texts.judge(text, answer.errors)
  }
}

export const sampleOf = (text: string): string | null => readSample(text)?.laid.text ?? null

export function judgeSample(text: string, sampleErrors: readonly ConfigError[]): Validation {
  const sample = readSample(text)
  if (!sample) throw new Error('only of a text that has a sample')
  const { parsed, laid, lookup } = sample
  const isFilled = placesFilled(text, templatesIn(parsed.root), lookup)
  const found = sampleErrors.map(laid.toAuthor)
  const errors = [
    ...laid.errors,
    ...found.filter((error) => error.code === 'wrong_type' || !isFilled(error)),
  ]
  return errors.length > 0 ? refused(errors) : good(digestOf(parsed.value))
}

/** Each time the same. */
function readSample(text: string) {
  const parsed = parseConfigText(text)
  const lookup = wordsOfNoMeaning()
  const laid = parsed.ok ? layOver(text, NOBODY)?.fill(lookup).render() : null
  return parsed.ok && laid ? { parsed, laid, lookup } : null
}

/** Another word for each name, so that two variables are not taken for the same thing. */
function wordsOfNoMeaning(): Lookup {
  const words = new Map<string, string>()
  return (name) => {
    const word = words.get(name) ?? `x${words.size + 1}`
    words.set(name, word)
    return word
  }
}

function placesFilled(text: string, templates: readonly Node[], lookup: Lookup) {
  const at = positionsIn(text)
  const places = templates
    .filter(({ value }) => holdsVariables(fillIn(value, lookup)))
    .map(({ offset, length }) => at(offset, length))
  return ({ line, column }: ConfigError) =>
    // A text ends on the line it begins on.
    places.some((one) => line === one.line && column >= one.column && column < one.endColumn)
}

const holdsVariables = ({ used, faults }: Filled) => used.length + faults.length > 0
const good = (digest: string): Validation => ({ ok: true, digest, errors: [] })
const refused = (errors: ConfigError[]): Validation => ({
  ok: false,
  digest: null,
  errors: errors.toSorted((a, b) => a.line - b.line || a.column - b.column),
  unavailable: null,
})
