// SPDX-License-Identifier: MIT
// Whose measurements, as the API and the address have it: "farm", "group:web", "version:site/7", "nodes:zone=eu", "node:ID".
// Pure.
import { seriesColours } from '../../components/chart/types.ts'

export const FARM = 'farm'
export const kinds = [
  { kind: 'farm', label: 'The whole farm' },
  { kind: 'group', label: 'A group' },
  { kind: 'version', label: 'A version' },
  { kind: 'node', label: 'A node' },
  { kind: 'nodes', label: 'Nodes by label' },
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
