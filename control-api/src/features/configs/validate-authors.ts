// SPDX-License-Identifier: MIT
// Is this text a config, when it holds variables and no node is at hand? Each variable is given a word
// of no meaning, and what is then found wrong inside such a text is left to the check of every node's
// own text, before a rollout. A text that cannot fit, whatever it holds, is refused at once.
import type { Node } from 'jsonc-parser'
import type { ConfigError } from '../../schema/common.ts'
import { digestOf } from './digest.ts'
import { layOver, templatesIn } from './render.ts'
import { parseConfigText, positionsIn } from './text.ts'
import type { Validate, Validation } from './validation.ts'
import { type Filled, fillIn, type Lookup, mayHoldVariables } from './variables.ts'

const NOBODY = {
  group: { name: '', mergePatch: {} },
  node: { name: '', labels: {}, mergePatch: {} },
}

export function createValidateAuthors(validate: Validate): Validate {
  return async (text) => {
    const parsed = mayHoldVariables(text) ? parseConfigText(text) : null
    const lookup = wordsOfNoMeaning()
    const sample = parsed?.ok ? layOver(text, NOBODY)?.(lookup) : null
    if (!parsed?.ok || !sample) return await validate(text)
    const { text: sampleText, errors: faults, toAuthor } = sample
    const answer = await validate(sampleText)
    if (!answer.ok && answer.unavailable !== null) return answer
    const isFilled = placesFilled(text, templatesIn(parsed.root), lookup)
    const found = answer.errors.map(toAuthor)
    const errors = [
      ...faults,
      ...found.filter((error) => error.code === 'wrong_type' || !isFilled(error)),
    ]
    return errors.length > 0 ? refused(errors) : good(digestOf(parsed.value))
  }
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
