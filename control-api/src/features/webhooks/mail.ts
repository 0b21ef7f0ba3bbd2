// SPDX-License-Identifier: MIT
// An event as a mail: what happened in the subject, all that is known of it below. Pure.
import type { Message } from './rules.ts'

/** A webhook's address that is told by mail. */
export const MAILTO = 'mailto:'

export type Mail = {
  subject: string
  text: string
  messageId: string
  date: Date
  headers: Record<string, string>
}

type Body = { type: string; timestamp: string; data: Record<string, unknown> }
/** Which farm it is, and the address that it writes from. */
type Sender = { farm: string; from: string }
const SUBJECT_MAX = 150

export function mailOf({ id, body }: Message, { farm, from }: Sender): Mail {
  const { type, timestamp, data } = JSON.parse(body) as Body
  const title = titleOf(type, data)
  const lines = [...sentences(data), '', ...factsOf(data), '', `Event ${id} of ${farm}`]
  return {
    subject: oneLine(`[Farmstead] ${title}`).slice(0, SUBJECT_MAX),
    text: `${[title, ...lines].join('\n')}\n`,
    // Tried again, it is the same mail: who has it already need not show it twice.
    messageId: `<${id}@${from.split('@')[1]}>`,
    date: new Date(timestamp),
    // No holiday notice and no list answers it (RFC 3834).
    headers: { 'auto-submitted': 'auto-generated', 'x-farmstead-event': type },
  }
}

const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
const textIn = (of: unknown, key: string): string => {
  const value = (of as Record<string, unknown> | undefined)?.[key]
  return typeof value === 'string' ? oneLine(value) : ''
}

/** Of an alert what an operator has to know at a glance; of all else its kind and whose it is. */
function titleOf(type: string, data: Record<string, unknown>): string {
  const { detail } = data
  const { rule, subject, severity } = (detail ?? {}) as Record<string, unknown>
  if (!type.startsWith('alert.') || !rule) return `${type} ${textIn(data, 'id')}`
  const what = textIn(data, 'action')
  const whom = textIn(subject, 'name')
  const many = what === 'many' ? `${Number((detail as { firing: number }).firing)} firing` : whom
  return `${String(severity)}: ${textIn(rule, 'name')} ${what === 'many' ? '' : `${what} `}(${many})`
}

const sentences = ({ detail }: Record<string, unknown>): string[] =>
  ['message', 'because', 'reason'].flatMap((key) => textIn(detail, key) || [])

/** One in a line, as they stand in the event: nothing is left out. */
function factsOf(data: Record<string, unknown>): string[] {
  const { detail, ...about } = data
  return [about, detail ?? {}].flatMap((facts) =>
    Object.entries(facts as Record<string, unknown>).map(
      ([key, value]) =>
        `${key}: ${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`,
    ),
  )
}
