// SPDX-License-Identifier: MIT
// Which requests differ, in what, and what of two whole answers is another. Pure.
import { KINDS, type Kind } from './kinds.ts'
import type { Answer, AnswerPair, Difference, Report } from './report-file.ts'

export type DifferingRequest = { path: string; differences: Difference[]; kinds: Kind[] }

/** By what farmctl calls it: a header of any other name is one of the other headers. */
const kindOfAspect = new Map<string, Kind>([
  ['answer', 'answer'],
  ['status', 'status'],
  ['location', 'location'],
  ['content-type', 'type'],
  ['cache-control', 'caching'],
  ['last-modified', 'caching'],
  ['etag', 'caching'],
  ['expires', 'caching'],
  ['vary', 'caching'],
  ['content-encoding', 'encoding'],
  ['coding, of who takes gzip', 'encoding'],
  ['body', 'bytes'],
  ['body in gzip', 'bytes'],
])

export function requestsOf({ differences }: Pick<Report, 'differences'>): DifferingRequest[] {
  const byPath = Map.groupBy(differences, ({ path }) => path)
  return [...byPath].map(([path, own]) => {
    const found = new Set(own.map(({ aspect }) => kindOfAspect.get(aspect) ?? 'other'))
    return { path, differences: own, kinds: KINDS.filter((kind) => found.has(kind)) }
  })
}

/** How many requests have each; those that none has are not there. */
export function countsOf(requests: readonly DifferingRequest[]): Map<Kind, number> {
  const counts = new Map<Kind, number>()
  for (const kind of KINDS) {
    const count = requests.filter(({ kinds }) => kinds.includes(kind)).length
    if (count > 0) counts.set(kind, count)
  }
  return counts
}

/** `words`: each of them is in the path, or in what differs. */
export function requestsWith(
  requests: readonly DifferingRequest[],
  kind: Kind | undefined,
  words: string,
): DifferingRequest[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return requests.filter(({ path, differences, kinds }) => {
    if (kind !== undefined && !kinds.includes(kind)) return false
    if (wanted.length === 0) return true
    const said = differences.map((one) => `${one.aspect}\n${one.old}\n${one.new}`)
    const text = [path, ...said].join('\n').toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}

/** own: not compared, since servers differ there always, or since it follows from what differs. */
export type Verdict = 'differs' | 'same' | 'own'
/** null: there is none. */
export type SideBySide = { name: string; old: string | null; new: string | null; verdict: Verdict }

const ORDER: readonly Verdict[] = ['differs', 'same', 'own']

/** As farmctl judged them. Those first that differ, of which a phone would else show none. */
export function headersSideBySide(
  { old, new: now, gzip }: AnswerPair,
  differences: readonly Difference[],
): SideBySide[] {
  const [before, after] = [headersOf(old), headersOf(now)]
  const isNamed = new Set(differences.map(({ aspect }) => aspect))
  const bodyDiffers = bodyVerdict({ old, new: now, gzip }, differences) === 'differs'
  const doesDiffer = (name: string) => {
    if (name === 'content-length') return bodyDiffers
    if (name === 'content-encoding' && gzip) return isNamed.has('coding, of who takes gzip')
    return isNamed.has(name)
  }
  const headers = [...new Set([...before.keys(), ...after.keys()])].map((name) => {
    const [was = null, is = null] = [before.get(name), after.get(name)]
    const otherwise = doesDiffer(name) ? 'differs' : 'own'
    return { name, old: was, new: is, verdict: was === is ? 'same' : otherwise } as const
  })
  return headers.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))
}

const isNamed = (differences: readonly Difference[], aspect: string) =>
  differences.some((one) => one.aspect === aspect)

function headersOf(answer: Answer): Map<string, string> {
  const values = new Map<string, string>()
  if ('unanswered' in answer) return values
  for (const [name, value] of answer.headers) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return values
}

/** Compressors and pages of errors are each server's own. */
export function bodyVerdict(
  { old, new: now, gzip }: Pick<AnswerPair, 'old' | 'new' | 'gzip'>,
  differences: readonly Difference[],
): Verdict {
  if (!('sha256' in old && 'sha256' in now)) return 'differs'
  if (old.sha256 === now.sha256) return 'same'
  return isNamed(differences, gzip ? 'body in gzip' : 'body') ? 'differs' : 'own'
}
