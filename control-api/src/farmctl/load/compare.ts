// SPDX-License-Identifier: MIT
// What two servers say to the same request, held against each other.
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Answer, BODY_MAX } from './ask.ts'

export type AnswerDifference = { path: string; aspect: string; old: string; new: string }

/** Of the moment, of the connection, a server's own name, or told by the body and by the status. */
const NOT_COMPARED = new Set([
  ...['age', 'connection', 'date', 'keep-alive', 'server', 'transfer-encoding', 'via'],
  ...['x-cache', 'x-powered-by', 'x-request-id', 'x-served-by'],
  ...['accept-ranges', 'content-length', 'location'],
])
/** Each server makes its own value: only whether there is one counts. */
const OWN_VALUES = new Set(['etag', 'expires', 'set-cookie'])
/** They tell of the body, and a page that tells of an error or of a redirect is each server's own. */
const OF_THE_BODY = new Set([
  ...['cache-control', 'etag', 'expires', 'last-modified', 'vary'],
  ...['content-encoding', 'content-language', 'content-type'],
])

/** Case and blanks tell nothing, and neither does the order of a list. */
const plain = (value: string) =>
  value
    .toLowerCase()
    .split(/\s*[,;]\s*/)
    .sort()
    .join('; ')

/** A server names itself in it: what comes behind that counts. */
function locationOf({ headers }: Answer, asked: URL): string {
  const { location = '' } = headers
  if (!URL.canParse(location, asked.href)) return location
  const url = new URL(location, asked.href)
  return location !== '' && url.host === asked.host ? `${url.pathname}${url.search}` : location
}

const bodyText = ({ body }: Answer) =>
  `${body.length} bytes, sha256 ${createHash('sha256').update(body).digest('hex').slice(0, 12)}…`

/** `unanswered`: why there is no answer. */
export type Asked = { url: URL; answer: Answer } | { url: URL; unanswered: string }
type Answered = Extract<Asked, { answer: Answer }>

const didAnswer = (asked: Asked): asked is Answered => 'answer' in asked
const wordsOf = (asked: Asked) =>
  didAnswer(asked) ? String(asked.answer.status) : asked.unanswered

/** Of who takes gzip: whether they get it, and what is in it. Compressors differ, so their own bytes tell nothing. */
export function codingDifferences(path: string, before: Asked, after: Asked): AnswerDifference[] {
  if (!didAnswer(before) || !didAnswer(after)) return []
  const [old, now] = [before.answer, after.answer]
  if (old.status !== 200 || now.status !== 200) return []
  const codings = [old, now].map(({ headers }) => headers['content-encoding'] ?? 'none')
  const [was = '', is = ''] = codings
  if (was !== is) return [{ path, aspect: 'coding, of who takes gzip', old: was, new: is }]
  if (was !== 'gzip' || contentText(old) === contentText(now)) return []
  return [{ path, aspect: 'body in gzip', old: contentText(old), new: contentText(now) }]
}

function contentText(answer: Answer): string {
  try {
    return bodyText({ ...answer, body: gunzipSync(answer.body, { maxOutputLength: BODY_MAX }) })
  } catch {
    return 'no gzip'
  }
}

/** Where one of them does not answer, that is all there is to say. */
export function differencesOf(path: string, before: Asked, after: Asked): AnswerDifference[] {
  if (didAnswer(before) && didAnswer(after)) return betweenAnswers(path, before, after)
  return [{ path, aspect: 'answer', old: wordsOf(before), new: wordsOf(after) }]
}

/** A header that is lost may be one that protects visitors, so all count that a server does not make up for itself. */
function betweenAnswers(path: string, before: Answered, after: Answered): AnswerDifference[] {
  const [old, now] = [before.answer, after.answer]
  const found: AnswerDifference[] = []
  const hold = (aspect: string, was: string, is: string) => {
    if (was !== is) found.push({ path, aspect, old: was, new: is })
  }
  hold('status', String(old.status), String(now.status))
  hold('location', locationOf(old, before.url), locationOf(now, after.url))
  if (old.status !== now.status) return found
  for (const name of namesIn(old, now)) {
    const [was, is] = [headerOf(old, name), headerOf(now, name)]
    if (plain(was) !== plain(is)) hold(name, was, is)
  }
  if (old.status === 200 && !old.body.equals(now.body)) hold('body', bodyText(old), bodyText(now))
  return found
}

function namesIn(old: Answer, now: Answer): string[] {
  const names = new Set([...Object.keys(old.headers), ...Object.keys(now.headers)])
  // Expires is for who reads no max-age (RFC 9111, section 5.3).
  const isAgeTold = [old, now].every(({ headers }) =>
    headers['cache-control']?.includes('max-age='),
  )
  return [...names]
    .filter((name) => !NOT_COMPARED.has(name))
    .filter((name) => old.status === 200 || !OF_THE_BODY.has(name))
    .filter((name) => name !== 'expires' || !isAgeTold)
    .sort()
}

function headerOf({ headers }: Answer, name: string): string {
  const value = headers[name]
  if (value === undefined) return 'none'
  return OWN_VALUES.has(name) ? 'some' : String(value)
}
