// SPDX-License-Identifier: MIT
// What a page says while it has nothing, waits, may not, or is cut off: each is the real console, of which single answers are
// held back or changed on the way. A picture of each is in the report. 10,000 nodes are in journeys/large-farm, a control plane
// that is gone in chaos/outages, one that was restored and waits in journeys/backup.
import { failing, withoutNodes } from '../../fixtures/changed-answers.ts'
import { expect, asViewer as test } from '../../fixtures/index.ts'
import { keepPicture } from '../../fixtures/state-picture.ts'
import { FarmPage } from '../../pages/farm-page.ts'

const NODES = '**/api/v1/nodes?*'

test('no nodes yet, and one of them', async ({ page, farm }, info) => {
  await withoutNodes(page)
  await page.goto('/')
  await expect(page.getByText('No node has joined yet')).toBeVisible()
  await keepPicture(page, info, 'no-nodes')
  await page.unrouteAll()
  await page.goto('/nodes?q=edge-1')
  await expect(new FarmPage(page).row('edge-1')).toShowState('Connected')
  await expect(new FarmPage(page).row(farm.nodes[1]?.name ?? '')).toHaveCount(0)
  await keepPicture(page, info, 'one-node')
})

test('loading, failed, and well again', async ({ page, provokes }, info) => {
  provokes(/^500 \/api\/v1\/nodes$/)
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(NODES, async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/nodes')
  await expect(page.getByRole('status', { name: /loading$/ }).first()).toBeVisible()
  await keepPicture(page, info, 'loading', { isMoving: true })
  letGo()
  await expect(new FarmPage(page).row('edge-1')).toShowState('Connected')
  await page.unroute(NODES)
  await failing(page, NODES)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Try again' }).first()).toBeVisible()
  await expect(page.getByText(/its log says more/).first()).toBeVisible()
  await keepPicture(page, info, 'failed')
  await page.unroute(NODES)
  await page.reload()
  await expect(new FarmPage(page).row('edge-1')).toShowState('Connected')
})

test('a part that cannot be read leaves the rest, and says so', async ({
  page,
  provokes,
}, info) => {
  provokes(/^500 .*\/nodes\/cells$/)
  await failing(page, '**/api/v1/nodes/cells*')
  await page.goto('/')
  const map = page.getByRole('region', { name: 'All nodes', exact: true })
  await expect(map.getByRole('button', { name: 'Try again' })).toBeVisible()
  await expect(
    page
      .getByRole('region', { name: 'Needs you' })
      .or(page.getByText('All is well', { exact: true }))
      .first(),
  ).toBeVisible()
  await keepPicture(page, info, 'partial')
})

test('forbidden: which permission it needs', async ({ page }, info) => {
  await page.goto('/settings/users')
  await expect(page.getByText(/users:read/).first()).toBeVisible()
  await keepPicture(page, info, 'forbidden')
})
