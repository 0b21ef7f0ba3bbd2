// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { session } from '../../test/samples.ts'
import { parseTopSearch } from './search.ts'
import { measureGroups, measureOf } from './top-measures.ts'

const at = '2026-11-26T18:00:00.000Z'
const row = (name: string, value: number) => ({
  ...{ nodeId: `node_${name}`, nodeName: name, value, requests: 1200, coverage: 0.5 },
})
const top = {
  from: at,
  to: at,
  title: 'The whole farm',
  nodes: [row('edge-2', 0.25), row('edge-1', 0.1)],
}
const answers = {
  'GET /session': () => json({ ...session, permissions: ['metrics:read'] }),
  'GET /metrics/top': () => json(top),
}

test('the highest come first, each leads to its node, and another measurement is asked for', async () => {
  const api = renderApp('/measurements/top?range=24h', answers)
  const table = await screen.findByRole('region', { name: 'Nodes, the highest first' })
  const rows = within(table).getAllByRole('row').slice(1)
  expect(rows[0]).toHaveTextContent('edge-2250 ms1,20050 %')
  expect(within(table).getByRole('link', { name: 'edge-2' })).toHaveAttribute(
    'href',
    '/nodes/node_edge-2?range=24h',
  )
  api.answer({ 'GET /metrics/top': () => json({ ...top, nodes: [] }) })
  await userEvent.selectOptions(
    screen.getByRole('combobox', { name: 'By what' }),
    'Share of 5xx answers',
  )
  expect(await screen.findByText('No node has this measurement in this time')).toBeVisible()
  expect(api.requests.at(-1)?.query.get('by')).toBe('share:responses5xx')
  expect(window.location.search).toBe('?range=24h&by=share%3Aresponses5xx')
})

test('every measurement is one that the API knows, and named once', () => {
  const measures = measureGroups.flatMap((one) => one.measures)
  // As control-api's schema has it.
  const known =
    /^(quantile:[a-zA-Z]+:(0?[.][0-9]{1,6}|0|1)|(rate|share|gauge):[a-z][A-Za-z0-9]{0,63})$/
  for (const { by } of measures) expect(by).toMatch(known)
  expect(new Set(measures.map(({ by }) => by)).size).toBe(measures.length)
  expect(new Set(measures.map(({ label }) => label)).size).toBe(measures.length)
  expect(measureOf('gauge:copies').label).toBe('Compressed copies')
})

test('one that is only in the address is the one that is chosen', async () => {
  renderApp('/measurements/top?by=gauge:copyBytes', answers)
  const table = await screen.findByRole('region', { name: 'Nodes, the highest first' })
  expect(within(table).getByRole('columnheader', { name: /^Bytes of compressed/ })).toBeVisible()
  expect(screen.getByRole('combobox', { name: 'By what' })).toHaveValue('gauge:copyBytes')
})

test('an address that says nothing it could mean is the default', () => {
  expect(parseTopSearch({ of: 'group:web;farm', by: 'rate:requests', range: '1h' })).toEqual({
    ...{ of: 'group:web', by: 'rate:requests', range: '1h' },
  })
  expect(parseTopSearch({ of: 7, by: 'nothing', from: 3 })).toEqual({})
})
