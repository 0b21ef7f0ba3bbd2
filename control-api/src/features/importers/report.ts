// SPDX-License-Identifier: MIT
// The three lists as a text to read, to print and to keep (Markdown).
import type { Finding, Note } from './findings.ts'
import type { Imported } from './imported.ts'
import { verdictWords } from './known.ts'

const MOST_PLACES = 20

export function reportOf(title: string, { gains, findings }: Imported): string {
  const of = (verdict: Finding['verdict']) => findings.filter((one) => one.verdict === verdict)
  const counts = `${of('taken').length} directives are taken over, ${of('different').length} with a difference, ${of('unsupported').length} are not supported.`
  const parts = (['unsupported', 'different'] as const).flatMap((verdict) => {
    const found = of(verdict)
    return found.length === 0 ? [] : [...headOf(verdict), ...byNote(found)]
  })
  const taken = of('taken').map((one) => `- ${placeOf(one)} ${code(one.directive)}`)
  const rest = taken.length === 0 ? [] : [...headOf('taken'), '', ...taken]
  const gained = gains.map(({ text }) => `- ${escaped(text)}`)
  const won = gained.length === 0 ? [] : ['', '## What you gain', '', ...gained]
  return `${[`# ${title}`, '', counts, ...parts, ...won, ...rest].join('\n')}\n`
}

function headOf(verdict: Finding['verdict']): string[] {
  const { title, meaning } = verdictWords[verdict]
  return ['', `## ${title}`, '', meaning]
}

/** What many directives share is said once. */
function byNote(findings: readonly Finding[]): string[] {
  const groups = Map.groupBy(
    findings.flatMap((finding) => finding.notes.map((note) => ({ finding, note }))),
    ({ note }) => keyOf(note),
  )
  return [...groups.values()].flatMap((group) => {
    const places = group.map(({ finding }) => `- ${placeOf(finding)} ${code(finding.directive)}`)
    const more = places.length - MOST_PLACES
    const shown = [...places.slice(0, MOST_PLACES), ...(more > 0 ? [`- and ${more} more`] : [])]
    return ['', `**${escaped(group[0]?.note.text ?? '')}**`, '', ...shown]
  })
}

const keyOf = ({ code, text }: Note) => `${code} ${text}`
const placeOf = ({ file, line, column }: Finding) => `${escaped(file)}:${line}:${column}`
/** Code of a config may have backticks in it. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const blank = longest > 0 ? ' ' : ''
  return `${fence}${blank}${text}${blank}${fence}`
}
const escaped = (text: string) => text.replaceAll(/[*_`<>[\]\\]/g, '\\$&')
