// SPDX-License-Identifier: MIT
// Makes the pictures of docs/measurements.md, the console over a real farm in which something is wrong on purpose, and those
// of README.md, in which nothing is ("well"). By hand, after web-ui is built, on a machine that does nothing else:
// `npm run pictures -w e2e`, some seven minutes; names of cases as arguments make only those.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Locator, type Page } from '@playwright/test'
import type { Farm } from '../../scripts/farm/farm.ts'
import { preloadEnv } from '../../server-c/test/support/preload.mjs'
import { launchOptions } from '../chromium.ts'
import { Api } from '../client/api.ts'
import { startFarm } from '../fixtures/farm.ts'
import { adminPassword } from '../fixtures/people.ts'
import { configText } from '../fixtures/sample.ts'
import { type Load, quickly, slowly } from './visitors.ts'

const FOLDER = new URL('../../docs/images/', import.meta.url).pathname
const MOST_BYTES = 60_000
/** Of WebP; it is tried with less until the picture is small enough. */
const QUALITIES = [80, 60, 40, 20]
/** At most so high: of a long table the beginning is enough. */
const MOST_PX = 520
const VIEWPORT = { width: 1100, height: 900 }
/** Of a whole page, as far as a screen shows it. */
const SCREEN = { width: 1280, height: 860 }
/** A chart of a quarter of an hour has something to show. */
const WELL_MS = 150_000
const DRAWN_MS = 2_000
/** Advice needs three whole steps of ten seconds. */
const ADVISED_WITHIN_MS = 150_000
/** Two minutes are drawn: half of them are enough to see. */
const SCATTER_MS = 60_000

type Case = {
  name: string
  config: object
  load: Load
  advice: string
  /** Panels of the node's page of which there is to be a picture. */
  panels: string[]
}

const cases: Case[] = [
  {
    name: 'slow-disk',
    config: { io: { readThreads: 4 }, fileCache: { maxBytes: 0 } },
    load: quickly({ clients: 24, paths: [...names('slow-read', 40), '/'] }),
    advice: 'Reads wait: the disk is slow',
    panels: ['Advice', 'Single requests'],
  },
  {
    name: 'small-cache',
    config: { statCache: { maxEntries: 16, ttlMillis: 3_600_000 }, io: { statThreads: 16 } },
    load: quickly({ clients: 24, paths: [...names('slow-open', 300), '/'] }),
    advice: 'The stat cache is too small',
    panels: ['Single requests'],
  },
  {
    name: 'slow-clients',
    config: { samples: { slowerThanMillis: 300 } },
    load: slowly({ streams: 20, path: '/film.bin' }),
    advice: 'Clients take what they asked for slowly',
    panels: ['Advice', 'Slow requests'],
  },
]

/** What server-c/test/support/bad_disk.c makes slow by its name: 100 ms for each. */
function names(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `/${kind}-${i}.html`)
}

function writeSite(folder: string): void {
  for (const name of [...names('slow-read', 40), ...names('slow-open', 300)]) {
    writeFileSync(join(folder, name), 'x'.repeat(8192))
  }
  writeFileSync(join(folder, 'film.bin'), Buffer.alloc(300_000, 'x'))
}

const asked = process.argv.slice(2)
const browser = await chromium.launch(launchOptions)
try {
  mkdirSync(FOLDER, { recursive: true })
  const isAsked = (name: string) => asked.length === 0 || asked.includes(name)
  for (const one of cases) if (isAsked(one.name)) await onItsOwn(one)
  if (isAsked('well')) await well()
} finally {
  await browser.close()
}

/** On a farm of its own: what was measured before would be in the quarter of an hour that advice is from. */
async function onItsOwn(one: Case): Promise<void> {
  Object.assign(process.env, preloadEnv('bad_disk'))
  await onFarm({ nodes: 1, viewport: VIEWPORT }, async (stage) => {
    delete process.env.LD_PRELOAD
    writeSite(stage.farm.siteDir)
    await take(one, stage)
  })
}

type Asked = { nodes: number; viewport: { width: number; height: number } }

async function onFarm({ nodes, viewport }: Asked, work: (stage: Stage) => Promise<void>) {
  const { farm, end } = await startFarm({ nodes })
  try {
    const admin = new Api(farm.consoleUrl)
    const token = farm.setupToken ?? ''
    await admin.setUp({ token, username: 'admin', password: adminPassword })
    const { storageState } = admin
    const context = await browser.newContext({ baseURL: farm.consoleUrl, storageState })
    const page = await context.newPage()
    await page.setViewportSize(viewport)
    await work({ farm, admin, page })
    await context.close()
  } finally {
    await end()
  }
}

type Stage = { farm: Farm; admin: Api; page: Page }

async function take({ name, config, load, advice, panels }: Case, { farm, admin, page }: Stage) {
  const header: [string, string] = ['X-Case', name]
  const text = JSON.parse(configText(farm.siteDir, { header }).replace(/\/\/.*/, ''))
  await admin.rollOut(await admin.saveVersion(JSON.stringify({ ...text, ...config }), name))
  const [node] = farm.nodes
  if (!node) throw new Error('the farm has no node')
  const isRolledOut = async () => (await fetch(node.url)).headers.get(header[0]) === name
  while (!(await isRolledOut())) await page.waitForTimeout(200)
  const stop = load(node.url)
  try {
    const { id } = await admin.node(node.name)
    await page.goto(`/nodes/${id}`)
    const until = Date.now() + ADVISED_WITHIN_MS
    while ((await page.getByRole('article', { name: advice }).count()) === 0) {
      if (Date.now() > until) throw new Error(`${name}: "${advice}" was not said`)
      await page.waitForTimeout(5_000)
      await page.reload()
    }
    for (const title of panels) {
      const panel = page.getByRole('region', { name: title, exact: true })
      if (title === 'Single requests') {
        await panel.getByRole('button', { name: 'Look live' }).click()
        await page.waitForTimeout(SCATTER_MS)
      }
      if (title === 'Slow requests') {
        await panel.getByRole('button', { name: 'Took' }).click()
        await panel.getByRole('row').nth(5).waitFor()
      }
      if (title === 'Advice') await panel.getByText('How this was worked out').first().click()
      await picture(page, panel, `${name}-${title.toLowerCase().replace(' ', '-')}.webp`)
    }
  } finally {
    stop()
  }
}

/** Three nodes that serve a site to some visitors: the first page, and one of them. */
async function well(): Promise<void> {
  const load = quickly({ clients: 2, paths: [...Array(49).fill('/'), '/missing.html'] })
  await onFarm({ nodes: 3, viewport: SCREEN }, async ({ farm, admin, page }) => {
    const stops = farm.nodes.map(({ url }) => load(url))
    try {
      await page.waitForTimeout(WELL_MS)
      await page.goto('/?range=15m')
      await page.getByText('All is well').waitFor()
      await page.waitForTimeout(DRAWN_MS)
      await picture(page, page.locator('html'), 'farm.webp', SCREEN.height)
      const { id } = await admin.node('edge-1')
      await page.goto(`/nodes/${id}`)
      await page.getByRole('heading', { name: 'edge-1', level: 1 }).waitFor()
      await page.waitForTimeout(DRAWN_MS)
      await picture(page, page.locator('html'), 'node.webp', SCREEN.height)
    } finally {
      for (const stop of stops) stop()
    }
  })
}

async function picture(page: Page, panel: Locator, file: string, mostPx = MOST_PX): Promise<void> {
  await panel.scrollIntoViewIfNeeded()
  const box = await panel.boundingBox()
  if (!box) throw new Error(`${file}: nothing is shown`)
  const session = await page.context().newCDPSession(page)
  const scrolled = await page.evaluate(() => window.scrollY)
  const height = Math.min(box.height, mostPx)
  const clip = { ...box, y: box.y + scrolled, height, scale: 1 }
  for (const quality of QUALITIES) {
    const options = { format: 'webp', quality, clip, captureBeyondViewport: true } as const
    const { data } = await session.send('Page.captureScreenshot', options)
    const bytes = Buffer.from(data, 'base64')
    if (bytes.length > MOST_BYTES) continue
    writeFileSync(join(FOLDER, file), bytes)
    process.stdout.write(`${file}: ${bytes.length} bytes\n`)
    return
  }
  throw new Error(`${file} is more than ${MOST_BYTES} bytes`)
}
