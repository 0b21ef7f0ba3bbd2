// SPDX-License-Identifier: MIT
// A visitor waited: which request it was, and what of it took how long, without who it was.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { NodePage } from '../../pages/node-page.ts'

/** A node reports every few seconds. */
const REPORTED_WITHIN_MS = 45_000

/** At that rate the two files take 3 s and 1 s. */
const BYTES_PER_SECOND = 100_000
const PACED: [string, string] = ['X-Paced', 'yes']
const SLOW = { 'order-4711.bin': 300_000, 'large.bin': 100_000 }

test('slow requests are listed with what took them, masked, sorted and narrowed', async ({
  page,
  farm,
  admin,
  pageAs,
}) => {
  for (const [name, bytes] of Object.entries(SLOW)) {
    writeFileSync(join(farm.siteDir, name), Buffer.alloc(bytes, 'x'))
  }
  const config = JSON.parse(configText(farm.siteDir, { header: PACED }).replace(/\/\/.*/, ''))
  config.sites[0].connectionBytesPerSecond = BYTES_PER_SECOND
  config.samples = { slowerThanMillis: 500, maskPaths: ['/order-*'] }
  await admin.rollOut(await admin.saveVersion(JSON.stringify(config), 'Keep what takes long'))
  await expect(farm.node('edge-2')).toBeServing('/', { header: PACED })
  const { id } = await admin.node('edge-2')
  const { url } = farm.node('edge-2')
  const answers = Object.keys(SLOW).map((name) => fetch(`${url}/${name}?token=secret`))
  for (const answer of answers) await (await answer).arrayBuffer()

  const panel = new NodePage(page).panel('Slow requests')
  const table = panel.getByRole('table')
  const paths = table.locator('tbody tr td:last-child')
  await page.goto(`/nodes/${id}`)
  await expect(async () => {
    await panel.getByRole('button', { name: 'Read again' }).click()
    await expect(paths).toHaveCount(2, { timeout: 1000 })
  }).toPass({ timeout: REPORTED_WITHIN_MS })
  await panel.getByRole('button', { name: 'Took' }).click()
  await expect(paths).toHaveText(['/***', '/large.bin'])
  await panel.getByRole('button', { name: 'Took' }).click()
  await expect(paths).toHaveText(['/large.bin', '/***'])
  await expect(table).toContainText(/Write [\d.]+ s/)
  await expect(page.locator('body')).not.toContainText('secret')
  expect.soft(await wrongWithLooks(page)).toEqual([])

  await panel.getByLabel('A part of the path').fill('large')
  await expect(paths).toHaveText(['/large.bin'])
  // What one looks at can be sent to a colleague.
  await page.reload()
  await expect(paths).toHaveText(['/large.bin'])
  await panel.getByLabel('How it ended').selectOption('Status 5xx')
  await expect(panel).toContainText('None of 2 requests is like that')

  const viewers = await pageAs('viewer')
  await viewers.goto(`/nodes/${id}`)
  await expect(
    new NodePage(viewers).panel('Slow requests').getByRole('button', { name: 'Read again' }),
  ).toBeRefused({ saying: /needs the permission requests:read/ })

  await admin.rollOut(await admin.saveVersion(configText(farm.siteDir), 'As before'))
  for (const each of farm.nodes) await expect(each).toBeServing('/', { header: [PACED[0], null] })
})
