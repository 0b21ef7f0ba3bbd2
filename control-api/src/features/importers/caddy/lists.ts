// SPDX-License-Identifier: MIT
// From places to the node's lists, of which the first rule that fits counts.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { MOST_PATTERNS } from '../regex.ts'
import { below, both, mayMeet } from './patterns.ts'
import { isOddMatch, type Place, type Step } from './places.ts'

export const UNSAYABLE =
  'Its matcher asks for more than patterns of paths can. Write the rule by hand, with the paths that are meant.'

/** null: all; undefined: no pattern can say it. */
export function pathsOf({ match, within }: Step): string[] | null | undefined {
  if (within.isOdd || isOddMatch({ ...match, clients: null, files: null })) return undefined
  return both(within.paths, match.paths && below(within.prefix, match.paths))
}

/** For lists: what other places have stands above. */
export const ownExceptOf = ({ match, within }: Step): string[] => below(within.prefix, match.except)

export const exceptOf = ({ match, within }: Step): string[] => [
  ...within.before,
  ...below(within.prefix, match.except),
]

export const directivesOf = ({ directive, match }: Step) => [directive, ...match.directives]

export function sayUnsayable(step: Step, findings: Findings, code = 'matcher'): void {
  findings.unsupported([...directivesOf(step), ...(step.directive.block ?? [])], code, UNSAYABLE)
}

/** `value` null: as ever. */
export type Entry = { paths: string[] | null; except: string[]; value: Rule }
type Options = { of: (place: Place) => Entry[]; asEver: Rule }

/** A place's rules stand above those of the places after it; where it has none that is for all of it, it is as ever. */
export function firstThatFits(places: readonly Place[], { of, asEver }: Options): Rule[] {
  const lists = places.map((place) => (place.why === null ? of(place) : []))
  const rules: Rule[] = []
  for (const [i, place] of places.entries()) {
    const own = lists[i] ?? []
    const later = lists.flatMap((list, k) => {
      const other = places[k] as Place
      return k > i && mayMeet(place.paths, other.paths) ? [list] : []
    })
    const isLast = place.paths === null
    const isAsLater = later.length > 0 && later.every((list) => isSame(list, own))
    if (place.why !== null || (!isLast && isAsLater && own.every(({ paths }) => paths === null)))
      continue
    for (const { paths, except, value } of own) {
      const shared = both(place.paths, paths)
      // What patterns can't say is shut for all of the place, or left as it is.
      if (shared?.length === 0 || (shared === undefined && !isRefusal(value))) continue
      if (except.length > 0) rules.push({ paths: except.slice(0, MOST_PATTERNS), ...asEver })
      rules.push({ ...pathsMember(shared ?? place.paths), ...value })
    }
    const isDone = own.some(({ paths, except }) => paths === null && except.length === 0)
    const isOver = later.some((list) => list.length > 0)
    if (!isLast && !isDone && isOver) rules.push({ ...pathsMember(place.paths), ...asEver })
  }
  return rules
}

const isRefusal = ({ action, candidates }: Rule) =>
  action === 'deny' || /^\["4\d\d"\]$/.test(JSON.stringify(candidates) ?? '')

const isSame = (a: readonly Entry[], b: readonly Entry[]) => JSON.stringify(a) === JSON.stringify(b)

export const pathsMember = (paths: readonly string[] | null): Rule =>
  paths === null || paths.length === 0 ? {} : { paths }
