// SPDX-License-Identifier: MIT
// A list of URLs as a file: one a line, with what is known of it behind it.
//   https://localhost:8443/style.css weight=5 bytes=1234 sha256=… method=HEAD
import { Failure } from '../failures.ts'
import type { LoadUrl } from './plan.ts'
import { readUrl } from './targets.ts'

export type ListedUrl = { url: URL; more: Partial<LoadUrl> }

type Take = (more: Partial<LoadUrl>, value: string) => boolean

const TAKES: Record<string, Take> = {
  weight: (more, value) => {
    more.weight = Number(value)
    return more.weight > 0 && more.weight <= 1e9
  },
  bytes: (more, value) => {
    more.bytes = Number(value)
    return /^\d{1,15}$/.test(value)
  },
  sha256: (more, value) => {
    more.sha256 = value.toLowerCase()
    return /^[0-9a-f]{64}$/i.test(value)
  },
  method: (more, value) => {
    if (value === 'HEAD') more.head = true
    return value === 'HEAD' || value === 'GET'
  },
}

/** `file`: what messages call it. */
export function readUrlList(text: string, file: string): ListedUrl[] {
  const listed = text.split('\n').flatMap((line, at) => {
    const words = line.trim().split(/\s+/)
    if (words[0] === '' || words[0]?.startsWith('#')) return []
    return [readLine(words, `${file}:${at + 1}`)]
  })
  if (listed.length === 0) throw new Failure(`${file} has no URL.`)
  return listed
}

function readLine([url = '', ...words]: string[], place: string): ListedUrl {
  const more: Partial<LoadUrl> = {}
  for (const word of words) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? []
    if (TAKES[name]?.(more, value)) continue
    const known = Object.keys(TAKES).join('=, ')
    throw new Failure(`${place}: "${word}" is none of ${known}= with a value that fits.`)
  }
  try {
    return { url: readUrl(url), more }
  } catch (error) {
    throw error instanceof Failure ? new Failure(`${place}: ${error.message}`) : error
  }
}

/** The same again, for a next run. */
export const urlListText = (listed: readonly ListedUrl[]): string =>
  listed
    .map(({ url, more: { weight, bytes, sha256, head } }) =>
      [
        url.href,
        ...(weight === undefined ? [] : [`weight=${weight}`]),
        ...(bytes === undefined ? [] : [`bytes=${bytes}`]),
        ...(sha256 === undefined ? [] : [`sha256=${sha256}`]),
        ...(head ? ['method=HEAD'] : []),
      ].join(' '),
    )
    .map((line) => `${line}\n`)
    .join('')
