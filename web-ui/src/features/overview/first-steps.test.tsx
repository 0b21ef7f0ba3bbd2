// SPDX-License-Identifier: MIT
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { config, farmSummary, page, rollout, session } from '../../test/samples.ts'
import { firstSteps, type Known } from './first-steps.ts'

const done = (known: Partial<Known>) =>
  firstSteps({ farm: farmSummary(), configs: [], rollouts: [], ...known }).map(
    ({ isDone }) => isDone,
  )

describe('what is done', () => {
  test('of an empty farm nothing; then a node, then a version', () => {
    const { nodes } = farmSummary()
    expect(done({ farm: { nodes: { ...nodes, total: 0 } } })).toEqual([false, false, false, false])
    expect(done({})).toEqual([true, false, false, false])
    expect(done({ configs: [config({ latestVersion: null })] })[1]).toBe(false)
    expect(done({ configs: [config()] })[1]).toBe(true)
  })

  test.each([
    ['under way', {}, [false, false]],
    ['by waves, done', { state: 'succeeded' }, [true, false]],
    ['all at once', { state: 'succeeded', strategy: { atOnce: true } }, [false, false]],
    [
      'back to an older version',
      { state: 'succeeded', version: 1, previousVersion: 2 },
      [true, true],
    ],
    ['that went back by itself', { state: 'reverted' }, [false, true]],
  ] as const)('a rollout %s', (_, change, expected) => {
    expect(done({ rollouts: [rollout(change)] }).slice(2)).toEqual(expected)
  })
})

describe('on the overview', () => {
  beforeEach(() => localStorage.clear())
  const steps = () => screen.findByRole('region', { name: 'First steps' })

  test('says what is done, leads to what is not, and stays away once put away', async () => {
    renderApp('/', { 'GET /configs': () => json(page(config())) })
    const list = within(await steps())
    expect(list.getByText('2 of 4 done')).toBeVisible()
    expect(list.queryByRole('link', { name: 'Add a node' })).toBeNull()
    expect(list.getByRole('link', { name: 'Prepare a rollout' })).toBeVisible()
    await userEvent.click(list.getByRole('button', { name: 'Put away' }))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull())
  })

  test('leads to an import as well, for who comes from another server', async () => {
    renderApp('/', { 'GET /configs': () => json(page()) })
    const link = within(await steps()).getByRole('link', { name: /^Import the config of another/ })
    expect(link).toHaveAttribute('href', '/import')
  })

  test('is not there any more once all is done', async () => {
    const api = renderApp('/', {
      'GET /configs': () => json(page(config())),
      'GET /rollouts': () => json(page(rollout())),
    })
    await steps()
    const back = rollout({ state: 'succeeded', version: 1, previousVersion: 2 })
    api.answer({ 'GET /rollouts': () => json(page(back)) })
    sayChanged('rollout')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull())
  })

  test('is not there for who may roll nothing out', async () => {
    const api = renderApp('/', {
      'GET /session': () => json({ ...session, permissions: ['nodes:read'] }),
    })
    await screen.findByRole('heading', { name: 'Overview', level: 1 })
    expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull()
    expect(api.requests.some(({ path }) => path === '/configs')).toBe(false)
  })
})
