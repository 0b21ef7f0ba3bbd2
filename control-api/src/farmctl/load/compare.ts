// SPDX-License-Identifier: MIT
// What two servers say to the same request, held against each other.
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Answer, BODY_MAX } from './ask.ts'

export type AnswerDifference = { path: string; aspect: string; old: string; new: string }

/** Fields whose values should be the same; of a tag only whether there is one. */
const FIELDS = [
  'content-type',
  'content-encoding',
  'cache-control',
  'last-modified',
  'vary',
] as const

/** Case and blanks tell nothing, and neither does the order of a list. */
const plain = (value: string | undefined) =>
  (value ?? '')
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

/** Bodies only of 200: pages of errors are each server's own. */
function betweenAnswers(path: string, before: Answered, after: Answered): AnswerDifference[] {
  const [old, now] = [before.answer, after.answer]
  const aspects: [aspect: string, old: string, now: string, isSame?: boolean][] = [
    ['status', String(old.status), String(now.status)],
    ['location', locationOf(old, before.url), locationOf(now, after.url)],
    ...(old.status === 200 && now.status === 200
      ? [
          ...FIELDS.map((name): [string, string, string, boolean] => [
            name,
            old.headers[name] ?? 'none',
            now.headers[name] ?? 'none',
            plain(old.headers[name]) === plain(now.headers[name]),
          ]),
          ['etag', old.headers.etag ? 'some' : 'none', now.headers.etag ? 'some' : 'none'] as [
            string,
            string,
            string,
          ],
          ['body', bodyText(old), bodyText(now), old.body.equals(now.body)] as [
            string,
            string,
            string,
            boolean,
          ],
        ]
      : []),
  ]
  return aspects
    .filter(([, was, is, isSame = was === is]) => !isSame)
    .map(([aspect, was, is]) => ({ path, aspect, old: was, new: is }))
}
