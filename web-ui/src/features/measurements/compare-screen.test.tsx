// SPDX-License-Identifier: MIT
import { focusManager } from '@tanstack/react-query'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Comparison } from '../../lib/api-types.ts'
import { type ApiRequest, json } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { session } from '../../test/samples.ts'

const at = '2026-11-26T18:00:00.000Z'
const side = (title: string) => ({ ...{ of: title, title, nodes: 3 }, from: at, to: at })
const measured = (count: number, ...quantiles: (number | null)[]) => ({
  ...{ count, meanSeconds: 0.01, quantiles },
})
const comparison: Comparison = {
  ...{ a: side('Version 8'), b: side('Version 7'), quantiles: [0.5, 0.9, 0.99] },
  stages: [
    {
      stage: 'total',
      a: measured(1200, 0.01, 0.02, 0.09),
      b: measured(1100, 0.01, 0.02, 0.05),
      ratios: [{ value: 1.01, low: 0.9, high: 1.1 }, null, { value: 1.8, low: 1.5, high: 2.1 }],
    },
    {
      stage: 'handshake',
      ...{ a: measured(0, null, null, null), b: measured(0, null, null, null) },
      ratios: [null, null, null],
    },
  ],
  errors: {
    ...{ a: { requests: 1200, errors: 0 }, b: { requests: 1100, errors: 0 } },
    difference: { value: 0, low: 0, high: 0 },
  },
}
const heatmap = ({ query }: ApiRequest) =>
  json({
    ...{ of: query.get('of'), title: `Title of ${query.get('of')}`, nodes: 3, stage: 'total' },
    ...{ stepSeconds: 10, times: [1000, 1010], bucketsPerOctave: 8 },
    steps: [{ zeroCount: 0, firstBucket: -80, counts: [3, 4] }, null],
  })
const answers = {
  'GET /session': () => json({ ...session, permissions: ['metrics:read'] }),
  'GET /metrics/compare': () => json(comparison),
  'GET /metrics/heatmap': heatmap,
  'GET /configs': () => json({ items: [{ name: 'site' }], nextCursor: null }),
  'GET /configs/site/versions': () =>
    json({ items: [{ number: 8 }, { number: 7 }], nextCursor: null }),
}
const ADDRESS = '/measurements/compare?a=version:site/8&b=version:site/7'

describe('a comparison', () => {
  test('is said in a sentence, and each percentile has its interval and what was found', async () => {
    const api = renderApp(ADDRESS, answers)
    expect(
      await screen.findByText(/^Version 8: its p99 is 1\.8 times.*so it is slower/),
    ).toBeVisible()
    const table = screen.getByRole('region', { name: 'Percentiles side by side' })
    const rows = within(table).getAllByRole('row').slice(1)
    expect(rows).toHaveLength(3)
    expect(rows[2]).toHaveTextContent('p9990 ms50 ms1.8 × (1.5 to 2.1)Slower')
    expect(rows[0]).toHaveTextContent('No difference')
    expect(rows[1]).toHaveTextContent('Not enough data')
    const { query } = api.requests.find(({ path }) => path === '/metrics/compare') ?? {}
    expect(query?.get('a')).toBe('version:site/8')
  })

  test('has both heatmaps, read cell by cell and as a table', async () => {
    renderApp(ADDRESS, answers)
    const name = 'Title of version:site/7: total'
    const map = await screen.findByRole('region', { name })
    const drawing = within(map).getByRole('group', { name: /heatmap/ })
    drawing.focus()
    await userEvent.keyboard('{Home}')
    expect(map).toHaveTextContent(/977 µs to 1\.38 ms: 7 requests, 100 % of 7 requests/)
    await userEvent.keyboard('{ArrowRight}')
    expect(map).toHaveTextContent('nothing was measured')
    await userEvent.click(within(map).getByText('Table'))
    expect(within(map).getAllByRole('row')[2]).toHaveTextContent(/7$/)
  })

  test('of one set is with the same hours of last week', async () => {
    const api = renderApp('/measurements/compare?range=24h', answers)
    expect(await screen.findByText(/Both are the same now/)).toBeVisible()
    await userEvent.selectOptions(
      screen.getByRole('combobox', { name: 'At which time' }),
      'a week earlier',
    )
    await screen.findByText(/the later time beside/)
    const name = 'Title of farm, the earlier time: total'
    expect(await screen.findByRole('region', { name })).toBeVisible()
    const asked = api.requests.find(({ path }) => path === '/metrics/compare')?.query
    const times = ['to', 'bTo'].map((name) => Date.parse(asked?.get(name) ?? ''))
    const [to = 0, bTo = 0] = times
    expect(Math.abs(to - bTo - 7 * 86_400_000)).toBeLessThan(2000)
    await waitFor(() => expect(window.location.search).toBe('?range=24h&before=week'))
  })

  test('with another time asks for nothing while nobody looks at it', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onTestFinished(() => {
      vi.useRealTimers()
      focusManager.setFocused(undefined)
    })
    const api = renderApp('/measurements/compare?before=day', answers)
    expect(await screen.findAllByRole('group', { name: /heatmap/ })).toHaveLength(2)
    const asked = () => api.requests.filter(({ path }) => path.startsWith('/metrics/')).length
    const before = asked()
    focusManager.setFocused(false)
    await vi.advanceTimersByTimeAsync(180_000)
    expect(asked()).toBe(before)
    focusManager.setFocused(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked()).toBeGreaterThan(before)
  })
})
