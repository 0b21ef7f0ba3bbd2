// SPDX-License-Identifier: MIT
// Finds options by their name, by what the form calls them and by what their help says, whether the
// text has them or not.
import { type Path, type SchemaNode, schemaAt } from '../schema-walk.ts'
import { pointerOf } from './form-state.ts'
import { sentencesOf, siteName } from './form-words.ts'

export type FoundOption = {
  /** Where the form shows it; for one of a rule, when there is no rule or several, their list. */
  pointer: string
  title: string
  /** As it is written in the text, from the outermost: "limits.headBytes". */
  name: string
  /** The titles of the parts that it is in. */
  within: readonly string[]
  help: string
  isSet: boolean
}

export function optionsOf(root: SchemaNode, whole: unknown): FoundOption[] {
  const all = optionsIn(root, [], whole, [])
  // Sites come first, as in the form.
  return [...all.filter(isOfSites), ...all.filter((option) => !isOfSites(option))]
}

const isOfSites = ({ name }: FoundOption) => /^sites\b/.test(name)

function optionsIn(root: SchemaNode, path: Path, value: unknown, within: string[]): FoundOption[] {
  return Object.keys(schemaAt(root, path)?.properties ?? {}).flatMap((key) => {
    const here = [...path, key]
    const schema = schemaAt(root, here)
    if (schema === null) return []
    const own: unknown = Object.hasOwn(Object(value), key) ? Object(value)[key] : undefined
    const title = schema.title ?? key
    const option: FoundOption = {
      pointer: pointerOf(here),
      title,
      name: here.filter((step) => typeof step === 'string').join('.'),
      within,
      help: schema.description ?? '',
      isSet: own !== undefined,
    }
    const inner = [...within, title]
    const below =
      schema.items === undefined
        ? optionsIn(root, here, own, inner)
        : optionsOfItems(root, here, Array.isArray(own) ? own : [], inner)
    return [option, ...below]
  })
}

/** Each site has its own options. Of other lists no item stands out, unless there is only one. */
function optionsOfItems(
  root: SchemaNode,
  list: Path,
  items: readonly unknown[],
  within: string[],
): FoundOption[] {
  if (items.length > 0 && pointerOf(list) === '/sites') {
    return items.flatMap((item, index) =>
      optionsIn(root, [...list, index], item, [siteName(item, index)]),
    )
  }
  const options = optionsIn(root, [...list, 0], items[0], within)
  if (items.length === 1) return options
  const pointer = pointerOf(items.length === 0 ? [...list, '-'] : list)
  return options.map((option) => ({ ...option, pointer, isSet: false }))
}

const wordsOf = (typed: string) => typed.toLowerCase().split(/\s+/).filter(Boolean)

/** Those in which each typed word occurs, best first; what is set goes before what is not. */
export function find(options: readonly FoundOption[], typed: string): FoundOption[] {
  const words = wordsOf(typed)
  if (words.length === 0) return []
  return options
    .map((option) => ({ option, rank: rankOf(option, words) }))
    .filter(({ rank }) => rank !== NOT_FOUND)
    .sort((a, b) => a.rank - b.rank || Number(b.option.isSet) - Number(a.option.isSet))
    .map(({ option }) => option)
}

const NOT_FOUND = 5

function rankOf(option: FoundOption, words: readonly string[]): number {
  const phrase = words.join(' ')
  const own = ownWords(option)
  if (own.includes(phrase) || own.includes(`${phrase}s`)) return 0
  if (own.some((one) => one.startsWith(phrase))) return 1
  if (occur(words, own.join(' '))) return 2
  const place = placeOf(option)
  if (occur(words, place)) return 3
  return occur(words, `${place} ${option.help.toLowerCase()}`) ? 4 : NOT_FOUND
}

const ownWords = ({ title, name }: FoundOption) =>
  [title, name.split('.').at(-1) ?? ''].map((one) => one.toLowerCase())

const placeOf = ({ title, name, within }: FoundOption) =>
  [title, name, ...within].join(' ').toLowerCase()

/** "redirects" also finds "redirect". */
const occur = (words: readonly string[], text: string) =>
  words.every((word) => text.includes(word) || text.includes(word.replace(/(?<=..)s$/, '')))

/** Of an option's help the sentence that says why it was found, if its names do not; else the first. */
export function sentenceWith(option: FoundOption, typed: string): string {
  const unsaid = wordsOf(typed).filter((word) => !occur([word], placeOf(option)))
  const sentences = sentencesOf(option.help)
  const telling = sentences.find((one) => occur(unsaid, one.toLowerCase()))
  return telling ?? sentences[0] ?? ''
}
