// SPDX-License-Identifier: MIT
// Before and after as Markdown, to stand behind the report of an import: what one would lose and gain, then what differs.
import { type Comparison, doubtsOfAll, RUN_TITLES, runRow, verdictOf } from './comparison.ts'

export function comparisonMarkdown(comparison: Comparison): string {
  const { startedAt, servers, host, differences, runs } = comparison
  const asked = host === null ? '' : `, both asked for ${host}`
  const rows = differences.map(({ path, aspect, old, new: now }) => [path, aspect, old, now])
  const doubts = doubtsOfAll(comparison)
  const lines = [
    `# Before and after, ${startedAt}`,
    '',
    cell(`Old: ${servers.old}. New: ${servers.new}${asked}.`),
    '',
    `${verdictOf(comparison)}.`,
    ...tableOf('Answers that differ', ['Path', 'What', 'Old', 'New'], rows),
    ...tableOf('Load, in turn', RUN_TITLES, runs.map(runRow)),
    ...(doubts.length === 0 ? [] : ['', '## Not to be believed as it is', '']),
    ...doubts.map((one) => `- ${cell(one)}`),
  ]
  return `${lines.join('\n')}\n`
}

function tableOf(
  title: string,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  const rule = `|${titles.map(() => '---|').join('')}`
  return ['', `## ${title}`, '', line(titles), rule, ...rows.map(line)]
}

/** Paths and fields are a server's and a client's words, not ours. */
const cell = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll(/[\\|*_`<>[\]&~#]/g, '\\$&')
