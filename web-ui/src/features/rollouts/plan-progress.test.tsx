// SPDX-License-Identifier: MIT
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { json, problem } from '../../test/fake-api.ts'
import { plans } from '../../test/plan-answers.ts'
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

test('a plan that takes long says how many texts are checked, and can be stopped', async () => {
  const user = userEvent.setup()
  let answerPlan: (answer: Response) => void = () => {}
  const api = renderApp(plans, {
    'POST /rollouts': () =>
      new Promise((resolve) => {
        answerPlan = resolve
      }),
    'GET /rollouts/plans-under-way': () => json({ items: [{ ...plan, version: 1 }, plan] }),
    'POST /rollouts/plans-under-way/plan_1/actions/stop': () => new Response(null, { status: 204 }),
  })
  expect(await screen.findByText(/1,240 of 9,800 texts checked/, {}, late)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  await expect
    .poll(() => api.requests.map(({ path }) => path))
    .toContain('/rollouts/plans-under-way/plan_1/actions/stop')
  answerPlan(problem(409, 'plan_stopped', 'You stopped it.'))
  expect(await screen.findByText('You stopped it.', {}, late)).toBeVisible()
  expect(screen.queryByText(/texts checked/)).toBeNull()
}, 60_000)
