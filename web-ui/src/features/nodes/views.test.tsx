// SPDX-License-Identifier: MIT
// Views of the list of nodes: saved as it stands, opened again, replaced and deleted; and which columns it has.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { SavedView } from '../../lib/api-types.ts'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { ago } from '../../test/samples.ts'
import { parseFarmSearch, withColumn } from './farm-search.ts'

const view = (name: string, search: SavedView['search']): SavedView => ({
  ...{ list: 'nodes', name, search, savedAt: ago(60) },
})
const address = () => window.location.search

async function open(views: SavedView[], path = '/nodes?state=drift') {
  const kept = [...views]
  const api = renderApp(path, { 'GET /views': () => json({ items: kept }) })
  await screen.findByRole('link', { name: 'edge-1' })
  return { api, kept, button: await screen.findByRole('button', { name: /^Views/ }) }
}

test('the list as it stands is saved under a name', async () => {
  const { api, kept, button } = await open([])
  api.answer({
    'PUT /views/nodes/Drifted%20ones': () => {
      kept.push(view('Drifted ones', { state: 'drift' }))
      return json(kept[0])
    },
  })
  await userEvent.click(button)
  const menu = await screen.findByRole('dialog', { name: 'Views' })
  await userEvent.type(within(menu).getByLabelText('Save the list as it stands'), 'Drifted ones')
  await userEvent.keyboard('{Enter}')
  await screen.findByRole('button', { name: 'Views: Drifted ones' })
  const put = api.requests.find(({ method }) => method === 'PUT')
  expect(put?.body).toEqual({ search: { state: 'drift' } })
}, 20_000)

test('a name that no address can have is not sent', async () => {
  const { api, button } = await open([])
  await userEvent.click(button)
  const menu = await screen.findByRole('dialog', { name: 'Views' })
  const field = within(menu).getByLabelText('Save the list as it stands')
  await userEvent.type(field, '..{Enter}')
  expect(within(menu).getByText('A name is more than dots.')).toBeVisible()
  await userEvent.clear(field)
  await userEvent.type(field, 'a/b{Enter}')
  expect(within(menu).getByText('A name has no slash.')).toBeVisible()
  expect(api.requests.some(({ method }) => method === 'PUT')).toBe(false)
}, 20_000)

test('a view is opened with its filters and columns; what it no longer knows is left out', async () => {
  const { button } = await open([
    view('Frankfurt', { selector: 'site=fra', hide: 'labels', gone: true }),
    { ...view('Mine', { author: 'ana' }), list: 'rollouts' },
  ])
  await userEvent.click(button)
  expect(screen.queryByRole('button', { name: 'Mine' })).toBeNull()
  await userEvent.click(await screen.findByRole('button', { name: 'Frankfurt' }))
  await waitFor(() => expect(address()).toContain('hide=labels'))
  expect(address()).toContain('selector=site')
  expect(address()).not.toContain('gone')
  expect(screen.queryByRole('columnheader', { name: 'Labels' })).toBeNull()
  expect(screen.getByRole('columnheader', { name: 'Serves' })).toBeInTheDocument()
  expect(button).toHaveAccessibleName('Views: Frankfurt')
}, 20_000)

test('one is deleted; why it was not is said', async () => {
  const { api, kept, button } = await open([view('Old', {})])
  api.answer({ 'DELETE /views/nodes/Old': () => problem(503, 'busy', 'Try again.') })
  await userEvent.click(button)
  await userEvent.click(await screen.findByRole('button', { name: 'Delete the view Old' }))
  expect(await screen.findByText('Try again.')).toBeVisible()
  api.answer({
    'DELETE /views/nodes/Old': () => {
      kept.length = 0
      return new Response(null, { status: 204 })
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Delete the view Old' }))
  expect(await screen.findByText(/No view is saved yet/)).toBeVisible()
}, 20_000)

test('columns are hidden and shown, and stand in the address', async () => {
  await open([], '/nodes')
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  await userEvent.click(await screen.findByRole('checkbox', { name: '4xx' }))
  await waitFor(() => expect(address()).toBe('?hide=clientErrors'))
  expect(screen.queryByRole('columnheader', { name: /4xx/ })).toBeNull()
  expect(screen.getByRole('button', { name: 'Columns (1 hidden)' })).toBeInTheDocument()
}, 20_000)

test('of an address only columns there are can be hidden, and the name never', () => {
  expect(parseFarmSearch({ hide: 'labels,name,nonsense,p50' }).hide).toBe('p50,labels')
  expect(withColumn({ hide: 'p50' }, 'p50').hide).toBeUndefined()
})
