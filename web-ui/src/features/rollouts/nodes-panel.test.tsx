// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { rollout, task, tasksOf, wave } from '../../test/samples.ts'
import { soon } from '../../test/soon.ts'

const large = rollout({
  totalNodes: 100,
  states: { done: 98, nacked: 2 },
  waves: [wave({ nodes: 10, states: { done: 10 } }), wave({ index: 1, nodes: 90 })],
})
const endpoint = `GET /rollouts/${large.id}`
const names = Array.from({ length: 100 }, (_, i) => `edge-${i}`)
const cells = {
  stateVersion: 4,
  order: 'first',
  waves: [
    { index: 0, nodes: 10 },
    { index: 1, nodes: 90 },
  ],
  names: null,
  states: ['done', 'nacked'],
  cells: names.map((_, i) => (i > 97 ? 'b' : 'a')).join(''),
}
const refused = task({ state: 'nacked', nodeName: 'edge-99' })

describe('the nodes of a large rollout', () => {
  const open = () =>
    renderApp(`/rollouts/${large.id}`, {
      [endpoint]: () => json(large),
      [`${endpoint}/cells`]: ({ query }) =>
        json(query.has('namesFrom') ? { ...cells, names } : cells),
      [`${endpoint}/tasks`]: () => json({ ...tasksOf(refused), nextCursor: 'more', total: 60 }),
    })
  const asked = (api: ReturnType<typeof renderApp>, path: string) =>
    api.requests
      .filter((request) => request.path === `/rollouts/${large.id}${path}`)
      .map(({ query }) => Object.fromEntries(query))

  test('are a map whose cells the keys read, and rows of those that may need a look', async () => {
    const api = open()
    const map = await screen.findByRole('group', { name: /^Map of 100 nodes/ }, soon)
    expect(await screen.findByRole('link', { name: 'edge-99' })).toBeVisible()
    expect(asked(api, '/tasks')).toEqual([{ exceptions: 'true', limit: '50' }])
    map.focus()
    await userEvent.keyboard('{End}')
    expect(await screen.findAllByText('edge-99, wave 2: Refused')).toHaveLength(2)
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => asked(api, '/tasks').at(-1)).toEqual({ name: 'edge-99', limit: '50' })
  })

  test('are narrowed by state and wave, and read page by page', async () => {
    const api = open()
    const panel = within(await screen.findByRole('region', { name: 'Nodes' }, soon))
    await userEvent.click(panel.getByRole('button', { name: 'Refused 2' }))
    await userEvent.selectOptions(panel.getByRole('combobox', { name: 'Filter by wave' }), '1')
    const filter = { state: 'nacked', wave: '1', limit: '50' }
    await expect.poll(() => asked(api, '/tasks').at(-1)).toEqual(filter)
    await userEvent.click(await panel.findByRole('button', { name: 'Next 50' }))
    await expect.poll(() => asked(api, '/tasks').at(-1)).toEqual({ ...filter, cursor: 'more' })
    await userEvent.click(panel.getByRole('button', { name: 'Back' }))
    expect(await panel.findByText('1 to 1 of 60 nodes')).toBeVisible()
  })

  test('are said to be gone from a later page, not to be none, when their states have changed', async () => {
    const api = open()
    const panel = within(await screen.findByRole('region', { name: 'Nodes' }, soon))
    api.answer({
      [`${endpoint}/tasks`]: ({ query }) =>
        json(query.has('cursor') ? { ...tasksOf(), total: 1 } : tasksOf(refused)),
    })
    await userEvent.click(await panel.findByRole('button', { name: 'Next 50' }))
    expect(await panel.findByText('None is left here')).toBeVisible()
    await userEvent.click(panel.getByRole('button', { name: 'Back' }))
    expect(await panel.findByRole('link', { name: 'edge-99' })).toBeVisible()
  })

  test('are asked for their names where somebody is, and once', async () => {
    const api = open()
    const map = await screen.findByRole('group', { name: /^Map of 100 nodes/ }, soon)
    sayChanged('rollout')
    await expect.poll(() => asked(api, '/cells')).toEqual([{}, {}])
    map.focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(await screen.findAllByText('edge-0, wave 1: Done')).toHaveLength(2)
    await userEvent.keyboard('{ArrowRight}')
    expect(await screen.findAllByText('edge-1, wave 1: Done')).toHaveLength(2)
    expect(asked(api, '/cells')).toEqual([{}, {}, { namesFrom: '0' }])
  })

  test('have no names of another order: the map is read again', async () => {
    const api = open()
    const map = await screen.findByRole('group', { name: /^Map of 100 nodes/ }, soon)
    const renamed = names.with(0, 'renamed')
    api.answer({
      [`${endpoint}/cells`]: ({ query }) =>
        json({ ...cells, order: 'second', names: query.has('namesFrom') ? renamed : null }),
    })
    map.focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(await screen.findAllByText('renamed, wave 1: Done')).toHaveLength(2)
    expect(asked(api, '/cells')).toEqual([{}, { namesFrom: '0' }, {}, { namesFrom: '0' }])
  })

  test('are in numbers, wave by wave', async () => {
    open()
    const panel = within(await screen.findByRole('region', { name: 'Nodes' }, soon))
    await userEvent.click(panel.getByText('Waves in numbers'))
    const rows = panel.getByRole('region', { name: 'Nodes by wave and state, table' })
    expect(
      within(rows)
        .getAllByRole('row')
        .map(({ textContent }) => textContent),
    ).toEqual(['WaveRefusedDone', '1010', '200'])
  })
})
