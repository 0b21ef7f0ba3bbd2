// SPDX-License-Identifier: MIT
// `npm run traffic`: a bounded, realistic stream of requests to the sample farm, so that its charts
// live. Files by popularity (Zipf), pages with what they show, revalidations, HEADs, ranges and a few
// misses; ends by itself.
//   --rate N        requests per second, all nodes together (60)
//   --duration S    seconds (600)
//   --targets URLS  base URLs, separated by commas (the three local nodes)
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Problem } from './setup/problem.mjs'
import { runMain } from './setup/run-main.mjs'
import { localNodeUrls, parseNumber } from './traffic/options.mjs'
import { loadCatalogue, makeVisitor } from './traffic/visitor.mjs'

const REPORT_EVERY_MS = 5000
const TICK_MS = 50
const ANSWER_WITHIN_MS = 10_000
/** More than this under way means the nodes do not keep up: the stream waits, it does not pile up. */
const MOST_UNDER_WAY = 200

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/**
 * One request; its body is read and dropped.
 * @param {string} base
 * @param {import('./traffic/visitor.mjs').Visit} visit
 * @param {import('./traffic/visitor.mjs').Visitor} visitor
 * @returns {Promise<{ status: number, bytes: number, millis: number }>} status 0: no answer
 */
function send(base, visit, visitor) {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const { method, path, headers } = visit
    const outgoing = request(base + path, { agent, method, headers, timeout: ANSWER_WITHIN_MS })
    let bytes = 0
    const end = (/** @type {number} */ status) =>
      resolve({ status, bytes, millis: performance.now() - startedAt })
    outgoing.on('response', (response) => {
      visitor.remember(base, path, response.headers.etag)
      response.on('data', (chunk) => {
        bytes += chunk.length
      })
      response.on('end', () => end(response.statusCode ?? 0))
      response.on('error', () => end(0))
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => end(0))
    outgoing.end()
  })
}

class Tally {
  sent = 0
  bytes = 0
  /** @type {Map<string, number>} */
  classes = new Map()
  /** @type {number[]} */
  millis = []

  /** @param {{ status: number, bytes: number, millis: number }} answer */
  add({ status, bytes, millis }) {
    this.sent++
    this.bytes += bytes
    const name =
      status === 0 ? 'no answer' : status === 304 ? '304' : `${Math.floor(status / 100)}xx`
    this.classes.set(name, (this.classes.get(name) ?? 0) + 1)
    if (status !== 0) this.millis.push(millis)
  }

  /** @param {number} perSecondOf milliseconds the tally covers */
  line(perSecondOf) {
    const sorted = this.millis.sort((a, b) => a - b)
    const at = (/** @type {number} */ q) => (sorted[Math.floor(sorted.length * q)] ?? 0).toFixed(1)
    const parts = [...this.classes].sort().map(([name, count]) => `${name} ${count}`)
    const rate = ((this.sent * 1000) / perSecondOf).toFixed(0)
    const megabytes = (this.bytes / 1e6).toFixed(1)
    return `${rate} requests/s, ${megabytes} MB, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${parts.join(', ')}`
  }
}

/**
 * Sends at a steady rate until the time is over or a signal says stop.
 * @param {{ targets: string[], rate: number, durationMs: number, visitor: import('./traffic/visitor.mjs').Visitor }} stream
 */
async function stream({ targets, rate, durationMs, visitor }) {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const all = new Tally()
  let recent = new Tally()
  let reportedAt = startedAt
  let started = 0
  let underWay = 0
  let isStopped = false
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      isStopped = true
    })
  }

  const sendOne = async () => {
    started++
    if (underWay >= MOST_UNDER_WAY) return
    underWay++
    const base = targets[Math.floor(Math.random() * targets.length)] ?? ''
    const answer = await send(base, visitor.next(base), visitor)
    underWay--
    all.add(answer)
    recent.add(answer)
  }
  const report = () => {
    console.log(recent.line(performance.now() - reportedAt))
    recent = new Tally()
    reportedAt = performance.now()
  }

  while (!isStopped && elapsed() < durationMs) {
    const due = Math.floor((elapsed() / 1000) * rate) - started
    for (let i = 0; i < due; i++) sendOne()
    if (performance.now() - reportedAt >= REPORT_EVERY_MS) report()
    await sleep(TICK_MS)
  }
  agent.destroy()
  console.log(`In all: ${all.sent} requests, ${all.line(elapsed())}`)
}

runMain(async () => {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '60' },
      duration: { type: 'string', default: '600' },
      targets: { type: 'string', default: localNodeUrls(process.env).join(',') },
    },
  })
  const rate = parseNumber(values.rate ?? '', '--rate', { least: 1, most: 5000 })
  const seconds = parseNumber(values.duration ?? '', '--duration', { least: 1, most: 86_400 })
  const targets = (values.targets ?? '').split(',').map((url) => url.trim().replace(/\/$/, ''))
  const catalogue = await loadCatalogue(targets[0] ?? '')
  if (!catalogue) {
    throw new Problem(
      `${targets[0]} does not serve the sample site: start the farm first ("npm start"), and set FARMSTEAD_NODE_PORTS here as it is set there.`,
    )
  }
  console.log(`${rate} requests/s for ${seconds} s to ${targets.join(', ')} (Ctrl-C ends it)`)
  await stream({ targets, rate, durationMs: seconds * 1000, visitor: makeVisitor(catalogue) })
  return 0
})
