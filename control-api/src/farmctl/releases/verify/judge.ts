// SPDX-License-Identifier: MIT
// What is odd about the answers for one path: against the manifest, and among those who answered. Pure.
import type { FileEntry } from '../../../release-store/entries.ts'
import type { Served } from './ask.ts'

export type Answered = { place: string; answer: Served | { fault: string } }
export type Odd = { path: string; place: string; what: string; expected: string; found: string }

/** What visitors and caches go by. Those that differ by their nature (Date, Age) say nothing. */
const COMPARED = [
  ...['content-type', 'content-encoding', 'cache-control', 'etag'],
  ...['content-security-policy', 'strict-transport-security', 'x-content-type-options', 'vary'],
]

export function oddOf(path: string, file: FileEntry, answers: readonly Answered[]): Odd[] {
  const good: { place: string; answer: Served }[] = []
  const odd: Odd[] = []
  for (const { place, answer } of answers) {
    const wrong = wrongOf(file, answer)
    if (wrong !== null) odd.push({ path, place, ...wrong })
    else if ('status' in answer) good.push({ place, answer })
  }
  return [...odd, ...COMPARED.flatMap((header) => unlikeOf(path, header, good))]
}

type Wrong = Pick<Odd, 'what' | 'expected' | 'found'>

function wrongOf(file: FileEntry, answer: Answered['answer']): Wrong | null {
  if ('fault' in answer) return { what: 'answer', expected: 'one', found: answer.fault }
  const { status, sha256, size, headers } = answer
  if (status !== 200) {
    const to = headers.location === undefined ? '' : ` to ${headers.location}`
    return { what: 'status', expected: '200', found: `${status}${to}` }
  }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    const found = headers['content-encoding']
    return { what: 'content-encoding', expected: 'none was asked for', found }
  }
  if (size !== file.size) {
    return { what: 'size', expected: `${file.size} bytes`, found: `${size} bytes` }
  }
  if (sha256 !== file.sha256) return { what: 'bytes', expected: file.sha256, found: sha256 }
  const said = reprDigestOf(headers['repr-digest'])
  if (said !== null && said !== file.sha256) {
    return { what: 'repr-digest', expected: file.sha256, found: said }
  }
  return null
}

/** RFC 9530; null: it says none of SHA-256. */
function reprDigestOf(header: string | string[] | undefined): string | null {
  const [, base64] = /(?:^|[, ])sha-256=:([A-Za-z0-9+/=]+):/.exec(String(header ?? '')) ?? []
  return base64 === undefined ? null : Buffer.from(base64, 'base64').toString('hex')
}

/** What most say is taken for right: the others are odd. */
function unlikeOf(path: string, what: string, good: readonly { place: string; answer: Served }[]) {
  const values = good.map(({ place, answer }) => ({
    place,
    value: String(answer.headers[what] ?? ''),
  }))
  const counts = new Map<string, number>()
  for (const { value } of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  if (counts.size < 2) return []
  const [usual = ''] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? []
  return values
    .filter(({ value }) => value !== usual)
    .map(({ place, value }) => ({
      ...{ path, place, what },
      ...{ expected: usual || 'none', found: value || 'none' },
    }))
}
