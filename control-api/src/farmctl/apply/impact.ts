// SPDX-License-Identifier: MIT
// What a dry run says of a change, in sentences: which nodes move, which get another text.
import type { Impact } from '../api-types.ts'

const NAMED = 5

export function impactNotes({ moves, changes, invalid, forgets, unchecked }: Impact): string[] {
  const moved = moves.items.map(({ nodeName, from, to }) => `${nodeName} (${from} → ${to})`)
  const changed = changes.items.map(({ nodeName, pointers }) => `${nodeName}${shown(pointers)}`)
  const refused = invalid.items.flatMap(({ nodeName, version, errors }) =>
    errors.map(({ pointer, message }) => {
      return `${nodeName} would refuse ${version.config}@${version.number}: ${pointer}: ${message}`
    }),
  )
  const forgotten = forgets.items.map(({ nodeName, by, afterHours }) => {
    return `${nodeName} (away for ${afterHours} h, by its ${by})`
  })
  const lines = [
    ...listed('Moves', moves.total, moved),
    ...listed('Another text with the next rollout to', changes.total, changed),
    ...refused,
    ...listed('Decommissions within a minute', forgets.total, forgotten),
    ...(unchecked > 0 ? [`Not checked for ${unchecked} more texts: a rollout checks them.`] : []),
  ]
  return lines.length > 0 ? lines : ['Touches no node.']
}

const shown = (pointers: readonly string[]) =>
  pointers.length === 0 ? '' : ` (${pointers.slice(0, NAMED).join(', ')})`

function listed(what: string, total: number, items: readonly string[]): string[] {
  if (total === 0) return []
  const named = items.slice(0, NAMED)
  const more = total > named.length ? ` and ${total - named.length} more` : ''
  return [`${what} ${total} ${total === 1 ? 'node' : 'nodes'}: ${named.join(', ')}${more}.`]
}
