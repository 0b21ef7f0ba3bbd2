// SPDX-License-Identifier: MIT
import type { Finding } from '../../../lib/api-types.ts'

export const placeText = ({ file, line, column }: Finding) => `${file}:${line}:${column}`
export const findingKey = ({ file, line, column }: Finding) => `${line}:${column} ${file}`

export function countsOf(findings: readonly Finding[]): Record<Finding['verdict'], number> {
  const counts = { unsupported: 0, different: 0, taken: 0 }
  for (const { verdict } of findings) counts[verdict] += 1
  return counts
}

/** `words`: each of them is in the directive, its place or what is said of it. */
export function findingsOf(
  findings: readonly Finding[],
  show: Finding['verdict'],
  words: string,
): Finding[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return findings.filter((finding) => {
    if (finding.verdict !== show) return false
    const { file, line, directive, notes } = finding
    const said = [`${file}:${line}`, directive, ...notes.map(({ text }) => text)]
    const text = said.join('\n').toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}

const saidOf = ({ notes }: Finding) => notes.map(({ code, text }) => `${code} ${text}`).join('\n')

/** Those of which the same is said as of the one before: a host that is left out is hundreds of them. */
export const saidBefore = (findings: readonly Finding[]): Set<Finding> =>
  new Set(
    findings.filter((finding, i) => {
      const before = findings[i - 1]
      return before !== undefined && saidOf(before) === saidOf(finding)
    }),
  )

/** Names of options stand between backticks, as in the report. */
export const wordsOf = (text: string): { text: string; isCode: boolean }[] =>
  text.split('`').map((part, i) => ({ text: part, isCode: i % 2 === 1 }))
