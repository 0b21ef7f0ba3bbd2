// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { json, never, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import {
  ago,
  alert,
  config,
  farmSummary,
  health,
  page,
  rollout,
  session,
  version,
} from '../../test/samples.ts'

const permissions = [...session.permissions, 'alerts:read', 'certificates:read']
const reads = {
  'GET /session': () => json({ ...session, permissions }),
  'GET /alerts': () => json(page()),
  'GET /alert-rules': () => json(page()),
  'GET /certificates': () => json(page()),
}
const none = { 'in-sync': 0, applying: 0, 'out-of-sync': 0, drift: 0, unknown: 0, waiting: 0 }
const needs = () => screen.findByRole('region', { name: 'Needs you' })

describe('the overview', () => {
  test('is the first page, and says that all is well', async () => {
    renderApp('/', reads)
    expect(await screen.findByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
    expect(await screen.findByText('All is well')).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Needs you' })).toBeNull()
  })

  test('asks for more rollouts than are named, those that are paused and those that wait for approval', async () => {
    const held = (state: 'paused' | 'awaiting_approval', id: string) => rollout({ state, id })
    renderApp('/', {
      ...reads,
      'GET /farm/summary': () =>
        json(farmSummary({ rollouts: { underWay: 1, waiting: 4, named: [] } })),
      'GET /rollouts': ({ query }) => {
        const state = query.get('state')
        if (state === 'paused') return json(page(held(state, 'rollout_p')))
        if (state !== 'awaiting_approval') return json(page())
        return json({ items: [held(state, 'rollout_a')], nextCursor: 'more' })
      },
    })
    const list = within(await needs())
    expect(list.getByRole('link', { name: 'Rollout of default v2 is paused' })).toBeVisible()
    expect(
      list.getByRole('link', { name: 'Rollout of default v2 waits for approval' }),
    ).toHaveAttribute('href', '/rollouts/rollout_a')
    expect(
      list.getByRole('link', { name: 'More rollouts are paused or wait for approval' }),
    ).toHaveAttribute('href', '/rollouts')
  })

  test('leads back to an older version that some nodes still run, and not away from the newest', async () => {
    const running = [
      { config: 'default', version: 3, nodes: 2 },
      { config: 'default', version: 2, nodes: 1 },
      { config: 'web', version: 1, nodes: 1 },
    ]
    renderApp('/', { ...reads, 'GET /farm/summary': () => json(farmSummary({ running })) })
    const versions = within(await screen.findByRole('region', { name: 'Versions in use' }))
    const back = await versions.findAllByRole('link', { name: /^Back to/ })
    expect(back.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Back to v2', '/rollouts/new?config=default&version=2&backFrom=3'],
    ])
  })

  test('says so while what stands there is still of the range before', async () => {
    const metrics = {
      ...reads,
      'GET /session': () => json({ ...session, permissions: [...permissions, 'metrics:read'] }),
    }
    const sets = { stepSeconds: 30, times: [], quantiles: [0.5, 0.99], sets: [] }
    const api = renderApp('/', {
      ...metrics,
      'GET /metrics/sets': () => json(sets),
      'GET /metrics/compare': () => json({ stages: [], quantiles: [] }),
    })
    expect(await screen.findByRole('region', { name: 'The farm at a glance' })).toBeVisible()
    api.answer({ 'GET /metrics/sets': never })
    await userEvent.click(screen.getByRole('radio', { name: '6 h' }))
    expect(
      await screen.findByText('Reading the last 6 h. Until then you see the range before.'),
    ).toBeVisible()
    api.answer({ 'GET /metrics/sets': () => json(sets) })
    await userEvent.click(screen.getByRole('radio', { name: '24 h' }))
    await expect.poll(() => screen.queryByText(/Until then you see/)).toBeNull()
  })

  test('lists what needs somebody, worst first, each a link to where it is', async () => {
    const named = { config: 'default', version: 3, totalNodes: 9, doneNodes: 2 }
    renderApp('/', {
      ...reads,
      'GET /farm/summary': () =>
        json(
          farmSummary({
            nodes: {
              ...{ total: 9, byState: { ...none, 'in-sync': 5, unknown: 1, drift: 3 } },
              ...{ cordoned: 0, silent: [{ id: 'node_1', name: 'edge-7', lastSeenAt: ago(240) }] },
            },
            rollouts: {
              ...{ underWay: 1, waiting: 1 },
              named: [
                { ...named, id: 'rollout_1', state: 'paused' },
                { ...named, id: 'rollout_2', version: 4, state: 'awaiting_approval' },
              ],
            },
          }),
        ),
      'GET /alerts': () =>
        json(
          page(alert({ severity: 'critical' }), alert({ id: 'alert_2', silencedUntil: ago(-60) })),
        ),
      'GET /certificates': () =>
        json(
          page({
            name: 'shop',
            state: 'expiring',
            daysLeft: 3,
            latestVersion: { names: ['shop.example'] },
          }),
        ),
    })
    const lines = within(await needs()).getAllByRole('listitem')
    expect(lines.map((line) => line.querySelector('a')?.textContent)).toEqual([
      'Node silent: edge-1',
      '1 node silent',
      '3 nodes drifted',
      'Rollout of default v3 is paused',
      'Rollout of default v4 waits for approval',
      'Certificate shop ends in 3 days',
    ])
    expect(within(await needs()).getByText('1 alert silenced')).toBeVisible()
    const drifted = screen.getByRole('link', { name: '3 nodes drifted' })
    expect(drifted).toHaveAttribute('href', '/nodes?state=drift')
  })

  test('never says that all is well while something is not known', async () => {
    renderApp('/', { ...reads, 'GET /alerts': () => problem(400, 'odd', 'It is odd.') })
    expect(await screen.findByText('Not everything could be read')).toBeVisible()
    expect(screen.queryByText('All is well')).toBeNull()
  })

  test('never says that all is well while more alerts fire than were read', async () => {
    const silenced = alert({ silencedUntil: ago(-60) })
    renderApp('/', { ...reads, 'GET /alerts': () => json({ ...page(silenced), nextCursor: 'x' }) })
    expect(await needs()).toHaveTextContent('Older alerts fire, too')
    expect(screen.queryByText('All is well')).toBeNull()
  })

  test('reads again what changes without an event', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const api = renderApp('/', reads)
    expect(await screen.findByText('All is well')).toBeVisible()
    const check = { name: 'control-db', ok: false, attention: false, message: 'the disk is full' }
    api.answer({ 'GET /health': () => json({ ...health, checks: [check] }) })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await needs()).toHaveTextContent('Control plane check fails: Control database')
  })

  test('waits with its verdict for all that it asks', async () => {
    renderApp('/', { ...reads, 'GET /certificates': never })
    expect(await screen.findByRole('status', { name: 'What needs you: loading' })).toBeVisible()
    expect(screen.queryByText('All is well')).toBeNull()
  })

  test('tells at once of an alert that begins', async () => {
    const api = renderApp('/', reads)
    await screen.findByText('All is well')
    api.answer({ 'GET /alerts': () => json(page(alert({}))) })
    sayChanged('alert')
    expect(await needs()).toHaveTextContent('Node silent: edge-1')
  })

  test('says what fails in the control plane itself', async () => {
    const check = { name: 'backup', ok: false, attention: false, message: 'the last is 9 days old' }
    renderApp('/', { ...reads, 'GET /health': () => json({ ...health, checks: [check] }) })
    expect(await needs()).toHaveTextContent(
      /Control plane check fails: Backups .*last is 9 days old/,
    )
  })

  test('leads to the first node while there is none', async () => {
    const empty = { total: 0, byState: none, cordoned: 0, silent: [] }
    renderApp('/', { ...reads, 'GET /farm/summary': () => json(farmSummary({ nodes: empty })) })
    expect(await screen.findByText('No node has joined yet')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Add a node' })).toHaveAttribute('href', '/enrolment')
    expect(screen.queryByText('All is well')).toBeNull()
  })

  test('asks for the range that its address names, and puts another there', async () => {
    const measured = { stepSeconds: 600, times: [], quantiles: [], sets: [] }
    const compared = { stages: [], quantiles: [], errors: {} }
    const api = renderApp('/?range=24h', {
      ...reads,
      'GET /session': () => json({ ...session, permissions: [...permissions, 'metrics:read'] }),
      'GET /metrics/sets': () => json(measured),
      'GET /metrics/compare': () => json(compared),
    })
    const spanOf = (path: string) => {
      const query = api.requests.findLast((one) => one.path === path)?.query
      return (Date.parse(query?.get('to') ?? '') - Date.parse(query?.get('from') ?? '')) / 3600_000
    }
    await screen.findByText('All is well')
    await expect.poll(() => spanOf('/metrics/compare')).toBe(24)
    await expect.poll(() => spanOf('/metrics/sets')).toBe(48)
    await userEvent.click(screen.getByRole('radio', { name: '15 min' }))
    await expect.poll(() => spanOf('/metrics/compare')).toBe(0.25)
    expect(window.location.search).toBe('?range=15m')
  })

  test('leads a link to the list of nodes from before to where that is now', async () => {
    renderApp('/?state=unknown&q=edge')
    await expect.poll(() => window.location.href).toContain('/nodes?q=edge&state=unknown')
    expect(await screen.findByRole('heading', { name: 'Nodes', level: 1 })).toBeVisible()
  })
})

describe('what changed', () => {
  const allowed = [...permissions, 'configs:read', 'rollouts:read', 'audit:read']
  const entry = {
    ...{ id: 7, at: ago(1800), kind: 'group', object: 'edge', objectName: null },
    ...{ action: 'changed', actor: 'bo', actorName: null, by: 'people', via: 'session' },
    ...{ tokenId: null, requestId: null, address: null },
  }
  const answers = {
    ...reads,
    'GET /session': () => json({ ...session, permissions: allowed }),
    'GET /configs': () => json(page(config())),
    'GET /configs/default/versions': () => json(page(version({ createdAt: ago(900) }))),
    'GET /rollouts': () => json(page(rollout({ startedAt: ago(600) }))),
    'GET /audit': () => json(page(entry)),
  }
  const panel = () => screen.findByRole('region', { name: 'What changed' })
  const lines = async () =>
    (await within(await panel()).findAllByRole('listitem')).map(
      (line) => within(line).getByRole('link').textContent,
    )

  test('is one list of all that the reader may see, each a link', async () => {
    renderApp('/', { ...answers, 'GET /alerts': () => json(page(alert())) })
    expect(await lines()).toEqual([
      'Rollout of default version 2 started',
      'Node silent: edge-1 fired',
      'Version 2 of default saved',
      'Group edge changed',
    ])
    const saved = within(await panel()).getByRole('link', { name: 'Version 2 of default saved' })
    expect(saved).toHaveAttribute('href', '/configs/default/versions/2')
    const line = saved.closest('li')
    expect(line).toHaveTextContent('Version 2 of default saved by ana: Longer caching')
    expect(line?.querySelector('time')?.title).toMatch(/ UTC\)$/)
  })

  test('is narrowed to a kind by the address, and goes back to all', async () => {
    renderApp('/?show=rollout', answers)
    expect(await lines()).toEqual(['Rollout of default version 2 started'])
    await userEvent.click(within(await panel()).getByRole('radio', { name: 'People' }))
    expect(await lines()).toEqual(['Group edge changed'])
    expect(window.location.search).toBe('?show=person')
    await userEvent.click(within(await panel()).getByRole('radio', { name: 'Alerts' }))
    expect(await panel()).toHaveTextContent('No alert fired or was resolved in this time.')
    await userEvent.click(within(await panel()).getByRole('radio', { name: 'All' }))
    expect(await lines()).toHaveLength(3)
    expect(window.location.search).toBe('')
  })

  test('asks nothing that the reader may not see, and says what is not shown', async () => {
    const viewer = allowed.filter((one) => one !== 'audit:read')
    const api = renderApp('/?show=person', {
      ...answers,
      'GET /session': () => json({ ...session, permissions: viewer }),
    })
    expect(await lines()).toHaveLength(2)
    expect(await panel()).toHaveTextContent(/Not shown: what people did .* permission audit:read/)
    expect(within(await panel()).queryByRole('radio', { name: 'People' })).toBeNull()
    expect(api.requests.filter(({ path }) => path === '/audit')).toEqual([])
  })

  test('shows the rest when a list could not be read, says which, and asks again', async () => {
    const api = renderApp('/', {
      ...answers,
      'GET /audit': () => problem(403, 'forbidden', 'Not any more.'),
    })
    expect(await lines()).toHaveLength(2)
    expect(await panel()).toHaveTextContent(
      'Could not be read: what people did and when rollouts pausedNot any more.',
    )
    api.answer({ 'GET /audit': answers['GET /audit'] })
    await userEvent.click(within(await panel()).getByRole('button', { name: 'Try again' }))
    await expect.poll(lines).toHaveLength(3)
    expect(await panel()).not.toHaveTextContent('Could not be read')
  })

  test('never says that nothing changed while something was not answered', async () => {
    const nothing = () => json(page())
    renderApp('/', {
      ...{ ...answers, 'GET /configs': nothing, 'GET /rollouts': nothing, 'GET /audit': never },
    })
    expect(await screen.findByRole('status', { name: 'What changed: loading' })).toBeVisible()
    expect(await panel()).not.toHaveTextContent('Nothing changed')
  })

  test('says that nothing changed when nothing did', async () => {
    const nothing = () => json(page())
    renderApp('/', {
      ...{ ...answers, 'GET /configs': nothing, 'GET /rollouts': nothing, 'GET /audit': nothing },
    })
    await expect.poll(async () => (await panel()).textContent).toContain('Nothing changed')
  })

  test('asks for versions only of configs that changed in the range', async () => {
    const api = renderApp('/?range=15m', {
      ...answers,
      'GET /configs': () => json(page(config({ updatedAt: ago(1200) }))),
    })
    expect(await lines()).toEqual(['Rollout of default version 2 started'])
    expect(api.requests.some(({ path }) => path === '/configs/default/versions')).toBe(false)
  })

  test('has the newest hundred, and leads to where the older ones are', async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...entry, id: index + 10 }))
    renderApp('/', {
      ...answers,
      'GET /audit': ({ query }) => json(query.has('by') ? page(...many) : page()),
    })
    expect(await lines()).toHaveLength(100)
    const older = within(await panel()).getByRole('link', { name: 'Older ones' })
    expect(older).toHaveAttribute('href', '/audit')
  })
})
