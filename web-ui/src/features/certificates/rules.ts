// SPDX-License-Identifier: MIT
import type { Verdict } from '../../components/status-badge.tsx'
import type { Certificate, ConfigError } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { forPeople } from '../../lib/people-words.ts'

const verdicts: Record<Certificate['state'], Verdict> = {
  good: { label: 'Good', tone: 'good', shape: 'disc' },
  expiring: { label: 'Ends soon', tone: 'warn', shape: 'triangle' },
  expired: { label: 'Expired', tone: 'bad', shape: 'square' },
}
export const certificateVerdict = ({ state }: Pick<Certificate, 'state'>) => verdicts[state]

export function endsWords(daysLeft: number): string {
  if (daysLeft < 0) return `${plural(-daysLeft, 'day')} ago`
  return daysLeft === 0 ? 'within a day' : `in ${plural(daysLeft, 'day')}`
}

/** What is wrong with one of the two texts, a line each. */
export const troubleOf = (errors: readonly ConfigError[], pointer: '/chain' | '/key') =>
  errors
    .filter((error) => error.pointer === pointer)
    .map(({ line, message, hint }) => {
      const where = line > 0 ? `Line ${line}: ` : ''
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
  NAME.test(name) ? null : 'Give it a name first: small letters, digits, dots and dashes.'

/** Why it cannot be sent yet; null: it can. */
export function whyIncomplete(given: { name: string; chain: string; key: string }): string | null {
  const noName = whyNoName(given.name)
  if (noName !== null) return noName
  if (given.chain.trim() === '') return 'Paste the certificate first, or choose its file.'
  return given.key.trim() === '' ? 'Paste its key first, or choose its file.' : null
}
