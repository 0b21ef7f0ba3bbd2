// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, nodeCells, session } from '../../../test/samples.ts'

const names = [
  { id: 'node_01jd4q6v2m8w3x5y7z9abcdef1', name: 'edge-1' },
  { id: node().id, name: 'edge-2' },
  { id: 'node_01jd4q6v2m8w3x5y7z9abcdef3', name: 'edge-3' },
]
const values = [0.001, 0.5, null]
const two = {
  parts: [
    { name: 'default', nodes: 2 },
    { name: 'web', nodes: 1 },
  ],
  ...{ states: ['in-sync' as const, 'drift' as const], cells: 'aab', labelKeys: ['zone'] },
}
const measuring = {
  'GET /session': () => json({ ...session, permissions: [...session.permissions, 'metrics:read'] }),
  'GET /metrics/sets': () => json({ stepSeconds: 60, times: [], quantiles: [], sets: [] }),
  'GET /metrics/compare': () => json({ stages: [], quantiles: [] }),
}
const answering = () => ({
  ...measuring,
  'GET /nodes/cells': ({ query }: { query: URLSearchParams }) => {
    const by = query.get('by')
    return json(
      nodeCells({
        ...two,
        names: query.has('namesFrom') ? names : null,
        measured: by === null ? null : { by, from: '', to: '', values },
      }),
    )
  },
})
const panel = () => screen.findByRole('region', { name: 'All nodes' })
const legend = async () =>
  within(await within(await panel()).findByRole('list', { name: 'What the cells stand for' }))

describe('the map of all nodes', () => {
  test('is by state, and keys go from node to node and say which it is', async () => {
    renderApp('/', answering())
    const map = await within(await panel()).findByRole('group', { name: /^Map of 3 nodes/ })
    expect((await legend()).getAllByRole('listitem').map((one) => one.textContent)).toEqual([
      'Drift1',
      'In sync2',
    ])
    map.focus()
    await userEvent.keyboard('{End}')
    expect(await within(await panel()).findAllByText('edge-3, web: Drift')).not.toHaveLength(0)
    await userEvent.keyboard('{ArrowLeft}')
    expect(await within(await panel()).findAllByText('edge-2, default: In sync')).toHaveLength(2)
  })

  test('frames whom the rollout under way has come to, and says which it is', async () => {
    const rollouts = {
      named: [{ id: 'rollout_1', config: 'default', version: 7 }],
      cells: '.a.',
    }
    renderApp('/', {
      ...measuring,
      'GET /nodes/cells': ({ query }) =>
        json(nodeCells({ ...two, rollouts, names: query.has('namesFrom') ? names : null })),
    })
    expect((await legend()).getAllByRole('listitem').map((one) => one.textContent)).toEqual([
      ...['Drift1', 'In sync2', 'a rollout under way has come to it1'],
    ])
    const map = await within(await panel()).findByRole('group', { name: /^Map of 3 nodes/ })
    map.focus()
    await userEvent.keyboard('{Home}{ArrowRight}')
    expect(
      await within(await panel()).findAllByText(
        'edge-2, default: In sync, default v7 has come to it',
      ),
    ).not.toHaveLength(0)
  })

  test('is by what was measured, as the address says, with a scale', async () => {
    const api = renderApp('/?by=p99&label=zone', answering())
    expect((await legend()).getByText('nothing measured')).toBeVisible()
    const asked = api.requests.find(({ path }) => path === '/nodes/cells')?.query
    expect(asked?.get('by')).toBe('quantile:total:0.99')
    expect(asked?.get('label')).toBe('zone')
    await userEvent.selectOptions(screen.getByLabelText('Coloured by'), 'State')
    await expect.poll(() => window.location.search).toBe('?label=zone')
  })

  test('has the same as a table, each a link to its node', async () => {
    renderApp('/?by=p99', answering())
    await userEvent.click(await within(await panel()).findByRole('radio', { name: 'Table' }))
    const table = await screen.findByRole('region', { name: 'All nodes, table' })
    expect(window.location.search).toBe('?by=p99&as=table')
    const link = await within(table).findByRole('link', { name: 'edge-2' })
    expect(link).toHaveAttribute('href', `/nodes/${node().id}`)
    expect(within(table).getByText('500 ms, in sync')).toBeVisible()
    expect(within(table).getByText('nothing measured, drift')).toBeVisible()
  })
})
