// SPDX-License-Identifier: MIT
// The control plane's sentences are also for programs: they name the request that goes on, and ids.
// People have links and buttons for the one and names for the other.
import { t } from '../languages/t.ts'
import type { AuditEntry } from './api-types.ts'

const REQUEST = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE)\b[^.]* \/|\/api\/v\d/
/** The name of a member of a request, for who writes one. */
const MEMBER = / \("[a-z]+[A-Z]\w*"[^)]*\)/g
const ID = /\b(?:[a-z]+)_[0-9a-hjkmnp-tv-z]{26}\b/g

/** "rollout …9k2dxe": its end tells two apart. What has a name of its own stays. */
export const shortId = (id: string) => id.replace(/^([a-z]+)_[0-9a-z]{20}([0-9a-z]{6})$/, '$1 …$2')

/** What is meant for a program goes, clause by clause; what is left is whole sentences. */
export function forPeople(text: string): string {
  const sentences = text
    .replaceAll(MEMBER, '')
    .split(/(?<=[.!?])\s+/)
    .map(withoutRequests)
  return shortIds(sentences.filter((sentence) => sentence !== '').join(' '))
}

function withoutRequests(sentence: string): string {
  if (!REQUEST.test(sentence)) return sentence
  const clauses = sentence.split(/(?<=[,;:])\s+/)
  const kept = clauses.filter((clause) => !REQUEST.test(clause))
  if (kept.length === 0) return ''
  const whole = kept.join(' ').replace(/^(?:or|then|and)\s+/, '')
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1).replace(/[,;:.\s]+$/, '')}.`
}

/** "There is no such node"; of any other thing the end of its id, which tells two apart. */
const shortIds = (text: string) =>
  text
    .replaceAll(/\b(no|No) ((?:[a-z]+ )*[a-z]+) [a-z]+_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1 such $2')
    .replaceAll(ID, shortId)

/** Who did what an entry of the audit says. */
export function actorText({
  actor,
  actorName,
  tokenId,
}: Pick<AuditEntry, 'actor' | 'actorName' | 'tokenId'>): string {
  if (actor === null) return t('the control plane')
  const name = actorName ?? actor
  return tokenId === null ? name : t('{name}, by a token', { name })
}
