// SPDX-License-Identifier: MIT
// A gate stops a version that visitors get nothing from, shows what it rests on, and the operator decides.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Strategy } from '../../client/api.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { emptiedSite } from '../../fixtures/sites.ts'
import { whileVisiting } from '../../fixtures/visitors.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'

/** One node first; as quick as evidence comes, which is three reports of five seconds. */
const STRATEGY: Strategy = {
  waves: [{ nodes: 1 }, { percent: 100 }],
  gates: [{ metric: 'bytesPerRequest', max: 4, onFail: 'pause' }],
  ...{ minHealthySeconds: 1, soakSeconds: 1, maxSoakSeconds: 300, minSamples: 30 },
}
const JUDGED_WITHIN_MS = 60_000

test('a version that answers with empty pages is stopped at one node, with the numbers, and taken back', async ({
  page,
  farm,
  admin,
  api,
}) => {
  const rollout = new RolloutPage(page)
  const good = await admin.saveVersion(configText(farm.siteDir), 'Whole pages')
  await admin.rollOut(good)
  for (const node of farm.nodes) await expect(node).toBeServing('/')
  const whole = readFileSync(join(farm.siteDir, 'index.html'), 'utf8')
  const root = emptiedSite(farm.siteDir, 'emptied')
  const bad = await admin.saveVersion(configText(farm.siteDir, { root }), 'A build gone wrong')

  await whileVisiting(
    farm.nodes.map(({ url }) => url),
    async () => {
      const { id } = await api.rollOut(bad, { strategy: STRATEGY })
      await rollout.open(id)

      await test.step('its evidence pauses it, and says how it was found', async () => {
        await expect(rollout.state).toShowState('Paused', {
          because: /bytes per request are .* times as many/,
          timeout: JUDGED_WITHIN_MS,
        })
        await expect(rollout.state.getByRole('timer')).toHaveText(/^\d+ min \d\d s$/)
        const back = `1 node gets v${good} again; the others never had v${bad}.`
        await expect(rollout.button('Revert')).toHaveAccessibleDescription(back)
        await expect(rollout.evidence('Bytes per request')).toShowState('Fails')
        await expect(rollout.evidence('Bytes per request')).toContainText('1 node')
        const served = (await api.rolloutTasks(id)).filter(({ wave }) => wave === 0)
        expect(served).toHaveLength(1)
        for (const { name } of farm.nodes.filter((node) => node.name !== served[0]?.nodeName)) {
          await expect(rollout.task(name)).toShowState('Pending')
        }
        expect.soft(await wrongWithLooks(page)).toEqual([])
      })

      await test.step('resumed, it is watched anew', async () => {
        await rollout.button('Resume').click()
        await expect(rollout.state).toShowState('Running', { because: /watched|evidence/ })
      })

      await test.step('the gate is skipped for a reason, and the next wave begins', async () => {
        await rollout.explain({
          ...{ open: 'Skip gate', confirm: 'Begin the next wave without waiting' },
          why: 'The empty pages are wanted',
        })
        for (const node of farm.nodes) await expect(node).toBeServing('/', { body: '' })
      })

      await test.step('reverted, every node serves what it had', async () => {
        const confirm = 'Give back to every node what it had before'
        await rollout.explain({ open: 'Revert', confirm, why: 'They were not' })
        await expect(rollout.state).toShowState('Reverted')
        for (const node of farm.nodes) await expect(node).toBeServing('/', { body: whole })
      })

      await test.step('its report is a file that loads nothing', async () => {
        const saved = page.waitForEvent('download')
        await rollout.button('Save report').click()
        const report = readFileSync(await (await saved).path(), 'utf8')
        expect(report).toContain(`Rollout of default v${bad}`)
        expect(report).toContain('Reverted')
        for (const { name } of farm.nodes) expect(report).toContain(name)
        expect(report).not.toMatch(/<script|src=|href=/)
      })
    },
  )
})
