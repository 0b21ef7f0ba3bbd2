// SPDX-License-Identifier: MIT
// Whose measurements, as the API and the address have it: "farm", "group:web", "version:site/7", "nodes:zone=eu", "node:ID".
// Pure.

import { seriesColours } from '../../components/chart/types.ts'
import { t } from '../../languages/t.ts'

export const FARM = 'farm'
export const kinds = [
  { kind: 'farm', label: t('The whole farm') },
  { kind: 'group', label: t('A group') },
  { kind: 'version', label: t('A version') },
  { kind: 'node', label: t('A node') },
  { kind: 'nodes', label: t('Nodes by label') },
] as const
export type SetKind = (typeof kinds)[number]['kind']

/** Each has a colour of its own. */
export const MOST_SETS = seriesColours.length

export function kindOf(of: string): { kind: SetKind; what: string } {
  const [, word = of, what = ''] = /^([a-z]+):(.*)$/s.exec(of) ?? []
  return { kind: kinds.find(({ kind }) => kind === word)?.kind ?? FARM, what }
}

/** At semicolons outside of quotes: labels' values may have them. */
export function setsIn(of: string): string[] {
  const words = of.match(/(?:"(?:[^"\\]|\\.)*"|[^;"]|")+/g) ?? []
  return unique(words).slice(0, MOST_SETS)
}

export const together = (sets: readonly string[]): string => unique(sets).join(';')

const unique = (sets: readonly string[]): string[] => [
  ...new Set(sets.map((one) => one.trim()).filter((one) => one !== '')),
]
