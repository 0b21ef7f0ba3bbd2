// SPDX-License-Identifier: MIT
// What an operator sees most, beside the pictures in e2e/appearance: a button that lost its colour, a card that is wider than
// its page, a word that changed. All of one farm, for a farm takes as long as ten pictures. How a picture is accepted, and why it
// is the same on another machine, is in e2e/README.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, make } from '../../../control-api/test/certificates/make.ts'
import { hasTaken } from '../../fixtures/axe.ts'
import { failing, withoutNodes } from '../../fixtures/changed-answers.ts'
import {
  Api,
  adminPassword,
  test as base,
  bodyOf,
  expect,
  type Farm,
} from '../../fixtures/index.ts'
import { addMeasured } from '../../fixtures/measured-day.ts'
import { configText } from '../../fixtures/sample.ts'
import { SteadyConsole } from '../../fixtures/steady.ts'

/** Higher than most screens, so that most pages are seen whole. */
const SIZES = [
  { width: 1440, height: 1100 },
  { width: 390, height: 1600 },
]
const SCHEMES = ['light', 'dark'] as const
/** A rollout to three nodes, and a rule that is looked at every fifteen seconds. */
const WITHIN = { timeout: 60_000 }
/** What charts of an hour show, and what it is compared with. */
const MEASURED_SECONDS = 2.5 * 3600
const PICTURES = join(import.meta.dirname, '../../appearance')
const MASKED = '#8f8c85'
const NOBODY = { cookies: [], origins: [] }

const NGINX = `http {
  gzip on;
  server {
    listen 80;
    server_name shop.example www.shop.example;
    root /srv/shop;
    location / { try_files $uri $uri/ =404; }
    location /old/ { return 301 /new/; }
  }
  server {
    listen 80;
    server_name api.example;
    location / { proxy_pass http://127.0.0.1:3000; }
  }
}
`

/** With measurements of the time before it began, which are the same with every run. */
async function measuredFarm(farm: Farm, console: SteadyConsole): Promise<Api> {
  const api = new Api(farm.consoleUrl)
  const token = farm.setupToken ?? ''
  await api.setUp({ token, username: 'admin', password: adminPassword })
  for (const [i, { name }] of farm.nodes.entries()) {
    await api.label(name, { zone: i === 0 ? 'eu' : 'us' })
  }
  const ids = (await api.nodes()).sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id)
  await farm.controlPlane.stop()
  addMeasured(join(farm.home, 'control'), ids, {
    ...{ untilSeconds: console.beganMs / 1000, lastsSeconds: MEASURED_SECONDS },
    ...{ everySeconds: 10, resolutionSeconds: 10 },
  })
  farm.controlPlane.start()
  await expect.poll(() => api.isUp(), WITHIN).toBe(true)
  const areConnected = async () => (await api.nodes()).every(({ connected }) => connected)
  await expect.poll(areConnected, WITHIN).toBe(true)
  return api
}

async function addEndingCertificate(api: Api): Promise<void> {
  const life = { fromMs: Date.now() - 80 * DAY_MS, toMs: Date.now() + 5 * DAY_MS }
  const { pem: chain, key } = await make({ names: ['shop.example'], ...life })
  await bodyOf(api.call.POST('/api/v1/certificates', { body: { name: 'shop', chain, key } }))
}

const test = base.extend<{ steady: SteadyConsole }>({
  steady: async ({ browser, freshFarm }, use) => {
    const console = new SteadyConsole(browser, freshFarm)
    await use(console)
    await console.close()
  },
})

/** Where every picture differs, each is written. */
test.setTimeout(900_000)

test('pages look as they did, on a screen and on a phone, light and dark', async ({
  browser,
  freshFarm: farm,
  steady: console,
  provokes,
}) => {
  provokes(/^500 \/api\/v1\/nodes/)
  const api = await measuredFarm(farm, console)
  const page = await console.open({ storageState: api.storageState })
  await page.goto('/')

  const compared = new Set<string>()
  const madeWith = JSON.parse(readFileSync(join(PICTURES, 'made-with.json'), 'utf8'))
  const isOther = madeWith.chromium.split('.')[0] !== browser.version().split('.')[0]
  const otherBrowser = isOther
    ? `, by Chromium ${browser.version()}; the pictures are of ${madeWith.chromium}, and may be due anew: e2e/README.md`
    : ''
  /** As it stands. */
  const looksAsBefore = async (state: string, { on = page, sizes = SIZES } = {}) => {
    for (const size of sizes) {
      await on.setViewportSize(size)
      await on.mouse.move(size.width - 1, size.height - 1)
      for (const colorScheme of SCHEMES) {
        await on.emulateMedia({ colorScheme })
        await on.waitForFunction(hasTaken, colorScheme)
        await console.settled(on)
        // Ids are of one run alone, and numbers of the audit count what nodes did when.
        const mask = [on.getByText(/^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/), on.getByText(/^Entry \d+$/)]
        const name = `${state}-${size.width}-${colorScheme}.png`
        compared.add(name)
        await expect
          .soft(on, state + otherBrowser)
          .toHaveScreenshot(name, { mask, maskColor: MASKED })
      }
    }
  }
  const show = async (state: string, path: string, sizes = SIZES) => {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await looksAsBefore(state, { sizes })
  }
  const ended = async (id: string) =>
    await expect.poll(async () => (await api.rollout(id)).endedAt, WITHIN).not.toBeNull()
  const text = (maxAge: number) =>
    configText(farm.siteDir, { header: ['Cache-Control', `max-age=${maxAge}`] })

  await test.step('before anything is done', async () => {
    const stranger = await console.open({ storageState: NOBODY })
    await stranger.goto('/')
    await expect(stranger.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await looksAsBefore('sign-in', { on: stranger })
    await stranger.close()
  })

  await test.step('a version, its plan, and its rollout', async () => {
    const version = await api.saveVersion(text(600), 'Keep pages for ten minutes')
    await page.goto(`/rollouts/new?config=default&version=${version}`)
    // The careful one has waves by what was measured lately.
    await page.getByText('Custom', { exact: true }).click()
    await looksAsBefore('plan')
    const { id } = await api.rollOut(version)
    await ended(id)
    await show('rollout-done', `/rollouts/${id}`)
  })

  await test.step('a farm that is well', async () => {
    await show('overview', '/')
    await show('nodes', '/nodes')
    await show('node', `/nodes/${(await api.node('edge-1')).id}`)
    await show('sites', '/sites')
    await show('site', '/sites/default/*')
    await show('measurements', '/measurements')
    await show('settings', '/settings')
    await show('versions', '/configs/default/versions')
    await show('compare', '/configs/default/compare?from=1&to=2')
  })

  await test.step('a draft, as text and as a form', async () => {
    await api.writeDraft(text(900).replace('"root": "', '"root": "relative'))
    await show('editor', '/configs/default')
    await show('form', '/configs/default?view=form')
    await show('form-and-text', '/configs/default?view=both', SIZES.slice(0, 1))
  })

  await test.step('what was imported', async () => {
    await page.goto('/import')
    await page.getByRole('button', { name: 'Paste a file' }).click()
    await page.getByRole('textbox', { name: 'Text' }).fill(NGINX)
    await page.getByRole('button', { name: 'Add the file' }).click()
    await page.getByRole('button', { name: 'Import' }).click()
    await expect(page.getByText(/farmstead-node accepts the draft/)).toBeVisible()
    await looksAsBefore('imported')
  })

  await test.step('no nodes, a part that failed, and all of it', async () => {
    await withoutNodes(page)
    await show('overview-no-nodes', '/')
    await page.unrouteAll()
    await failing(page, '**/api/v1/nodes/cells*')
    // On a phone it is further down than the picture.
    await show('overview-partial', '/', SIZES.slice(0, 1))
    await failing(page, '**/api/v1/nodes?*')
    await page.goto('/nodes')
    await expect(page.getByRole('button', { name: 'Try again' }).first()).toBeVisible()
    await looksAsBefore('nodes-failed')
    await page.unrouteAll()
    await page.goto('/')
  })

  // Rules are looked at every fifteen seconds: meanwhile there is something else to look at.
  await addEndingCertificate(api)

  await test.step('who may not', async () => {
    const credentials = { username: 'viewer', password: adminPassword }
    const viewer = await api.addUser(credentials, { roles: ['viewer'], scope: null })
    const theirs = await console.open({ storageState: viewer.storageState })
    await theirs.goto('/settings/users')
    await expect(theirs.getByText(/users:read/).first()).toBeVisible()
    await looksAsBefore('forbidden', { on: theirs })
    await theirs.close()
  })

  await test.step('a rollout under way, and one that was stopped', async () => {
    const good = await api.saveVersion(text(900), 'Keep pages for a quarter of an hour')
    const waves = [{ nodes: 1 }, { percent: 100 }]
    const running = await api.rollOut(good, {
      strategy: { waves, minHealthySeconds: 1, soakSeconds: 600 },
    })
    const evidence = async () => (await api.rollout(running.id)).evidence
    await expect.poll(evidence, WITHIN).not.toBeNull()
    await show('rollout-running', `/rollouts/${running.id}`)
    await show('rollouts', '/rollouts')
    await api.freezeAll()
    const nowhere = configText(farm.siteDir, { root: '/srv/www/not-on-this-machine' })
    const bad = await api.saveVersion(nowhere, 'A root that no node has')
    const paused = await api.rollOut(bad)
    const state = async () => (await api.rollout(paused.id)).state
    await expect.poll(state, WITHIN).toBe('paused')
    await show('rollout-paused', `/rollouts/${paused.id}`)
  })

  await test.step('an alert', async () => {
    const firing = async () =>
      (await bodyOf(api.call.GET('/api/v1/alerts', { params: { query: { state: 'firing' } } })))
        .items.length
    await expect.poll(firing, WITHIN).toBeGreaterThan(0)
    await show('alerts', '/alerts')
    await show('overview-needs-you', '/')
  })

  const pictures = readdirSync(PICTURES).filter((name) => name.endsWith('.png'))
  expect(pictures.sort(), 'pictures that nothing is compared with are to be deleted').toEqual(
    [...compared].sort(),
  )
})
