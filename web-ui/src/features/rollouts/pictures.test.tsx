// SPDX-License-Identifier: MIT
// The plan as a picture, and how long requests took: what who does not see them reads in their place.
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { answer, byWaves, endpoint, one, plans, soon } from '../../test/plan-answers.ts'
import { renderApp } from '../../test/render-app.tsx'
import { plan, planCells, plannedNode } from '../../test/samples.ts'

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
