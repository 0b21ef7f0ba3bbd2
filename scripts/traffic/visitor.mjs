// SPDX-License-Identifier: MIT
// What visitors of the sample gallery ask for. Few pictures get most of the looks (Zipf), browsers
// that come back revalidate, programs read heads and ranges, and somebody always asks for what is
// not there.
import { get } from 'node:http'

const BIG_FILE = '/downloads/five-gibibytes.bin'
const BIG_FILE_BYTES = 5 * 1024 ** 3
const RANGE_BYTES = 65_536
const ZIPF_EXPONENT = 1.1
const SHARE = { revalidate: 0.15, head: 0.02, range: 0.02, missing: 0.01 }

/**
 * @typedef {{ method: string, path: string, headers: Record<string, string> }} Visit
 * @typedef {{ next: (base: string) => Visit, remember: (base: string, path: string, etag: string | undefined) => void }} Visitor
 */

/** @param {string} url @returns {Promise<string | null>} */
function fetchText(url) {
  return new Promise((resolve) => {
    const outgoing = get(url, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(response.statusCode === 200 ? text : null))
    })
    outgoing.on('error', () => resolve(null))
  })
}

/**
 * Paths of the site from most to least popular, as its own feed lists them.
 * @param {string} base
 * @returns {Promise<string[] | null>}
 */
export async function loadCatalogue(base) {
  const text = await fetchText(`${base}/feed.json`)
  if (text === null) return null
  /** @type {{ id: string }[]} */
  const items = JSON.parse(text).items
  const slugs = items.map(({ id }) => id)
  const shared = ['/', '/css/site.css', '/favicon.svg', '/icons/summer.svg']
  const seasons = ['spring', 'summer', 'autumn', 'winter'].map((season) => `/${season}/`)
  const cards = slugs.map((slug) => `/images/card/${slug}.png`)
  const pages = slugs.flatMap((slug) => [`/images/full/${slug}.png`, `/pictures/${slug}.html`])
  const minis = slugs.map((slug) => `/images/mini/${slug}.png`)
  const rare = ['/feed.json', '/sitemap.xml', '/robots.txt', '/about.html', '/ready.txt']
  return [...shared, ...seasons, ...cards, ...pages, ...minis, ...rare]
}

/** @param {number} count @returns {number[]} running sums of 1/rank^s, the last is the whole */
function zipfSums(count) {
  let sum = 0
  return Array.from({ length: count }, (_, rank) => {
    sum += 1 / (rank + 1) ** ZIPF_EXPONENT
    return sum
  })
}

/** @param {string[]} catalogue @returns {Visitor} */
export function makeVisitor(catalogue) {
  const sums = zipfSums(catalogue.length)
  const whole = sums.at(-1) ?? 1
  /** @type {Map<string, string>} */
  const etags = new Map()
  const popular = () => {
    const point = Math.random() * whole
    return catalogue[sums.findIndex((sum) => sum >= point)] ?? '/'
  }

  /** @returns {Visit} */
  const range = () => {
    const first = Math.floor(Math.random() * (BIG_FILE_BYTES - RANGE_BYTES))
    const headers = { range: `bytes=${first}-${first + RANGE_BYTES - 1}` }
    return { method: 'GET', path: BIG_FILE, headers }
  }

  return {
    next(base) {
      const dice = Math.random()
      const path = popular()
      if (dice < SHARE.missing) return { method: 'GET', path: `${path}-gone`, headers: {} }
      if (dice < SHARE.missing + SHARE.range) return range()
      if (dice < SHARE.missing + SHARE.range + SHARE.head)
        return { method: 'HEAD', path, headers: {} }
      const etag = etags.get(base + path)
      const headers = etag && dice > 1 - SHARE.revalidate ? { 'if-none-match': etag } : {}
      return { method: 'GET', path, headers: /** @type {Record<string, string>} */ (headers) }
    },
    remember(base, path, etag) {
      if (etag) etags.set(base + path, etag)
    },
  }
}
