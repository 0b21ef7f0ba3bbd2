// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { node, page, rollout, session } from '../../test/samples.ts'

const FIRST_LOAD = { timeout: 20_000 }
const runs = node().sync.effective?.version ?? { config: 'default', number: 1 }
const last = (change = {}) =>
  rollout({
    ...{ config: runs.config, version: runs.number, previousVersion: runs.number + 1 },
    ...{ state: 'succeeded', selector: 'zone=eu', ...change },
  })
const opened = async (of: ReturnType<typeof last>) => {
  const permissions = [...session.permissions, 'rollouts:run']
  const api = renderApp(`/nodes/${node().id}`, {
    'GET /session': () => json({ ...session, permissions }),
    [`GET /nodes/${node().id}`]: () => json(node()),
    'GET /rollouts': () => json(page(of)),
  })
  const panel = within(await screen.findByRole('region', { name: 'Sync' }, FIRST_LOAD))
  await expect.poll(() => api.requests.some(({ path }) => path === '/rollouts')).toBe(true)
  return panel
}

test('a node leads to the version before, where the last rollout of its config brought it', async () => {
  const panel = await opened(last())
  const link = await panel.findByRole('link', { name: /^(Back to|New rollout of) v\d+$/ })
  expect(link.getAttribute('href')).toContain(`config=${runs.config}&version=${runs.number + 1}`)
  expect(link.getAttribute('href')).toContain('selector=zone')
}, 40_000)

test('that runs something else than the last rollout brought has no such way', async () => {
  const panel = await opened(last({ version: runs.number + 5 }))
  expect(panel.queryByRole('link', { name: /^(Back to|New rollout of)/ })).toBeNull()
}, 40_000)
