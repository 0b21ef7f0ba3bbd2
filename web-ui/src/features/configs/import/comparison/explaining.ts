// SPDX-License-Identifier: MIT
// What an import said beforehand that may be why a request is answered differently. Its notes have codes that stay
// (control-api/src/features/importers): here stands which of them speak of which kind of difference. Pure.
import type { Finding } from '../../../../lib/api-types.ts'
import type { DifferingRequest } from './differing.ts'
import type { Kind } from './kinds.ts'

export type Explanation = {
  code: string
  text: string
  verdict: Finding['verdict']
  /** Those of which it was said, in their order. */
  findings: Finding[]
}

export const codesOf: Record<Kind, string> = {
  answer: 'application unknown-host no-certificate no-https listen other-port',
  status:
    'application hidden-files own-answers folder-without-index error-page error-status page-for-all try-files redirect https-redirect location forbidden auth auth-wider clients limit-answers symlinks links unknown-host folder-redirect password-hashes path-case no-fallback text-answer handler',
  location:
    'redirect https-redirect rewrite query-kept query-not-added query-not-seen folder-redirect slash-and-suffix relative-target own-answers',
  type: 'more-types type type-for-all types-file own-types type-names suffix',
  caching:
    'expires expires-header expires-everywhere modified both-caching header headers-everywhere vary types-304',
  encoding: 'copies compression stored-codings vary',
  bytes: 'listing-form listing-texts autoindex index error-page page-for-all application',
  other: 'header headers-everywhere header-statuses',
}

const MOST = 4
const HIDDEN = /\/\.(?!well-known\/)/

/** Those first that are lost, and of these what was said of few directives. */
export function explanationsOf(
  { kinds, path }: DifferingRequest,
  findings: readonly Finding[],
): Explanation[] {
  const codes = new Set(kinds.flatMap((kind) => codesOf[kind].split(' ')))
  if (!HIDDEN.test(path)) codes.delete('hidden-files')
  const found = new Map<string, Explanation>()
  for (const finding of findings) {
    for (const { code, text } of finding.notes) {
      if (!codes.has(code)) continue
      const key = `${finding.verdict} ${code} ${text}`
      const one = found.get(key)
      if (one) one.findings.push(finding)
      else found.set(key, { code, text, verdict: finding.verdict, findings: [finding] })
    }
  }
  const isLost = ({ verdict }: Explanation) => (verdict === 'unsupported' ? 0 : 1)
  return [...found.values()]
    .toSorted((a, b) => isLost(a) - isLost(b) || a.findings.length - b.findings.length)
    .slice(0, MOST)
}
