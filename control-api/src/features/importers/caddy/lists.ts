// SPDX-License-Identifier: MIT
// From places to the node's lists, of which the first rule that fits counts.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { MOST_PATTERNS } from '../regex.ts'
import { below, both, mayMeet } from './patterns.ts'
import { isOddMatch, type Place, type Step } from './places.ts'

export const UNSAYABLE =
  'Its matcher asks for more than patterns of paths can. Write the rule by hand, with the paths that are meant.'

export const SHUT_BLOCK =
  'These paths are more than patterns of a node can say within their block. Until you write the rule by hand the draft shuts all of the block.'

/** null: all; undefined: no pattern can say it. */
export function pathsOf(step: Step): string[] | null | undefined {
  const { match, within } = step
  if (isOddStep(step)) return undefined
  return both(within.paths, match.paths && below(within.prefix, match.paths))
}

const isOddStep = ({ match, within }: Step) =>
  within.isOdd || isOddMatch({ ...match, clients: null, files: null })

/** Of a refusal: where no pattern stands for its paths within its block, all of the block. */
export function refusedPathsOf(step: Step): string[] | null | undefined {
  const paths = pathsOf(step)
  return paths === undefined && !isOddStep(step) ? step.within.paths : paths
}

/** For lists: what other places have stands above. */
const ownExceptOf = ({ match, within }: Step): string[] => below(within.prefix, match.except)

export const exceptOf = ({ match, within }: Step): string[] => [
  ...within.before,
  ...below(within.prefix, match.except),
]

export const directivesOf = ({ directive, match }: Step) => [directive, ...match.directives]

export function sayUnsayable(step: Step, findings: Findings, code = 'matcher'): void {
  findings.unsupported([...directivesOf(step), ...(step.directive.block ?? [])], code, UNSAYABLE)
}

export type Entry = {
  paths: string[] | null
  except: string[]
  value: Rule
  /** Says so where no pattern stands for these paths of a place. */
  sayUnsayable?: () => void
}
/** `text`: what is said where it can't stand. */
export const entryOf = (
  step: Step,
  findings: Findings,
  { text = UNSAYABLE, ...rest }: Pick<Entry, 'paths' | 'value'> & { text?: string },
): Entry => ({
  ...rest,
  except: ownExceptOf(step),
  sayUnsayable: () => findings.unsupported(directivesOf(step), 'matcher', text),
})
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
    for (const { paths, except, value, sayUnsayable } of own) {
      const shared = both(place.paths, paths)
      if (shared === undefined) sayUnsayable?.()
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
