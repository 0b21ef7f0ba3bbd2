// SPDX-License-Identifier: MIT
// The URLs of a site as its pages name them, each with the bytes that it had: what comes under load is held against them.
import { createHash } from 'node:crypto'
import { Failure } from '../failures.ts'
import { type AskOptions, ask } from './ask.ts'
import { PATH_MAX } from './plan.ts'
import { pathOf } from './targets.ts'
import type { ListedUrl } from './url-list.ts'

/** Attributes that name what a browser fetches or goes to; and what style sheets name. */
const HTML_LINK = /\s(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const CSS_LINK = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"'()]+))\s*\)/gi

/** So many links are tried for each URL that is wanted: many may lead nowhere, without end. */
const TRIED_FOR_EACH = 20

/** Of the same host and port, without fragments, and without names and passwords. */
export function linksOf(type: string, text: string, base: URL): URL[] {
  const pattern = type.includes('html') ? HTML_LINK : type.includes('css') ? CSS_LINK : null
  if (!pattern) return []
  const found = new Map<string, URL>()
  for (const [, double, single, bare] of text.matchAll(pattern)) {
    const link = (double ?? single ?? bare ?? '').replaceAll('&amp;', '&')
    if (link === '' || !URL.canParse(link, base.href)) continue
    const url = new URL(link, base)
    url.hash = url.username = url.password = ''
    if (url.origin === base.origin && pathOf(url).length <= PATH_MAX) found.set(url.href, url)
  }
  return [...found.values()]
}

export type CrawlOptions = AskOptions & { most: number }

/** Breadth first, one after the other, at most `most` of them. */
export async function crawl(start: URL, options: CrawlOptions): Promise<ListedUrl[]> {
  const waiting = [start]
  const known = new Set([start.href])
  const listed: ListedUrl[] = []
  for (let url = waiting.shift(); url && listed.length < options.most; url = waiting.shift()) {
    const { status, headers, body } = await ask(url, options)
    if (status !== 200) continue
    const isPlain = headers['content-encoding'] === undefined
    const type = headers['content-type'] ?? ''
    const sha256 = createHash('sha256').update(body).digest('hex')
    listed.push({ url, more: { bytes: body.length, sha256 } })
    for (const link of isPlain ? linksOf(type, body.toString(), url) : []) {
      if (known.has(link.href) || known.size >= TRIED_FOR_EACH * options.most) continue
      known.add(link.href)
      waiting.push(link)
    }
  }
  if (listed.length > 0) return listed
  throw new Failure(`${start.href} did not answer with 200, so there is nothing to ask for.`)
}
