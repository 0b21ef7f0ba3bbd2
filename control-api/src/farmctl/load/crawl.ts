// SPDX-License-Identifier: MIT
// The URLs of a site as its pages name them, each with the bytes that it had: what comes under load is held against them.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { Failure } from '../failures.ts'
import type { ListedUrl } from './url-list.ts'

const BODY_MAX = 64 * 1024 * 1024
const FETCH_WITHIN_MS = 10_000
/** Attributes that name what a browser fetches or goes to; and what style sheets name. */
const HTML_LINK = /\s(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const CSS_LINK = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"')]+))\s*\)/gi

/** Of the same host and port, without fragments. */
export function linksOf(type: string, text: string, base: URL): URL[] {
  const pattern = type.includes('html') ? HTML_LINK : type.includes('css') ? CSS_LINK : null
  if (!pattern) return []
  const found = new Map<string, URL>()
  for (const [, double, single, bare] of text.matchAll(pattern)) {
    const link = (double ?? single ?? bare ?? '').replaceAll('&amp;', '&')
    if (link === '' || !URL.canParse(link, base.href)) continue
    const url = new URL(link, base)
    url.hash = ''
    if (url.origin === base.origin) found.set(url.href, url)
  }
  return [...found.values()]
}

export type CrawlOptions = {
  most: number
  stop: AbortSignal
  headers: Record<string, string>
  /** PEM. */
  ca?: string | undefined
  insecure: boolean
}
type Answer = { status: number; type: string; isPlain: boolean; body: Buffer }

/** Breadth first, one after the other, at most `most` of them. */
export async function crawl(start: URL, options: CrawlOptions): Promise<ListedUrl[]> {
  const waiting = [start]
  const known = new Set([start.href])
  const listed: ListedUrl[] = []
  for (let url = waiting.shift(); url && listed.length < options.most; url = waiting.shift()) {
    const { status, type, isPlain, body } = await look(url, options)
    if (status !== 200) continue
    const sha256 = createHash('sha256').update(body).digest('hex')
    listed.push({ url, more: { bytes: body.length, sha256 } })
    for (const link of isPlain ? linksOf(type, body.toString(), url) : []) {
      if (known.has(link.href)) continue
      known.add(link.href)
      waiting.push(link)
    }
  }
  if (listed.length > 0) return listed
  throw new Failure(`${start.href} did not answer with 200, so there is nothing to ask for.`)
}

/** The bytes as they are sent, which is what the load will see; fetch() would take a coding off them. */
async function look(url: URL, { stop, headers, ca, insecure }: CrawlOptions): Promise<Answer> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(FETCH_WITHIN_MS)])
  const get = url.protocol === 'https:' ? https.get : http.get
  const believed = { ...(ca ? { ca } : {}), rejectUnauthorized: !insecure }
  try {
    const request = get(url, { signal, headers, ...believed })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > BODY_MAX) throw new Failure(`${url.href} is larger than 64 MiB.`)
      chunks.push(chunk)
    }
    const { statusCode = 0, headers: fields } = response
    const isPlain = fields['content-encoding'] === undefined
    const type = fields['content-type'] ?? ''
    return { status: statusCode, type, isPlain, body: Buffer.concat(chunks) }
  } catch (error) {
    if (stop.aborted || error instanceof Failure) throw error
    throw new Failure(`${url.href}: ${error instanceof Error ? error.message : error}`)
  }
}
