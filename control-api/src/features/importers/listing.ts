// SPDX-License-Identifier: MIT
// Which folders are listed. The old servers say it place by place, and of two that hold the stronger counts; a node has the
// paths that are and the paths that are not, and what is in both is not. Where that says less, a folder is not listed rather
// than shown to people who were not to see it.
import type { Rule } from './draft.ts'
import type { Findings } from './findings.ts'
import { LISTING_FORM } from './sayings.ts'
import type { Directive } from './tree.ts'

export type ListingPlace = {
  /** null: patterns can't say them. */
  paths: readonly string[] | null
  isOn: boolean
  /** Of the place, for what is to be said of it. */
  directives: readonly Directive[]
}
export type Listed = {
  isOn: boolean
  /** The weaker before the stronger. */
  places: readonly ListingPlace[]
}

/** Of sites[].directoryListing. */
const MOST_PATHS = 64
const NOT_LISTED =
  'Not listed here: it lies below folders that are not. Say directoryListing.paths and .exceptPaths by hand.'
const TOO_MANY = `Folders are not listed: more than ${MOST_PATHS} paths would be left out. Say them by fewer patterns in directoryListing.exceptPaths.`
const UNSAYABLE =
  'Which folders are meant can’t be said by patterns of paths. Name them in directoryListing.paths.'
const SHOWN =
  'Its folders may be listed, since patterns can’t say which they are: name them in directoryListing.exceptPaths.'

/** `paths` and `exceptPaths`; null: nothing is listed. */
export function listingPaths({ isOn, places }: Listed, findings: Findings): Rule | null {
  const paths: string[] = []
  const except: string[] = []
  const all = isOn ? ['/**'] : paths
  for (const place of places) {
    const folders = foldersOf(place.paths ?? [])
    if (place.isOn) {
      sayListed(place, { folders, except, isAll: isOn }, findings)
      if (!isOn) paths.push(...folders)
    } else if (place.paths === null && all.length > 0) {
      findings.different(place.directives, 'listing-paths', SHOWN)
    } else except.push(...folders.filter((one) => all.some((other) => mayOverlap(one, other))))
  }
  if (all.length === 0) return null
  if (except.length > MOST_PATHS) {
    findings.unsupported(directivesOf(places), 'too-many', TOO_MANY)
    return null
  }
  return {
    ...(all.includes('/**') ? {} : { paths: unique(paths).slice(0, MOST_PATHS) }),
    ...(except.length > 0 && { exceptPaths: unique(except) }),
  }
}

type Where = { folders: readonly string[]; except: readonly string[]; isAll: boolean }

function sayListed(place: ListingPlace, { folders, except, isAll }: Where, findings: Findings) {
  const isHidden = folders.some((one) => except.some((other) => mayOverlap(one, other)))
  if (isHidden) findings.different(place.directives, 'listing-paths', NOT_LISTED)
  else if (folders.length > 0 || isAll)
    findings.different(place.directives, 'listing-form', LISTING_FORM)
  else findings.unsupported(place.directives, 'location', UNSAYABLE)
}

const directivesOf = (places: readonly ListingPlace[]) =>
  places.flatMap(({ directives }) => directives)
const unique = (paths: readonly string[]) => [...new Set(paths)]

/** A folder's path ends with "/", so that a file's name is never one. */
const foldersOf = (paths: readonly string[]) =>
  paths.map((path) => (path === '*' ? '/**' : path)).filter((path) => /^\/(.*[/*])?$/.test(path))

/** By what both certainly begin with. */
function mayOverlap(one: string, other: string): boolean {
  const [a, b] = [literal(one), literal(other)]
  return a.startsWith(b) || b.startsWith(a)
}
const literal = (pattern: string) => /^[^*?]*/.exec(pattern)?.[0] ?? ''
