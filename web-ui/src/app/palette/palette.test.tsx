// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { type ApiRequest, json, never, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { config, node, nodesPage, page, rollout, session, version } from '../../test/samples.ts'

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../server-c/config.schema.json'), 'utf8'),
)
const text = '{ "sites": [{ "hosts": ["www.example"], "root": "/srv" }] }'
const answers = {
  'GET /configs': () => json(page(config())),
  'GET /configs/default/versions': () => json(page(version({ message: 'Longer caching' }))),
  'GET /configs/default/draft': () =>
    json({ text, parent: 2, savedBy: 'ana', savedAt: null }, { etag: '"1"' }),
  'GET /config-schema': () => json(schema),
  'GET /rollouts': () => json(page(rollout())),
  'GET /nodes': () => json(nodesPage(node({ name: 'edge-7' }))),
}

beforeEach(() => localStorage.clear())

async function openPalette(handlers = {}) {
  const api = renderApp('/groups', { ...answers, ...handlers })
  await screen.findByRole('heading', { name: 'Groups', level: 1 })
  await userEvent.keyboard('{Control>}k{/Control}')
  const field = await screen.findByRole('combobox', { name: 'Find anything' })
  const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent ?? '')
  return { api, field, options }
}

test('Ctrl+K opens it, what is at hand stands there, and Esc gives the focus back', async () => {
  const { field, options } = await openPalette()
  expect(field).toHaveFocus()
  expect(field).toHaveAttribute('aria-expanded', 'true')
  expect(options()).toEqual(expect.arrayContaining([expect.stringContaining('New rollout')]))
  expect(options()).toEqual(expect.arrayContaining([expect.stringContaining('Settings')]))
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(field).not.toBeInTheDocument())
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
})

test('what is typed while it is being opened is looked for, and is no key of the console', async () => {
  renderApp('/groups', answers)
  await screen.findByRole('heading', { name: 'Groups', level: 1 })
  // By g and then c one goes to the configs.
  for (const key of ['k', 'g', 'c']) fireEvent.keyDown(document.body, { key, ctrlKey: key === 'k' })
  const field = await screen.findByRole('combobox', { name: 'Find anything' })
  expect(field).toHaveValue('gc')
  await waitFor(() => expect(field).toHaveFocus())
  await userEvent.keyboard('x')
  expect(field).toHaveValue('gcx')
  expect(window.location.pathname).toBe('/groups')
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(field).not.toBeInTheDocument())
  await userEvent.keyboard('{Control>}k{/Control}')
  expect(await screen.findByRole('combobox', { name: 'Find anything' })).toHaveValue('')
})

test('a node is looked for by the control plane, and Enter opens the first that is found', async () => {
  const id = node().id
  const { api, field } = await openPalette({ [`GET /nodes/${id}`]: () => json(node()) })
  await userEvent.type(field, 'edge-7')
  const group = await screen.findByRole('group', { name: 'Nodes' })
  expect(within(group).getByRole('option')).toHaveTextContent('edge-7')
  expect(api.requests.find(({ query }) => query.get('q') === 'edge-7')?.path).toBe('/nodes')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(window.location.pathname).toBe(`/nodes/${id}`))
})

test('the arrows choose, and the field says which is chosen', async () => {
  const { field } = await openPalette()
  await userEvent.type(field, 'rollout')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  const chosen = document.getElementById(field.getAttribute('aria-activedescendant') ?? '')
  expect(chosen).toHaveAttribute('role', 'option')
  expect(chosen).toBe(screen.getAllByRole('option')[1])
})

test('versions by number and message, rollouts by state, options in the open config', async () => {
  const { field, options } = await openPalette()
  await userEvent.type(field, 'caching')
  await screen.findByText('Longer caching')
  await userEvent.clear(field)
  await userEvent.type(field, 'running')
  await waitFor(() => expect(options().join()).toContain('Rollout of default v2'))
  await userEvent.clear(field)
  await userEvent.type(field, 'www.example root')
  const [option] = await screen.findAllByText(/default › www.example/)
  if (option) await userEvent.click(option)
  await waitFor(() => expect(window.location.pathname).toBe('/configs/default'))
  expect(new URLSearchParams(window.location.search).get('pointer')).toBe('/sites/0/root')
})

test('a rollout and a person beyond the first page are found by the control plane', async () => {
  const old = rollout({ id: `${rollout().id.slice(0, -1)}0`, message: 'Images of the atelier' })
  const zoe = { ...session.user, id: 'user_01jd4q6v2m8w3x5y7z9abcdez0', username: 'atelierist' }
  const { field, options } = await openPalette({
    'GET /session': () => json({ ...session, permissions: ['rollouts:read', 'users:read'] }),
    'GET /rollouts': ({ query }: ApiRequest) =>
      json(query.get('q') === 'atelier' ? page(old) : page()),
    'GET /users': ({ query }: ApiRequest) =>
      json(query.get('q') === 'atelier' ? page(zoe) : page()),
  })
  await userEvent.type(field, 'atelier')
  await waitFor(() => expect(options().join()).toContain('Rollout of default v2'))
  await waitFor(() => expect(options().join()).toContain('atelierist'))
})

test('what is not allowed is not offered', async () => {
  const { options } = await openPalette({
    'GET /session': () => json({ ...session, permissions: ['nodes:read'] }),
  })
  expect(options().join()).not.toContain('New rollout')
  expect(options().join()).not.toContain('Backups')
})

test('an answer that fails is said, and the others are listed', async () => {
  const { field, options } = await openPalette({
    'GET /nodes': () => problem(503, 'busy', 'Try again in a moment.'),
  })
  await userEvent.type(field, 'default')
  await screen.findByText(/Not all was looked through/)
  expect(options().join()).toContain('default')
})

test('while the nodes of another word are looked for, what else is found is not all', async () => {
  const { api, field } = await openPalette()
  await userEvent.type(field, 'edge-7')
  await screen.findByRole('group', { name: 'Nodes' })
  api.answer({
    'GET /nodes': never,
    'GET /configs/default/versions': () => json(page(version({ message: 'Elsewhere' }))),
  })
  await userEvent.clear(field)
  await userEvent.type(field, 'elsewhere')
  await screen.findByText(/found, still looking\.$/)
})

test('single keys: ? shows them, / finds, g c goes; none of it in a field, or when turned off', async () => {
  const { field } = await openPalette()
  await userEvent.type(field, '?g')
  expect(field).toHaveValue('?g')
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(field).not.toBeInTheDocument())
  await userEvent.keyboard('?')
  const keys = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
  expect(within(keys).getByText('Go to the configs')).toBeInTheDocument()
  await userEvent.click(within(keys).getByRole('checkbox', { name: 'Single keys' }))
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(keys).not.toBeInTheDocument())
  await userEvent.keyboard('gc')
  await userEvent.keyboard('{Control>}k{/Control}')
  await screen.findByRole('combobox', { name: 'Find anything' })
  expect(window.location.pathname).toBe('/groups')
  localStorage.setItem('farmstead.single-keys', 'true')
})

test('a g that is held down is no second g', async () => {
  await openPalette()
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Find anything' })).toBeNull())
  fireEvent.keyDown(document.body, { key: 'g' })
  fireEvent.keyDown(document.body, { key: 'g', repeat: true })
  fireEvent.keyDown(document.body, { key: 'c' })
  await waitFor(() => expect(window.location.pathname).toBe('/configs'))
})

test('g and then c goes to the configs', async () => {
  const { field } = await openPalette()
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(field).not.toBeInTheDocument())
  await userEvent.keyboard('gc')
  await waitFor(() => expect(window.location.pathname).toBe('/configs'))
})

test('a heading of the docs is found, and opens its page at that place', async () => {
  const { field } = await openPalette()
  await userEvent.type(field, 'changing many nodes')
  await userEvent.click(await screen.findByRole('option', { name: /^Changing many nodes/ }))
  expect(
    await screen.findByRole('heading', { name: 'Working in the console', level: 1 }),
  ).toBeVisible()
  expect(await screen.findByRole('heading', { name: 'Changing many nodes' })).toHaveAttribute(
    'id',
    'changing-many-nodes',
  )
  expect(window.location.hash).toBe('#changing-many-nodes')
  await userEvent.click(screen.getByRole('link', { name: 'All docs' }))
  expect(await screen.findByRole('link', { name: 'The overview' })).toBeVisible()
})

test('a page of the docs that is not there says so', async () => {
  renderApp('/docs/nowhere', answers)
  expect(await screen.findByText('There is no such page')).toBeVisible()
})
