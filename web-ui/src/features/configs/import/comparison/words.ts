// SPDX-License-Identifier: MIT
// What farmctl says of a difference, in the reader's language. Names of headers stay, and so do their values.
import { t } from '../../../../languages/t.ts'
import type { Kind } from './kinds.ts'

export const kindWords: Record<Kind, string> = {
  answer: t('No response'),
  status: t('Status'),
  location: t('Location'),
  type: t('Type'),
  caching: t('Caching'),
  encoding: t('Encoding'),
  bytes: t('Bytes'),
  other: t('Other headers'),
}

const aspectWords = new Map([
  ['answer', t('Response')],
  ['status', t('Status')],
  ['body', t('Body')],
  ['body in gzip', t('Body, decompressed')],
  ['coding, of who takes gzip', t('Encoding when asked for gzip')],
])

/** A header's name is code. */
export const aspectWord = (aspect: string): { word: string; isCode: boolean } => {
  const word = aspectWords.get(aspect)
  return word === undefined ? { word: aspect, isCode: true } : { word, isCode: false }
}

const BODY = /^(\d{1,15}) bytes, sha256 ([0-9a-f]{8})[0-9a-f]*…$/

export function valueWord(value: string): { word: string; isCode: boolean } {
  const [, bytes, digest = ''] = BODY.exec(value) ?? []
  if (bytes !== undefined) return { word: bodyWord(Number(bytes), digest), isCode: false }
  if (value === 'none' || value === '') return { word: t('absent'), isCode: false }
  if (value === 'some') return { word: t('present'), isCode: false }
  if (value === 'no gzip') return { word: t('no gzip'), isCode: false }
  return { word: value, isCode: true }
}

const bodyWord = (bytes: number, digest: string) =>
  t('{bytes, plural, one {# byte} other {# bytes}}, {digest}', { bytes, digest })
