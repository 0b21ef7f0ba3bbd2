// SPDX-License-Identifier: MIT
// Processes die; the rest goes on, and the console tells the truth.
import { WHEN_KILLED } from '../../fixtures/complaints.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { keepPicture } from '../../fixtures/state-picture.ts'
import { FarmPage } from '../../pages/farm-page.ts'

/** The back-off of an agent that lost its control plane grows to this. */
const RECONNECTED_WITHIN_MS = 45_000

test('a node that was killed is shown as not connected, and comes back with its config', async ({
  page,
  farm,
}) => {
  const farmPage = new FarmPage(page)
  const node = farm.node('edge-2')
  await page.goto('/nodes')
  await expect(farmPage.row('edge-2')).toShowState('Connected')

  await node.process.stop('SIGKILL')
  await expect(farmPage.row('edge-2')).not.toShowState('Connected')
  await expect(farm.node('edge-1')).toBeServing('/')
  await expect(farmPage.row('edge-1')).toShowState('Connected')

  node.process.start()
  await expect(node).toBeServing('/')
  await expect(farmPage.row('edge-2')).toShowState('Connected')
  await expect(farmPage.row('edge-2')).toShowState('In sync')
})

test('nodes serve without their control plane, also when started without it', async ({
  page,
  farm,
  api,
  provokes,
}) => {
  provokes(WHEN_KILLED)
  const farmPage = new FarmPage(page)
  await page.goto('/nodes')
  await expect(farmPage.row('edge-3')).toShowState('Connected')
  const live = page.getByRole('status', { name: 'Live updates' })
  await expect(live).toHaveText('Live')
  await farm.controlPlane.stop('SIGKILL')
  await expect(live).toContainText('Reconnecting')
  await keepPicture(page, test.info(), 'control-plane-gone')
  for (const node of farm.nodes) await expect(node).toBeServing('/')
  await farm.node('edge-3').process.stop()
  farm.node('edge-3').process.start()
  await expect(farm.node('edge-3')).toBeServing('/')

  farm.controlPlane.start()
  await expect(live).toHaveText('Live', { timeout: RECONNECTED_WITHIN_MS })
  for (const { name } of farm.nodes) {
    await expect(farmPage.row(name)).toShowState('Connected', { timeout: RECONNECTED_WITHIN_MS })
  }
  const text = configText(farm.siteDir, { header: ['X-After', 'the outage'] })
  await api.rollOut(await api.saveVersion(text, 'After the outage'))
  for (const node of farm.nodes) {
    await expect(node).toBeServing('/', { header: ['X-After', 'the outage'] })
  }
})
