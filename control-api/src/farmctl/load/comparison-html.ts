// SPDX-License-Identifier: MIT
// Before and after as a page: one file, with its pictures in it and nothing fetched.
import {
  type Comparison,
  doubtsOfAll,
  RUN_TITLES,
  runRow,
  type Side,
  verdictOf,
} from './comparison.ts'
import { doubtNotes, escaped, wholePage, wideTable } from './report-html.ts'
import { distribution, timeline } from './report-pictures.ts'

export function comparisonPage(comparison: Comparison): string {
  const { startedAt, servers, host, differences, runs } = comparison
  const asked = host === null ? '' : `, both asked for ${host}`
  const rows = differences.map(({ path, aspect, old, new: now }) => [path, aspect, old, now])
  return wholePage(
    `Before and after, ${startedAt}`,
    `<p class="how">${escaped(`Old: ${servers.old}. New: ${servers.new}${asked}.`)}</p>
<p>${escaped(verdictOf(comparison))}.</p>
${doubtNotes(doubtsOfAll(comparison))}
${rows.length === 0 ? '' : wideTable('Answers that differ', ['Path', 'What', 'Old', 'New'], { rows, kind: 'words' })}
${runs.length === 0 ? '' : wideTable('Load, in turn', RUN_TITLES, { rows: runs.map(runRow), kind: 'figures' })}
${picturesOf(comparison, 'old')}
${picturesOf(comparison, 'new')}`,
  )
}

/** Of its last run, when both were warm. */
function picturesOf({ runs, servers }: Comparison, side: Side): string {
  const run = runs.findLast((one) => one.side === side)
  if (!run) return ''
  const title = `The ${side} server, ${servers[side]}`
  return `<h2>${escaped(title)}</h2>${distribution(run.counted)}${timeline(run.counted)}`
}
