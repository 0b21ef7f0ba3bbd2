// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import type { ConfigError } from '../../lib/api-types.ts'
import { forPeople } from '../../lib/people-words.ts'

export function endsWords(daysLeft: number): string {
  if (daysLeft < 0)
    return t('{daysLeft, plural, one {# day} other {# days}} ago', { daysLeft: -daysLeft })
  return daysLeft === 0
    ? t('within a day')
    : t('in {daysLeft, plural, one {# day} other {# days}}', { daysLeft })
}

/** What is wrong with one of the two texts, a line each. */
export const troubleOf = (errors: readonly ConfigError[], pointer: '/chain' | '/key') =>
  errors
    .filter((error) => error.pointer === pointer)
    .map(({ line, message, hint }) => {
      const where = line > 0 ? t('Line {line}: ', { line }) : ''
      return `${where}${message}${hint === '' ? '' : ` (${hint})`}.`
    })

/** A refusal of a field as sentences; what its hint says to programs goes. */
export function refusalWords({ message, hint }: Pick<ConfigError, 'message' | 'hint'>): string {
  const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
  const advice = hint === '' ? '' : forPeople(`${capital(hint)}.`)
  return `${capital(message)}.${advice === '' ? '' : ` ${advice}`}`
}

const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/

export const whyNoName = (name: string): string | null =>
  NAME.test(name) ? null : t('Give it a name first: small letters, digits, dots and dashes.')

/** Why it cannot be sent yet; null: it can. */
export function whyIncomplete(given: { name: string; chain: string; key: string }): string | null {
  const noName = whyNoName(given.name)
  if (noName !== null) return noName
  if (given.chain.trim() === '') return t('Paste the certificate first, or choose its file.')
  return given.key.trim() === '' ? t('Paste its key first, or choose its file.') : null
}
