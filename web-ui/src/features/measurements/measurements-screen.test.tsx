// SPDX-License-Identifier: MIT
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { MeasuredSet } from '../../lib/api-types.ts'
import { type ApiRequest, json, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { page, rollout, session } from '../../test/samples.ts'

const permissions = ['metrics:read', 'rollouts:read', 'nodes:read', 'configs:read']
const times = [1_790_000_000, 1_790_000_010]

/** As the control plane answers: of each name that was asked for a column. */
function measured({ query }: ApiRequest) {
  const names = (key: string) => (query.get(key) ?? '').split(',').filter((name) => name !== '')
  const columns = <Value,>(key: string, value: Value) =>
    Object.fromEntries(names(key).map((name) => [name, value]))
  const stage = { count: [200, null], sumSeconds: [2, null], maxSeconds: [0.9, null] }
  const sets = (query.get('of') ?? '').split(';').map(
    (of): MeasuredSet => ({
      ...{ of, title: `Title of ${of}`, nodes: 2, measuredNodes: [2, 0] },
      stages: columns('stages', { ...stage, quantiles: [0.01, 0.02, 0.03].map((q) => [q, null]) }),
      counters: columns('counters', [100, null]),
      gauges: columns('gauges', { mean: [3, null], max: [4, null] }),
    }),
  )
  return json({ stepSeconds: 10, times, quantiles: [0.5, 0.9, 0.99], sets })
}
const answers = {
  'GET /session': () => json({ ...session, permissions }),
  'GET /metrics/sets': measured,
}
const asked = (api: ReturnType<typeof renderApp>) =>
  api.requests.filter(({ path }) => path === '/metrics/sets').map(({ query }) => query)

describe('measurements', () => {
  test('each chart has a table of the same numbers, gaps as gaps', async () => {
    renderApp('/measurements', answers)
    const chart = await screen.findByRole('region', { name: 'Latency' })
    await userEvent.click(within(chart).getByRole('radio', { name: 'Table' }))
    const [, newest, before] = within(chart).getAllByRole('row')
    expect(newest).toHaveTextContent('–––no data')
    expect(before).toHaveTextContent('10 ms20 ms30 ms200')
  })

  test('a topic is chosen, and stays in the address', async () => {
    const api = renderApp('/measurements?range=1h', answers)
    await userEvent.click(await screen.findByRole('radio', { name: 'Cache' }))
    expect(await screen.findByRole('region', { name: 'File contents in memory' })).toBeVisible()
    expect(window.location.search).toBe('?range=1h&topic=cache')
    expect(asked(api).at(-1)?.get('gauges')).toContain('cacheLimitBytes')
  })

  test('a group is drawn beside the farm, and taken away again', async () => {
    const api = renderApp('/measurements', answers)
    await userEvent.click(await screen.findByRole('button', { name: 'Add another' }))
    await userEvent.selectOptions(
      await screen.findByRole('combobox', { name: 'And whose: kind' }),
      'A group',
    )
    const which = await screen.findByRole('combobox', { name: 'And whose: group' })
    await within(which).findByRole('option', { name: 'europe' })
    await userEvent.selectOptions(which, 'europe')
    expect(await screen.findByRole('region', { name: 'Latency: p99' })).toBeVisible()
    expect(asked(api).at(-1)?.get('of')).toBe('farm;group:europe')
    await userEvent.click(screen.getByRole('button', { name: 'Remove number 1' }))
    await waitFor(() => expect(asked(api).at(-1)?.get('of')).toBe('group:europe'))
  })

  test('what happened is listed once, with a way to it', async () => {
    const now = Date.now()
    const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()
    const { waves: _, states: __, ...summary } = rollout()
    const begun = { ...summary, startedAt: ago(120), endedAt: null, previousVersion: 1, version: 2 }
    const api = renderApp('/measurements', {
      ...answers,
      'GET /rollouts': () => json(page(begun)),
      'GET /configs': () => json(page()),
      [`GET /configs/${begun.config}/versions`]: () => json(page()),
    })
    const list = await screen.findByRole('region', { name: 'Marked in the charts' })
    const link = await within(list).findByRole('link', { name: /version 2 started/ })
    expect(link).toHaveAttribute('href', `/rollouts/${summary.id}`)
    await userEvent.click(screen.getByRole('button', { name: 'Draw 2 versions of this time' }))
    const of = `version:${begun.config}/2;version:${begun.config}/1`
    await waitFor(() => expect(asked(api).at(-1)?.get('of')).toBe(of))
    const ended = { ...begun, state: 'succeeded' as const, endedAt: ago(1) }
    api.answer({ 'GET /rollouts': () => json(page(ended)) })
    sayChanged('rollout')
    expect(await within(list).findByRole('link', { name: /version 2 succeeded/ })).toBeVisible()
  })

  test('what happened is not said to be nothing while it is not known', async () => {
    renderApp('/measurements', {
      ...answers,
      'GET /rollouts': () => problem(400, 'odd', 'It is odd.'),
    })
    const panel = await screen.findByRole('region', { name: 'Marked in the charts' })
    expect(await within(panel).findByText(/It is odd/)).toBeVisible()
    expect(within(panel).queryByText(/No rollout began/)).toBeNull()
  })

  test('a time with more than is read says that older ones are missing', async () => {
    const { waves: _, states: __, ...summary } = rollout()
    const api = renderApp('/measurements', {
      ...answers,
      'GET /rollouts': () => json({ ...page({ ...summary, startedAt: null }), nextCursor: 'more' }),
    })
    expect(await screen.findByText(/Only the newest 500 are read/)).toBeVisible()
    expect(api.requests.filter(({ path }) => path === '/rollouts')).toHaveLength(5)
  })

  test('a time may be chosen from one moment to another', async () => {
    const api = renderApp('/measurements', answers)
    await userEvent.click(await screen.findByRole('radio', { name: 'From … to' }))
    expect(await screen.findByLabelText('From')).toBeVisible()
    expect(window.location.search).toMatch(/^\?from=\d+&to=\d+$/)
    const before = asked(api).at(-1)?.get('to') ?? ''
    await userEvent.click(screen.getByRole('button', { name: 'Earlier' }))
    await waitFor(() => expect((asked(api).at(-1)?.get('to') ?? '') < before).toBe(true))
  })

  test('nothing measured is said, and so is a question that is refused', async () => {
    const api = renderApp('/measurements', {
      ...answers,
      'GET /metrics/sets': () => json({ stepSeconds: 10, times: [], quantiles: [], sets: [] }),
    })
    expect(await screen.findByText('No measurement in this time')).toBeVisible()
    const detail = 'That is more than is read for one answer. Ask for a shorter time.'
    api.answer({ 'GET /metrics/sets': () => problem(400, 'too_much_to_read', detail) })
    await userEvent.click(screen.getByRole('radio', { name: '30 d' }))
    expect(await screen.findByText(new RegExp(detail))).toBeVisible()
  })
})
