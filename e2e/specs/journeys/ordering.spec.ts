// SPDX-License-Identifier: MIT
// A certificate is ordered on the screen, proven by the nodes, served by them, and renewed by itself.
import { handshake } from '../../../control-api/test/console-tls/browser.ts'
import { freePorts } from '../../../scripts/testing/free-port.mjs'
import { ANY_STATE, bodyOf } from '../../client/api.ts'
import { violations } from '../../fixtures/axe.ts'
import { Api, adminPassword, expect, test } from '../../fixtures/index.ts'
import { startPebble } from '../../fixtures/pebble.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

const ADMIN = { username: 'admin', password: adminPassword }
const HOSTS = ['shop.example', 'www.shop.example']
/** An order has five steps, each a few requests; a rollout reaches a node in seconds. */
const ISSUED_WITHIN_MS = 60_000

test.use({
  farmOptions: {
    nodes: 2,
    // The authority is on this machine.
    env: () => ({ FARMSTEAD_WEBHOOK_ALLOW: '127.0.0.0/8' }),
  },
})

test('a certificate is ordered with the keyboard and the mouse, served, and renewed', async ({
  page,
  freshFarm: farm,
}) => {
  const admin = new Api(farm.consoleUrl)
  await admin.setUp({ token: farm.setupToken ?? '', ...ADMIN })
  const edge = farm.node('edge-1')
  const pebble = await startPebble(edge.port)
  try {
    await page.goto(farm.consoleUrl)
    await new SignInPage(page).signIn(ADMIN.username, ADMIN.password)
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()

    await test.step('without an authority the form leads to the settings', async () => {
      await page.getByRole('link', { name: 'Certificates' }).click()
      await page.getByRole('link', { name: 'Order a certificate' }).click()
      await page.getByRole('link', { name: 'Add a certificate authority' }).click()
    })

    await test.step('an authority is added, and tested', async () => {
      await page.getByLabel('Authority', { exact: true }).selectOption('Another')
      await page.getByLabel('Name').fill('pebble')
      await page.getByLabel('Address of its directory').fill(pebble.directoryUrl)
      await page.getByRole('textbox', { name: /^Trusted roots/ }).fill(pebble.roots)
      await page.getByRole('checkbox', { name: /I agree/ }).check()
      await page.getByRole('button', { name: 'Add the authority' }).click()
      await expect(page.getByRole('heading', { name: 'pebble', level: 1 })).toBeVisible()
      await page.getByRole('button', { name: 'Test' }).click()
      await expect(page.getByText('It answers')).toBeVisible()
      await expect(page.getByText('it wants none')).toBeVisible()
    })

    await test.step('the order is filled in by the keyboard alone', async () => {
      await page.goto(`${farm.consoleUrl}/order-certificate`)
      await page.getByLabel('Name').focus()
      await page.keyboard.type('shop')
      await page.keyboard.press('Tab')
      await page.keyboard.type(HOSTS.join(' '))
      await expect(page.getByText('2 hosts')).toBeVisible()
      // The site for every host does.
      await expect(page.getByText(/www\.shop\.example \(by 2 nodes/)).toBeVisible()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Order the certificate' }).press('Enter')
      await expect(page.getByRole('heading', { name: 'shop', level: 1 })).toBeVisible()
    })

    await test.step('the nodes prove the hosts, and the certificate comes', async () => {
      const past = page.getByRole('region', { name: 'Past orders, table' })
      await expect(past.getByText('Version 1')).toBeVisible({ timeout: ISSUED_WITHIN_MS })
      await expect(page.getByRole('region', { name: 'Renewal' })).toContainText(/Renewed in \d+ d/)
      expect(await violations(page)).toEqual([])
    })

    const [port = 0, otherPort = 0] = await freePorts(2)
    await test.step('a config names it, and a node serves it', async () => {
      const address = '127.0.0.1'
      for (const [name, tlsPort] of [
        ['edge-1', port],
        ['edge-2', otherPort],
      ] as const) {
        const listen = [
          { address, port: farm.node(name).port },
          { address, port: tlsPort, tls: true },
        ]
        const { id } = await admin.node(name)
        const params = { path: { id }, ...ANY_STATE }
        const body = { mergePatch: { listen } }
        await bodyOf(admin.call.PUT('/api/v1/nodes/{id}/override', { params, body }))
      }
      const site = { hosts: HOSTS, root: farm.siteDir, certificates: [{ name: 'shop' }] }
      const text = JSON.stringify({ listen: [{ address, port: 8080 }], sites: [site] })
      await admin.rollOut(await admin.saveVersion(text, 'With a certificate that was ordered'))
      await expect.poll(() => serialAt(port), { timeout: ISSUED_WITHIN_MS }).toMatch(/^[0-9A-F]+$/)
    })

    await test.step('ordered again, it is rolled out by itself', async () => {
      const before = await serialAt(port)
      await page.getByRole('button', { name: 'Order now' }).click()
      const past = page.getByRole('region', { name: 'Past orders, table' })
      await expect(past.getByText('Version 2')).toBeVisible({ timeout: ISSUED_WITHIN_MS })
      await expect.poll(() => serialAt(port), { timeout: ISSUED_WITHIN_MS }).not.toBe(before)
    })

    await test.step('the list says what happens next', async () => {
      await page.getByRole('link', { name: 'Certificates' }).click()
      const row = page.getByRole('row').filter({ hasText: 'shop' })
      await expect(row).toContainText(/Issued/)
      await expect(row).toContainText(/Renewed in \d+ d/)
    })
  } finally {
    await pebble.end()
  }
})

const serialAt = async (port: number) =>
  (await handshake(`https://127.0.0.1:${port}`).catch(() => null))?.serial
