// SPDX-License-Identifier: MIT
// What a page costs, and how old what it shows ever gets while the farm changes. Looks from outside (requests) and
// from inside (what the page says), and holds no page to a clock.
import type { Browser, CDPSession, Page, Request } from '@playwright/test'
import { PASSWORD, type ScaleFarm } from './farm.ts'
import type { Screen } from './screens.ts'
import { BEAT, stir } from './stirring.ts'

export type Seen = {
  name: string
  usableMs: number
  elements: number
  requests: number
  apiKilobytes: number
  heapMegabytes: number
  /** The longest time between a change and when it was shown; null: the page shows no change. */
  oldestShownMs: number | null
  /** The same of answers: since when the newest was asked for that was asked for again; null: none was. */
  oldestAnswerMs: number | null
  liveRequests: number
  aborted: number
  /** Of the page's thread, while nothing but events came. */
  busyShare: number
  /** The longest time in which a click would not have been answered. */
  longestTaskMs: number
}

const USABLE_WITHIN_MS = 120_000
const SETTLE_MS = 1000
/** What was fetched before the first change is old by right. */
const FIRST_MS = 3000
const LOOK_EVERY_MS = 50

export async function watch(
  browser: Browser,
  farm: ScaleFarm,
  screen: Screen,
  seconds: number,
): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const signedIn = await context.request.post(`${farm.url}/api/v1/session`, {
      data: { username: 'admin', password: PASSWORD },
      headers: { origin: farm.url },
    })
    if (!signedIn.ok()) throw new Error(`no sign-in: ${await signedIn.text()}`)
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Performance.enable')
    const traffic = new Traffic(page, devtools)
    const opened = await open(page, farm, screen)
    const cost = { ...(await weigh(page, devtools)), ...traffic.first() }
    const live = await whileChanging({ page, devtools, traffic, farm, screen, seconds })
    return { name: screen.name, usableMs: opened, ...cost, ...live }
  } finally {
    await context.close()
  }
}

async function open(page: Page, farm: ScaleFarm, screen: Screen): Promise<number> {
  const from = performance.now()
  await page.goto(`${farm.url}/${screen.path}`, { waitUntil: 'commit' })
  await screen.usable(page).waitFor({ timeout: USABLE_WITHIN_MS })
  // Shown is not yet usable while the page's thread is busy.
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)))
  return performance.now() - from
}

async function weigh(page: Page, devtools: CDPSession) {
  await page.waitForTimeout(SETTLE_MS)
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  await devtools.send('HeapProfiler.collectGarbage')
  const heap = (await metrics(devtools)).JSHeapUsedSize ?? 0
  return { elements, heapMegabytes: heap / 1e6 }
}

async function metrics(devtools: CDPSession): Promise<Record<string, number>> {
  const said = await devtools.send('Performance.getMetrics')
  return Object.fromEntries(said.metrics.map(({ name, value }) => [name, value]))
}

type Watched = {
  page: Page
  devtools: CDPSession
  traffic: Traffic
  farm: ScaleFarm
  screen: Screen
  seconds: number
}

async function whileChanging({ page, devtools, traffic, farm, screen, seconds }: Watched) {
  const stop = new AbortController()
  const busyBefore = (await metrics(devtools)).TaskDuration ?? 0
  traffic.begin()
  const stirring = stir(farm, screen.stirs, stop.signal)
  const fromMs = performance.now()
  const shown = await page.evaluate(oldestShown, {
    ...{ beat: `${BEAT}=`, seconds, firstMs: FIRST_MS, lookEveryMs: LOOK_EVERY_MS },
  })
  const tookMs = performance.now() - fromMs
  const busy = ((await metrics(devtools)).TaskDuration ?? 0) - busyBefore
  const answers = traffic.end()
  stop.abort()
  await stirring
  return {
    oldestShownMs: shown.oldestMs,
    longestTaskMs: shown.longestTaskMs,
    busyShare: (busy * 1000) / tookMs,
    ...answers,
  }
}

type Look = { beat: string; seconds: number; firstMs: number; lookEveryMs: number }

/** In the page. */
async function oldestShown({ beat, seconds, firstMs, lookEveryMs }: Look) {
  let oldestMs: number | null = null
  let longestTaskMs = 0
  const tasks = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration)
  })
  tasks.observe({ type: 'longtask' })
  const from = Date.now()
  while (Date.now() < from + seconds * 1000) {
    await new Promise((done) => setTimeout(done, lookEveryMs))
    if (Date.now() < from + firstMs) continue
    const text = document.getElementById('root')?.innerText ?? ''
    const at = text.indexOf(beat)
    if (at < 0) continue
    const shown = Number(/^\d+/.exec(text.slice(at + beat.length))?.[0])
    oldestMs = Math.max(oldestMs ?? 0, Date.now() - shown)
  }
  tasks.disconnect()
  return { oldestMs, longestTaskMs }
}

/** The API's requests of a page. */
class Traffic {
  #requests = 0
  #bytes = 0
  #aborted = 0
  /** By what was asked for: when the asking began, and its answer came. */
  #answers = new Map<string, { asked: number; came: number }[]>()
  readonly #asked = new Map<Request, number>()

  constructor(page: Page, devtools: CDPSession) {
    const ofApi = new Set<string>()
    devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (isApi(request.url)) ofApi.add(requestId)
    })
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (ofApi.delete(requestId)) this.#bytes += encodedDataLength
    })
    page.on('request', (request) => {
      if (!isApi(request.url())) return
      this.#requests += 1
      this.#asked.set(request, performance.now())
    })
    page.on('requestfinished', (request) => {
      const asked = this.#asked.get(request)
      if (asked === undefined) return
      const key = whatOf(request.url())
      const before = this.#answers.get(key) ?? []
      this.#answers.set(key, [...before, { asked, came: performance.now() }])
    })
    page.on('requestfailed', (request) => {
      if (this.#asked.has(request)) this.#aborted += 1
    })
  }

  first() {
    return { requests: this.#requests, apiKilobytes: this.#bytes / 1e3 }
  }

  begin(): void {
    this.#requests = 0
    this.#aborted = 0
    for (const [key, answers] of this.#answers) this.#answers.set(key, answers.slice(-1))
  }

  end() {
    const now = performance.now()
    const ages = [...this.#answers.values()]
      .filter((answers) => answers.length > 1)
      .map((answers) => oldest(answers, now))
    return {
      liveRequests: this.#requests,
      aborted: this.#aborted,
      oldestAnswerMs: ages.length === 0 ? null : Math.max(...ages),
    }
  }
}

const isApi = (url: string) => url.includes('/api/v1/') && !url.includes('/events')

/** Two that differ in the time they ask for are the same. */
function whatOf(text: string): string {
  const url = new URL(text)
  for (const name of ['from', 'to']) url.searchParams.delete(name)
  return url.pathname + url.search
}

/** Between two answers the first is shown: how old it is when the second comes. The first change waits for nobody. */
function oldest(answers: readonly { asked: number; came: number }[], now: number): number {
  const sorted = answers.toSorted((a, b) => a.asked - b.asked)
  const ages = sorted.slice(1).map((answer, i) => {
    const next = sorted[i + 2]
    return (next?.came ?? now) - answer.asked
  })
  return Math.max(0, ...ages)
}
