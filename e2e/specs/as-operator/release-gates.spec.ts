// SPDX-License-Identifier: MIT
// Gates of a release, as an operator writes them: of one path, of pages, of the files themselves. The order has what was typed.
import { violations, wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { pushRelease } from '../../fixtures/releases.ts'
import { configText } from '../../fixtures/sample.ts'
import { GateFields } from '../../pages/gate-fields.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

const RELEASE = 'gated'
const HOST = 'gated.e2e.example'

test('404 below a path, bytes of pages, media types and files of a release are gates that one can write', async ({
  page,
  farm,
  admin,
  api,
}) => {
  await pushRelease(admin, RELEASE, { 'index.html': '<h1>Gated</h1>' })
  const text = configText(farm.siteDir).replace(
    '"sites": [',
    `"sites": [{ "hosts": ["${HOST}"], "release": "${RELEASE}" },`,
  )
  const version = await admin.saveVersion(text, 'Gates of a release')
  const gates = new GateFields(page)
  await page.goto(`/rollouts/new?config=default&version=${version}`)
  await page.getByText('Custom', { exact: true }).click()
  await page.getByRole('button', { name: 'Change the gates' }).click()
  await gates.removeAll()

  await test.step('each asks for what it needs, and no more', async () => {
    await gates.add('404 answers', { below: 'not a path', most: '2', else: 'take it back' })
    await gates.add('Bytes per page', { below: '/shop/', most: '3', else: 'pause' })
    await gates.add('Files of the release', { most: '0', else: 'take it back' })
    await gates.add('Media types', { most: '0', else: 'take it back' })
    await expect(gates.below(3)).toHaveCount(0)
    await expect(gates.below(4)).toHaveCount(0)
    await expect(gates.unit(1)).toHaveText('% worse, else')
    await expect(gates.unit(2)).toHaveText('times, else')
    await expect(gates.unit(3)).toHaveText('% wrong, else')
  })
  await test.step('what is no path is said at its field', async () => {
    await expect(gates.below(1)).toHaveAccessibleDescription(/www\.example\.org\/docs\//)
    expect(await wrongWithLooks(page)).toEqual([])
    await gates.below(1).fill(`${HOST}/docs/`)
    await expect(gates.below(1)).toHaveAccessibleDescription('')
  })
  await test.step('the order has them, and its page says them in sentences', async () => {
    await page.getByRole('button', { name: /^Start rollout to/ }).click()
    const rollout = new RolloutPage(page)
    await rollout.state.waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { policy } = await api.rollout(id)
    expect(policy.gates).toEqual([
      { metric: 'errors404', host: HOST, path: '/docs/', max: 0.02, onFail: 'revert' },
      { metric: 'bytesPerPage', path: '/shop/', max: 3, onFail: 'pause' },
      { metric: 'releaseFiles', max: 0, onFail: 'revert' },
      { metric: 'mediaTypes', max: 0, onFail: 'revert' },
    ])
    await page.getByText('Limits and gates of this rollout').click()
    const said = `404 answers below ${HOST}/docs/: at most 2 % worse than the others, else take it back`
    await expect(page.getByText(said)).toBeVisible()
    expect(await violations(page)).toEqual([])
    await rollout.freeze()
    await expect(rollout.state).toShowState('Frozen')
  })
})
