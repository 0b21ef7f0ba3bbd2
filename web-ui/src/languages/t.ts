// SPDX-License-Identifier: MIT
// Words in the reader's language. A message is named by its English text, in ICU's notation:
//   t('Push to all')
//   t('{count, plural, one {# node} other {# nodes}} of {farm}', { count, farm })
// It has to be a literal: `npm run messages -w web-ui` finds it by reading the code.
import { type Formatters, IntlMessageFormat } from 'intl-messageformat'
import { language, numberLocale, wordsOf } from './language.ts'

type Value = string | number | boolean | null | undefined

const parsed = new Map<string, IntlMessageFormat>()

/** Shared by all messages: each would make its own of them, and there are hundreds with a number. */
const formatters: Formatters = {
  getNumberFormat: (...how) =>
    kept(`number ${JSON.stringify(how)}`, () => new Intl.NumberFormat(...how)),
  getDateTimeFormat: (...how) =>
    kept(`date ${JSON.stringify(how)}`, () => new Intl.DateTimeFormat(...how)),
  getPluralRules: (...how) =>
    kept(`plural ${JSON.stringify(how)}`, () => new Intl.PluralRules(...how)),
}
const made = new Map<string, unknown>()

function kept<Made>(name: string, make: () => Made): Made {
  const known = made.get(name) as Made | undefined
  if (known !== undefined) return known
  const one = make()
  made.set(name, one)
  return one
}

/** As many are kept as there are messages. */
export function formatOf(text: string): IntlMessageFormat {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const format = new IntlMessageFormat(text, numberLocale, undefined, { formatters })
  parsed.set(text, format)
  return format
}

export const isWithoutParts = (text: string) => !text.includes('{') && !text.includes('<')

export function t(message: string, values?: Record<string, Value>): string {
  const text = wordsOf(message)
  return isWithoutParts(text) ? text : String(formatOf(text).format(values))
}

/** A label in the middle of a sentence: English has a small letter there, abbreviations and other languages have not. */
export const inSentence = (label: string) =>
  language === 'en' && /^[A-Z][a-z]/.test(label)
    ? label.charAt(0).toLowerCase() + label.slice(1)
    : label
