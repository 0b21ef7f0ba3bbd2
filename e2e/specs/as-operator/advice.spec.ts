// SPDX-License-Identifier: MIT
// Where the time goes, said in words: clients that take slowly are told of on the node's page, with the arithmetic.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { NodePage } from '../../pages/node-page.ts'
import { slowly } from '../../pictures/visitors.ts'

/** Three steps of ten seconds must be over before anything is said. */
const ADVISED_WITHIN_MS = 120_000
const BYTES = 300_000

test('slow clients are told of with what was measured; a quiet node says why it says nothing', async ({
  page,
  farm,
  admin,
}) => {
  writeFileSync(join(farm.siteDir, 'film.bin'), Buffer.alloc(BYTES, 'x'))
  const advice = new NodePage(page).panel('Advice')
  const end = slowly({ streams: 20, path: '/film.bin' })(farm.node('edge-3').url)
  try {
    const { id: quietId } = await admin.node('edge-1')
    await page.goto(`/nodes/${quietId}`)
    await advice.getByText('Nothing to advise').click()
    await expect(advice).toContainText('are needed to judge')

    const { id } = await admin.node('edge-3')
    await expect(async () => {
      await page.goto(`/nodes/${id}`)
      await expect(advice.getByRole('article')).toHaveCount(1)
    }).toPass({ timeout: ADVISED_WITHIN_MS })
  } finally {
    end()
  }
  const card = advice.getByRole('article', { name: 'Clients take what they asked for slowly' })
  await expect(card).toContainText('of the time goes into sending')
  await card.getByText('How this was worked out').click()
  await expect(card).toContainText(/Sending: .* of all requests’ .* = [\d.]+ %/)
  await expect(card).toContainText('at least 60 %')
  await expect(card).toContainText('No value of the config makes clients faster')
  await expect(card.getByRole('button')).toHaveCount(0)
})
