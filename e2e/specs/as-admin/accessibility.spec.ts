// SPDX-License-Identifier: MIT
// Each screen, in light and dark, against the WCAG rules that a program can check; and on a phone.
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { phone, violations, wrongWithLooks } from '../../fixtures/axe.ts'
import { makeCertificate } from '../../fixtures/certificates.ts'
import { type Api, adminPassword, bodyOf, expect, asAdmin as test } from '../../fixtures/index.ts'
import { pushRelease } from '../../fixtures/releases.ts'
import { configText } from '../../fixtures/sample.ts'
import { visit } from '../../fixtures/visitors.ts'
import { ConfigForm } from '../../pages/config-form.ts'

const corpus = new URL('../../../server-c/config-corpus/good/', import.meta.url)
/** Every option there is, some of them wrong: also a name that is none and wider than a phone. */
const everythingAndWrong = readFileSync(new URL('all-options.jsonc', corpus), 'utf8')
  .replace('"connections": 100', '"connections": 0')
  .replace('"^/old/(.*)$"', '"^/old/(.*"')
  .replace('"status": 308', '"status": 304')
  .replace('"root": "/"', `"root": "relative", "${'unknown'.repeat(12)}": [1, 2]`)
/** Those, and a certificate and a release that the farm has not. */
const PROBLEMS = 7
/** Through the first site's fields and lists: of each kind of field some. */
const TABS = 90

/** What has the focus when all of it is beneath something else, as the list of problems; else ''. */
function focusHidden(): string {
  const focused = document.activeElement
  if (focused === null) return 'nothing'
  const { left, top, bottom } = focused.getBoundingClientRect()
  const isSeen = [top + 3, bottom - 3].some((y) => {
    const shown = document.elementFromPoint(left + 8, y)
    return shown !== null && (focused.contains(shown) || shown.contains(focused))
  })
  return isSeen ? '' : focused.outerHTML.slice(0, 120)
}

/** Of an authority that nobody reaches, so that there is an order that waits. */
const ORDERED = 'ordered'
const AUTHORITY = 'looked-at'
const DNS_WEBHOOK = 'looked-at'
const RELEASE = 'looked-at'

/** As long as any assertion. */
const DRAWN_WITHIN_MS = 15_000

type Screen = { name: string; path: string }
/** The console's own, where TanStack Router leaves it. */
type Router = {
  navigate: (to: { href: string }) => Promise<void>
  state: { status: string; location: { href: string }; resolvedLocation?: { href: string } }
}

function first<Item>({ items: [item] }: { items: Item[] }): Item {
  if (item === undefined) throw new Error('there is none to look at')
  return item
}

/** Every screen with something on it; ids differ in each farm, so they are looked up. */
async function screens({ call }: Api): Promise<Screen[]> {
  const node = first(await bodyOf(call.GET('/api/v1/nodes')))
  const rollout = first(await bodyOf(call.GET('/api/v1/rollouts')))
  const entry = first(await bodyOf(call.GET('/api/v1/audit')))
  const webhook = first(await bodyOf(call.GET('/api/v1/webhooks')))
  const rule = first(await bodyOf(call.GET('/api/v1/alert-rules')))
  const certificate = first(await bodyOf(call.GET('/api/v1/certificates')))
  return [
    { name: 'overview', path: '/' },
    { name: 'docs', path: '/docs' },
    { name: 'a page of the docs', path: '/docs/rollouts' },
    { name: 'sites', path: '/sites' },
    { name: 'site', path: '/sites/default/*' },
    { name: 'search of requests', path: '/sites/requests?path=%2Findex' },
    { name: 'nodes', path: '/nodes' },
    { name: 'node', path: `/nodes/${node.id}` },
    { name: 'groups', path: '/groups' },
    { name: 'enrolment', path: '/enrolment' },
    { name: 'enrolment of a known node', path: `/enrolment?node=${node.id}` },
    { name: 'certificates', path: '/certificates' },
    { name: 'certificates that are kept', path: '/certificates?show=kept' },
    { name: 'certificate', path: `/certificates/${certificate.name}` },
    { name: 'certificate that is being ordered', path: `/certificates/${ORDERED}` },
    { name: 'how a certificate is ordered', path: `/certificates/${ORDERED}/edit` },
    { name: 'order of a certificate', path: '/order-certificate' },
    { name: 'configs', path: '/configs' },
    { name: 'editor', path: '/configs/default' },
    { name: 'form', path: '/configs/default?view=form' },
    { name: 'versions', path: '/configs/default/versions' },
    { name: 'version', path: '/configs/default/versions/1' },
    { name: 'compare', path: '/configs/default/compare?from=1&to=2' },
    { name: 'import', path: '/import' },
    { name: 'releases', path: '/releases' },
    { name: 'release', path: `/releases/${RELEASE}` },
    { name: 'files of a release', path: `/releases/${RELEASE}/versions/1` },
    { name: 'changes of a release', path: `/releases/${RELEASE}/versions/1?show=changes` },
    { name: 'new rollout', path: '/rollouts/new' },
    { name: 'plan', path: '/rollouts/new?config=default&version=1' },
    { name: 'rollouts', path: '/rollouts' },
    { name: 'rollout', path: `/rollouts/${rollout.id}` },
    { name: 'audit', path: '/audit' },
    { name: 'audit entry', path: `/audit/${entry.id}` },
    { name: 'settings', path: '/settings' },
    { name: 'security', path: '/settings/security' },
    { name: 'users', path: '/settings/users' },
    { name: 'tokens', path: '/settings/tokens' },
    { name: 'rollout rules', path: '/settings/rollout-rules' },
    { name: 'neighbours', path: '/settings/neighbours' },
    { name: 'measurements', path: '/measurements' },
    { name: 'comparison', path: '/measurements/compare?b=version:default/1' },
    { name: 'top nodes', path: '/measurements/top?by=rate:requests' },
    { name: 'alerts', path: '/alerts' },
    { name: 'alert rules', path: '/settings/alert-rules' },
    { name: 'new alert rule', path: '/settings/alert-rules/new' },
    { name: 'alert rule', path: `/settings/alert-rules/${rule.id}` },
    { name: 'webhooks', path: '/settings/webhooks' },
    { name: 'webhook', path: `/settings/webhooks/${webhook.id}` },
    { name: 'certificate authorities', path: '/settings/certificate-authorities' },
    { name: 'certificate authority', path: `/settings/certificate-authorities/${AUTHORITY}` },
    { name: 'DNS webhooks', path: '/settings/dns-webhooks' },
    { name: 'DNS webhook', path: `/settings/dns-webhooks/${DNS_WEBHOOK}` },
    { name: 'single sign-on', path: '/settings/single-sign-on' },
    { name: 'backups', path: '/settings/backups' },
  ]
}

/** As a link does: what has been loaded stays, the console and axe (docs/decisions/0167). */
async function follow(path: string): Promise<void> {
  const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: Router }
  await router.navigate({ href: path })
}

/** What was asked for is what is drawn, not the screen before it. */
function isDrawn(): boolean {
  const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: Router }
  const { status, location, resolvedLocation } = router.state
  return status === 'idle' && resolvedLocation?.href === location.href
}

/** The screen shows its data: nothing is loading any more. */
async function open(page: Page, { path }: Screen): Promise<void> {
  await page.evaluate(follow, path)
  await page.waitForFunction(isDrawn, null, { timeout: DRAWN_WITHIN_MS })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

test.beforeEach(async ({ page, farm, api }) => {
  await page.goto('/')
  const { items: groups } = await bodyOf(api.call.GET('/api/v1/groups'))
  if (groups.some(({ name }) => name === 'looked-at')) return
  const text = configText(farm.siteDir, { header: ['X-Farm', 'looked at'] })
  await api.rollOut(await api.saveVersion(text, 'Something to look at'))
  const group = { name: 'looked-at', selector: 'looked-at=yes', description: 'Nobody' }
  await api.call.POST('/api/v1/groups', { body: group })
  const token = { name: 'looked at', permissions: ['nodes:read' as const], expiresInDays: 1 }
  await api.call.POST('/api/v1/tokens', { body: { ...token, password: adminPassword } })
  const webhook = { url: 'http://looked-at.invalid/', events: ['group'] }
  await api.call.POST('/api/v1/webhooks', { body: webhook })
  const certificate = { name: 'looked-at', ...makeCertificate(['looked-at.invalid']) }
  await api.call.POST('/api/v1/certificates', { body: certificate })
  const authority = { name: AUTHORITY, directoryUrl: 'https://looked-at.invalid/directory' }
  await api.call.POST('/api/v1/certificate-authorities', {
    body: { ...authority, termsOfServiceAgreed: true },
  })
  const dnsWebhook = { name: DNS_WEBHOOK, url: 'https://looked-at.invalid/dns' }
  await api.call.POST('/api/v1/dns-webhooks', { body: dnsWebhook })
  const ordered = { name: ORDERED, names: ['looked-at.invalid', 'www.looked-at.invalid'] }
  await api.call.POST('/api/v1/managed-certificates', {
    body: { ...ordered, authorities: [{ name: AUTHORITY }] },
  })
  await pushRelease(api, RELEASE, { 'index.html': '<h1>Looked at</h1>', 'img/lamp.svg': '<svg/>' })
  await visit(farm.node('edge-1').url, 20)
})

/** Each looks at some of the screens: all of them in one test take minutes where the machine is slow. */
const PARTS = 4
for (let part = 0; part < PARTS; part++) {
  test(`every screen keeps the accessibility rules, light and dark, and fits a phone: ${part + 1} of ${PARTS}`, async ({
    page,
    api,
  }) => {
    const some = (await screens(api)).filter((_, i) => i % PARTS === part)
    for (const screen of some) {
      await test.step(screen.name, async () => {
        await open(page, screen)
        expect.soft(await wrongWithLooks(page), screen.name).toEqual([])
      })
    }
  })
}

test('the form keeps the rules with everything open, with errors, and on a phone', async ({
  page,
  api,
}) => {
  const form = new ConfigForm(page)
  const before = await api.draft()
  await api.writeDraft(everythingAndWrong)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto('/configs/default?view=form')
    await expect(page.getByText(`${PROBLEMS} problems, by farmstead-node`)).toBeVisible()
    await form.openEverything()
    expect.soft(await violations(page), colorScheme).toEqual([])
  }
  await page.setViewportSize(phone)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect.soft(width).toBeLessThanOrEqual(phone.width)
  await page.getByRole('combobox', { name: 'Find an option' }).focus()
  for (let tab = 0; tab < TABS; tab++) {
    await page.keyboard.press('Tab')
    expect.soft(await page.evaluate(focusHidden), `after ${tab + 1} tabs`).toBe('')
  }
  await api.writeDraft(before)
})

test('the sign-in screen keeps the accessibility rules', async ({ browser, farm }) => {
  const nobody = { cookies: [], origins: [] }
  const context = await browser.newContext({ baseURL: farm.consoleUrl, storageState: nobody })
  const page = await context.newPage()
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await context.close()
})
