// SPDX-License-Identifier: MIT
// Makes the pictures of docs/measurements.md, the console over a real farm in which something is wrong on purpose, and those
// of README.md, in which nothing is ("well"), and of docs/guide.md ("guide"). By hand, after web-ui is built, on a machine that does nothing else:
// `npm run pictures -w e2e`, some seven minutes; names of cases as arguments make only those.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
const ASK_AGAIN_MS = 5_000
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
  if (isAsked('guide')) await guide()
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
    await isSaid({ name, advice }, admin, id)
    await page.goto(`/nodes/${id}`)
    await page.getByRole('article', { name: advice }).waitFor()
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

/** Of the control plane, whatever the page has drawn so far. */
async function isSaid({ name, advice }: Pick<Case, 'name' | 'advice'>, admin: Api, id: string) {
  const until = Date.now() + ADVISED_WITHIN_MS
  for (;;) {
    const { data } = await admin.call.GET('/api/v1/nodes/{id}/advice', { params: { path: { id } } })
    if (data?.advice.some(({ title }) => title === advice)) return
    if (Date.now() > until) {
      throw new Error(`${name}: "${advice}" was not said. The rules: ${JSON.stringify(data)}`)
    }
    await sleep(ASK_AGAIN_MS)
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
      await page.getByText('All is well', { exact: true }).waitFor()
      // Of a farm that is not new any more.
      await page.getByRole('button', { name: 'Put away' }).click()
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

/** What docs/guide.md tells: an edit, its plan, a rollout that goes wrong, and the way back. */
async function guide(): Promise<void> {
  await onFarm({ nodes: 3, viewport: SCREEN }, async ({ farm, admin, page }) => {
    const header: [string, string] = ['Cache-Control', 'max-age=600']
    const good = configText(farm.siteDir, { header })
    await admin.writeDraft(good)
    await page.goto('/configs/default')
    const answers = page.getByRole('region', { name: 'What requests would get' })
    await answers.getByRole('combobox', { name: 'On node' }).click()
    await page.getByRole('option', { name: 'edge-1' }).click()
    await answers.getByRole('textbox', { name: 'A URL of your own' }).fill('http://any.example/')
    await answers.getByRole('button', { name: 'Add' }).click()
    await answers.getByText('1 of 1 URL would get another answer').waitFor()
    await picture(page, answers, 'guide-edit.webp')

    const version = await admin.saveVersion(good, 'Keep pages for ten minutes')
    await page.goto(`/rollouts/new?config=default&version=${version}`)
    await page.getByRole('button', { name: /^Roll out to 3 nodes|^Start/ }).waitFor()
    await picture(page, page.locator('html'), 'guide-plan.webp', SCREEN.height)

    await untilEnded(admin, (await admin.rollOut(version)).id)
    const wrong = configText(farm.siteDir, { root: '/srv/www/not-on-this-machine' })
    const bad = await admin.saveVersion(wrong, 'A root that no node has')
    const { id } = await admin.rollOut(bad)
    await page.goto(`/rollouts/${id}`)
    await page.getByRole('button', { name: 'Revert' }).waitFor()
    await page.getByText('Paused').first().waitFor()
    await picture(page, page.locator('html'), 'guide-wrong.webp', SCREEN.height)
    await page.getByRole('button', { name: 'Revert' }).click()
    await page.getByRole('button', { name: 'Give back to every node what it had before' }).click()
    await untilEnded(admin, id)
    await page.getByRole('link', { name: 'Nodes', exact: true }).click()
    await page.getByRole('heading', { name: 'Nodes', level: 1 }).waitFor()
    await page.waitForTimeout(DRAWN_MS)
    await picture(page, page.locator('html'), 'guide-back.webp', SCREEN.height)
  })
}

async function untilEnded(admin: Api, id: string): Promise<void> {
  const until = Date.now() + ADVISED_WITHIN_MS
  const hasEnded = async () => {
    const { endedAt, state } = await admin.rollout(id)
    return endedAt !== null || state === 'revert_incomplete'
  }
  while (!(await hasEnded())) {
    if (Date.now() > until) throw new Error(`the rollout ${id} did not end`)
    await sleep(500)
  }
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
