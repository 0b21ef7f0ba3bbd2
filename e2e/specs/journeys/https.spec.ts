// SPDX-License-Identifier: MIT
// HTTPS as a browser sees it: of the console, with a certificate that the control plane keeps, and of a node.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { handshake } from '../../../control-api/test/console-tls/browser.ts'
import { controlPlaneEnv, serverWords } from '../../../scripts/farm/control-plane.ts'
import { ManagedProcess } from '../../../scripts/farm/managed-process.ts'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { ANY_STATE, bodyOf } from '../../client/api.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { makeCertificate } from '../../fixtures/certificates.ts'
import { Api, adminPassword, expect, type Farm, test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

const ADMIN = { username: 'admin', password: adminPassword }
const NAME = 'console'
const HOSTS = ['localhost']
const DAYS_OF_SHOP = 60
/** The control plane, started anew. */
const ANSWERS_WITHIN_MS = 30_000

/** Browsers that were not given the certificate ask first; here, they go on. */
test.use({ farmOptions: { nodes: 1 }, ignoreHTTPSErrors: true })

/** The farm's control plane once more, with what an operator adds to its settings. */
function withCertificate({ home, ports }: Farm): ManagedProcess {
  const [dataDir, consoleCopy] = [join(home, 'control'), join(home, 'console')]
  const spec = {
    name: 'control plane over HTTPS',
    command: process.execPath,
    args: serverWords,
    env: {
      ...controlPlaneEnv({ dataDir, consoleCopy, ports }),
      FARMSTEAD_TLS_CERTIFICATE: NAME,
    },
    logFile: join(home, 'logs/control-plane-https.log'),
    pidFile: join(home, 'run/control-plane-https.pid'),
  }
  return new ManagedProcess(spec, () => {})
}

test('one signs in to a console that speaks HTTPS, and stays live while its certificate is renewed', async ({
  page,
  context,
  freshFarm: farm,
}) => {
  const admin = new Api(farm.consoleUrl)
  await admin.setUp({ token: farm.setupToken ?? '', ...ADMIN })
  const body = { name: NAME, ...makeCertificate(HOSTS) }
  await admin.call.POST('/api/v1/certificates', { body })
  await farm.controlPlane.stop()
  const controlPlane = withCertificate(farm)
  const url = farm.consoleUrl.replace('http:', 'https:').replace('127.0.0.1', 'localhost')
  const streams: string[] = []
  // What a shared worker asks for no page tells.
  await context.addInitScript(() => Object.assign(window, { SharedWorker: undefined }))
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/events')) streams.push(request.url())
  })
  const live = page.getByRole('status', { name: 'Live updates' })
  try {
    controlPlane.start()
    const answers = () => handshake(farm.consoleUrl).catch(() => null)
    await expect.poll(answers, { timeout: ANSWERS_WITHIN_MS }).not.toBeNull()

    await test.step('who comes by http is led to https, and signs in there', async () => {
      await page.goto(url.replace('https:', 'http:'))
      await new SignInPage(page).signIn(ADMIN.username, ADMIN.password)
      await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
      expect(page.url()).toContain(url)
      const cookies = await context.cookies()
      expect(cookies.length).toBeGreaterThan(0)
      expect(cookies.filter(({ secure }) => !secure)).toEqual([])
      await expect(live).toHaveText('Live')
    })

    await test.step('the node is heard as before', async () => {
      const nodes = new FarmPage(page)
      await nodes.open()
      await expect(nodes.row('edge-1')).toBeVisible()
    })

    await test.step('a renewal reaches new connections, and the event stream goes on', async () => {
      const before = await handshake(farm.consoleUrl)
      const renewed = await context.request.post(`${url}/api/v1/certificates/${NAME}/versions`, {
        headers: { origin: url, 'if-match': '*' },
        data: makeCertificate(HOSTS),
      })
      expect(renewed.status()).toBe(201)
      process.kill(controlPlane.pid ?? 0, 'SIGHUP')
      await expect
        .poll(async () => (await handshake(farm.consoleUrl)).serial)
        .not.toBe(before.serial)
      const { items } = await (await context.request.get(`${url}/api/v1/nodes`)).json()
      await context.request.patch(`${url}/api/v1/nodes/${items[0].id}`, {
        headers: { origin: url, 'if-match': '*' },
        data: { labels: { heard: 'over-https' } },
      })
      await expect(page.getByText('over-https').first()).toBeVisible()
      await expect(live).toHaveText('Live')
      expect(streams).toHaveLength(1)
    })
  } finally {
    // It fetches the rest of the console while nobody waits for anything.
    await page.close()
    await controlPlane.stop()
  }
})

test('a page of a node comes with its style sheet and pictures over HTTPS and HTTP/2', async ({
  page,
  freshFarm: farm,
  provokes,
}) => {
  // The tests' sample site has a few of its pictures.
  provokes(/^404 \/images\//)
  const admin = new Api(farm.consoleUrl)
  await admin.setUp({ token: farm.setupToken ?? '', ...ADMIN })
  const edge = farm.node('edge-1')
  // The policy's folder of secrets, to which the kernel lets a node that started after it was made.
  const folder = join(farm.home, 'node-files')
  mkdirSync(folder)
  await edge.process.stop()
  edge.process.start()
  await expect(edge).toBeServing('/')
  const { chain, key } = makeCertificate(HOSTS)
  const [chainFile, keyFile] = [join(folder, 'chain.pem'), join(folder, 'key.pem')]
  writeFileSync(chainFile, chain)
  writeFileSync(keyFile, key) // where root runs the tests, it is another user's to read
  const port = await freePort()
  const address = '127.0.0.1'
  const listen = [
    { address, port: edge.port },
    { address, port, tls: true },
  ]
  await admin.call.POST('/api/v1/certificates', {
    body: { name: 'shop', ...makeCertificate(['shop.example'], DAYS_OF_SHOP) },
  })
  const root = farm.siteDir
  const sites = [
    { hosts: ['*'], root, certificates: [{ chainFile, keyFile }] },
    { hosts: ['shop.example'], root, certificates: [{ name: 'shop' }] },
  ]
  const { id } = await admin.node('edge-1')
  const params = { path: { id }, ...ANY_STATE }
  const body = { mergePatch: { listen, sites } }
  await bodyOf(admin.call.PUT('/api/v1/nodes/{id}/override', { params, body }))
  await admin.rollOut(await admin.saveVersion(configText(farm.siteDir)))
  const seen = () => handshake(`https://${address}:${port}`).catch(() => null)
  await expect.poll(seen, { timeout: ANSWERS_WITHIN_MS }).toMatchObject({ alpn: 'h2' })

  const broken: string[] = []
  page.on('requestfailed', (request) => broken.push(request.url()))
  const answer = await page.goto(`https://localhost:${port}/`, { waitUntil: 'networkidle' })
  expect(answer?.status()).toBe(200)
  expect(await answer?.securityDetails()).toMatchObject({ protocol: 'TLS 1.3' })
  const entries = await page.evaluate(() =>
    ['navigation', 'resource'].flatMap((type) =>
      (performance.getEntriesByType(type) as PerformanceResourceTiming[]).map(
        ({ name, initiatorType, nextHopProtocol }) => ({ name, initiatorType, nextHopProtocol }),
      ),
    ),
  )
  expect(entries.filter(({ nextHopProtocol }) => nextHopProtocol !== 'h2')).toEqual([])
  const kinds = entries.map(({ initiatorType }) => initiatorType)
  expect(kinds).toEqual(expect.arrayContaining(['navigation', 'link', 'img']))
  const painted = await page.evaluate(() => ({
    rules: [...document.styleSheets].reduce((sum, sheet) => sum + sheet.cssRules.length, 0),
    pictures: [...document.images].filter((image) => image.naturalWidth > 0).length,
  }))
  expect(painted.rules).toBeGreaterThan(0)
  expect(painted.pictures).toBeGreaterThan(0)
  expect(broken).toEqual([])

  await test.step('its own page in the console says which certificates it shows', async () => {
    await page.goto(`${farm.consoleUrl}/nodes/${id}`)
    await new SignInPage(page).signIn(ADMIN.username, ADMIN.password)
    const rows = page
      .getByRole('region', { name: 'Certificates it serves', exact: true })
      .getByRole('row')
    await expect(rows.filter({ hasText: 'a file on the node' })).toContainText('Good')
    const named = rows.filter({ has: page.getByRole('link', { name: 'shop' }) })
    await expect(named).toContainText('Good')
    expect(await wrongWithLooks(page)).toEqual([])
  })
})
