// SPDX-License-Identifier: MIT
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { json, problem } from '../../test/fake-api.ts'
import { answer, byWaves, isOrder, plans, soon } from '../../test/plan-answers.ts'
import { renderApp } from '../../test/render-app.tsx'

/** It is shown a while after it was asked for. */
const late = { timeout: 20_000 }
const plan = {
  ...{
    id: 'plan_1',
    config: 'default',
    version: 2,
    purpose: 'plan',
    since: '2026-11-26T09:00:00Z',
  },
  ...{ texts: 9800, checkedTexts: 1240 },
}
/** Of what was typed before. */
const ofBefore = { ...plan, id: 'plan_0', checkedTexts: 8 }
const others = [
  { ...plan, id: 'plan_2', version: 1 },
  { ...plan, id: 'plan_3', purpose: 'order' },
  { ...plan, id: 'plan_4', purpose: 'preflight' },
]

test('a plan that takes long says how many texts are checked, and can be stopped, and no other is', async () => {
  const user = userEvent.setup()
  let answerPlan: (answer: Response) => void = () => {}
  const api = renderApp(plans, {
    'POST /rollouts': () =>
      new Promise((resolve) => {
        answerPlan = resolve
      }),
    'GET /rollouts/plans-under-way': () => json({ items: [ofBefore, plan, ...others] }),
    'POST /rollouts/plans-under-way/plan_1/actions/stop': () => new Response(null, { status: 204 }),
  })
  expect(await screen.findByText(/1,240 of 9,800 texts checked/, {}, late)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  const stopped = () => api.requests.filter(({ path }) => path.endsWith('/stop'))
  await expect.poll(stopped).toMatchObject([{ path: expect.stringContaining('/plan_1/') }])
  answerPlan(problem(409, 'plan_stopped', 'You stopped it.'))
  expect(await screen.findByText('You stopped it.', {}, late)).toBeVisible()
  expect(screen.queryByText(/texts checked/)).toBeNull()
}, 60_000)

test('with waves, what holds without other words is asked for behind the plan, not beside it', async () => {
  const waves = [{ nodes: 1 }, { percent: 100 }]
  const kept = { preset: 'custom', strategy: { waves, soakSeconds: 30 } }
  localStorage.setItem('farmstead.rollout-strategy', JSON.stringify(kept))
  const { promise, resolve } = Promise.withResolvers<Response>()
  const api = renderApp(plans, {
    ...answer(byWaves),
    'POST /rollouts': ({ body }) =>
      Object(body).strategy.soakSeconds === 30 ? promise : json(byWaves),
  })
  const asked = () => api.requests.filter(isOrder).map(({ body }) => Object(body).strategy)
  // Both would be asked for with the same step of the screen.
  await expect.poll(() => asked().length, late).toBeGreaterThan(0)
  expect(asked()).toMatchObject([{ waves, soakSeconds: 30 }])
  resolve(json(byWaves))
  await expect.poll(asked, soon).toMatchObject([{ soakSeconds: 30 }, { waves }])
  expect(asked()[1]).not.toHaveProperty('soakSeconds')
}, 60_000)
