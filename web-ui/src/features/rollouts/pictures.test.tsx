// SPDX-License-Identifier: MIT
// The plan as a picture, and how long requests took: what who does not see them reads in their place.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, never } from '../../test/fake-api.ts'
import { answer, byWaves, endpoint, one, plans, soon } from '../../test/plan-answers.ts'
import { renderApp } from '../../test/render-app.tsx'
import { plan, planCells, plannedNode, rollout, task } from '../../test/samples.ts'

const cellsOf = `GET /rollouts/plans/${encodeURIComponent(byWaves.planDigest)}/cells`
const second = { nodeId: 'node_2', nodeName: 'edge-2' }
const two = planCells({
  ...{ standings: ['takes', 'away'], cells: 'ab', waves: [1, 1], requestsPerSecond: [12, null] },
  ...{ domains: ['rack-1', null], domainOf: [0, 1] },
  names: [{ nodeId: plannedNode().nodeId, nodeName: 'edge-1' }, second],
})
const LOADS_WITHIN_MS = 40_000
/** The first of a file reads the whole console. */
const firstLoad = { timeout: 20_000 }

test(
  'a plan is drawn wave by wave, and keys say which node is where and what it serves',
  async () => {
    renderApp(plans, { ...answer(byWaves), [cellsOf]: () => json(two) })
    const picture = within(await screen.findByRole('region', { name: 'In 2 waves' }, firstLoad))
    const said = picture.getByRole('list', { name: 'What the plan risks and proves' })
    expect(said).toHaveTextContent('Between two configs at the same time: at most 2 of 2 nodes')
    expect(said).toHaveTextContent('Its gates need 500 requests')
    const map = await picture.findByRole('group', { name: /^Map of 2 nodes by wave/ })
    map.focus()
    await userEvent.keyboard('{Home}')
    expect(
      await picture.findAllByText('edge-1, wave 1: Takes it now, 12 requests a second, in rack-1'),
    ).not.toHaveLength(0)
    await userEvent.keyboard('{ArrowRight}')
    expect(
      await picture.findAllByText('edge-2, wave 2: Takes it on return, requests not measured'),
    ).not.toHaveLength(0)
    const legend = () =>
      within(picture.getByRole('list', { name: 'What the cells stand for' }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent)
    expect(legend()).toEqual(['Takes it now1', 'Takes it on return1'])
    await userEvent.selectOptions(picture.getByLabelText('Coloured by'), 'Failure domain')
    expect(legend()).toEqual(['rack-11', 'in no failure domain1'])
    await userEvent.keyboard('{Enter}')
  },
  LOADS_WITHIN_MS,
)

test('the same as a table has a row for each node, with its wave and what it serves', async () => {
  renderApp(plans, { ...answer(byWaves), [cellsOf]: () => json(two) })
  const picture = within(await screen.findByRole('region', { name: 'In 2 waves' }, soon))
  await userEvent.click(await picture.findByRole('radio', { name: 'Table' }))
  const table = within(await screen.findByRole('region', { name: 'Nodes by wave, table' }))
  await table.findByRole('link', { name: 'edge-2' })
  expect(table.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    'NodeWaveWhat happensRequests per secondFailure domain',
    'edge-11Takes it now12rack-1',
    'edge-22Takes it on return––',
  ])
})

describe('an order that waits', () => {
  const waiting = rollout({
    ...{ state: 'awaiting_approval', approvalsNeeded: 1, policy: byWaves.policy },
    tasks: [task(), task({ nodeId: second.nodeId, nodeName: 'edge-2', wave: 1 })],
  })
  const toCome = {
    ...{ changingNodes: 2, waves: 2, waveNodes: [1, 1], wavePlans: byWaves.wavePlans },
    ...{ changingKinds: 1, mostAtOnce: { nodes: 1, requestsPerSecond: 12 }, cells: two },
  }
  const ofIt = `${endpoint}/to-come`

  test('shows whoever agrees to it its waves, and a node leads to its page', async () => {
    const api = renderApp(`/rollouts/${one.id}`, {
      [endpoint]: () => json(waiting),
      [ofIt]: () => json(toCome),
      [`GET /nodes/${plannedNode().nodeId}`]: never,
    })
    const picture = within(await screen.findByRole('region', { name: 'In 2 waves' }, soon))
    expect(
      picture.getByText(/^Between two configs at the same time: at most 1 of 2 nodes/),
    ).toBeVisible()
    const map = await picture.findByRole('group', { name: /^Map of 2 nodes by wave/ })
    map.focus()
    await userEvent.keyboard('{Home}')
    await picture.findAllByText(/^edge-1, wave 1: Takes it now/)
    expect(api.requests.filter(({ path }) => path.endsWith('/to-come'))).toHaveLength(2)
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(window.location.pathname).toBe(`/nodes/${plannedNode().nodeId}`))
  })

  test('nobody is named at a cell when its nodes have changed since the picture was drawn', async () => {
    const others = { ...toCome, cells: { ...two, cells: 'aa', standings: ['takes' as const] } }
    renderApp(`/rollouts/${one.id}`, {
      [endpoint]: () => json(waiting),
      [ofIt]: ({ query }) => json(query.has('namesFrom') ? others : toCome),
    })
    const picture = within(await screen.findByRole('region', { name: 'In 2 waves' }, soon))
    const map = await picture.findByRole('group', { name: /^Map of 2 nodes by wave/ })
    map.focus()
    await userEvent.keyboard('{Home}')
    await picture.findByText(/^Each cell is a node/)
    expect(picture.queryByText(/^edge-1, wave/)).toBeNull()
  })

  test('under way it has none: its nodes show where it is', async () => {
    const api = renderApp(`/rollouts/${one.id}`, {
      [endpoint]: () => json({ ...waiting, state: 'running' }),
    })
    await screen.findByRole('region', { name: 'State of the rollout' }, soon)
    expect(api.requests.filter(({ path }) => path.endsWith('/to-come'))).toEqual([])
  })
})

test('of a single node there is nothing to draw', async () => {
  const api = renderApp(plans, answer(plan()))
  await screen.findByText('1 node, 1 will change', {}, soon)
  expect(api.requests.filter(({ path }) => path.endsWith('/cells'))).toEqual([])
})

test('how long requests took with a version and without it is a table, too', async () => {
  const distribution = {
    ...{ stage: 'firstByte', firstColumn: -14, canary: [1, 3], control: [8, 2] },
    quantiles: [{ q: 0.99, canary: 0.0148, control: 0.012 }],
  } as const
  renderApp(`/rollouts/${one.id}`, {
    [endpoint]: () => json({ ...one, distributions: [distribution] }),
  })
  const panel = within(await screen.findByRole('region', { name: 'How long requests took' }, soon))
  expect(panel.getByText(/4 requests with it, 10 requests without/)).toBeVisible()
  expect(panel.getByText(/^99 % of the requests took at most/)).toHaveTextContent(
    '14.8 ms with the new version, 12 ms on the other nodes.',
  )
  await userEvent.click(panel.getByText('As a table'))
  const rows = within(
    panel.getByRole('region', { name: 'Until the first byte, distribution, table' }),
  )
  expect(rows.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    'Up toNew versionOther nodes',
    '11 ms25 %80 %',
    '15.6 ms75 %20 %',
  ])
})
