// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { ReleasePreview, ReleaseVersion } from '../../../lib/api-types.ts'
import { json } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, notLookedAt, page, session } from '../../../test/samples.ts'

const edge = node()
const version: ReleaseVersion = {
  ...{ release: 'www', number: 2, manifest: '2'.repeat(64), parent: 1, author: 'ana' },
  ...{ message: 'New start page', source: '', createdAt: new Date().toISOString() },
  ...{ files: 3, links: 0, bytes: 2048, blobs: 2, blobBytes: 1024 },
  sinceParent: { added: 2, changed: 1, removed: 4, bytes: 10 },
  onNodes: {
    ...{ servedByNodes: 0, keptByNodes: 0, requests: 0, lastRequestAt: null },
    ...{ quietSeconds: null, uncountedNodes: 0, isSafeToDrop: false },
  },
}
const preview = (change: Partial<ReleasePreview> = {}): ReleasePreview => ({
  ...{ id: 'preview_1', release: 'www', number: 2, node: { id: edge.id, name: edge.name } },
  ...{ host: 'v2-www.edge-1.p.example', url: 'https://v2-www.edge-1.p.example/' },
  ...{ state: 'shown', error: null, createdBy: 'ana', createdAt: new Date().toISOString() },
  endsAt: new Date(Date.now() + 7_200_000).toISOString(),
  ...change,
})
const list = (isOn: boolean, ...items: ReleasePreview[]) => ({
  'GET /releases/www/previews': () => json({ items, isOn }),
})
const rest = {
  'GET /releases/www/versions/2': () => json(version),
  'GET /releases/www/versions/2/look': () => json(notLookedAt),
  [`GET /manifests/${'2'.repeat(64)}/files`]: () => json(page()),
}
const asRole = (...permissions: string[]) => ({
  'GET /session': () =>
    json({ ...session, permissions: ['releases:read', 'nodes:read', ...permissions] }),
})
const panelOf = () => screen.findByRole('region', { name: 'Previews' })

test('a version says where it is shown, how that stands and until when', async () => {
  const error = { code: 'resource_limit', message: 'there is no room' }
  renderApp('/releases/www/versions/2', {
    ...asRole(),
    ...rest,
    ...list(
      true,
      preview(),
      preview({ id: 'preview_2', state: 'refused', error, url: null }),
      preview({ id: 'preview_3', number: 1, host: 'v1-www.edge-1.p.example' }),
    ),
  })
  const table = await screen.findByRole('region', { name: 'Previews, table' })
  const [, shown, refused, ...others] = within(table).getAllByRole('row')
  expect(others).toEqual([])
  expect(shown).toHaveTextContent(/edge-1.*v2-www\.edge-1\.p\.example.*Shown.*in .*ana/)
  expect(refused).toHaveTextContent(/Refused.*there is no room/)
  expect(within(table).getByRole('link', { name: 'v2-www.edge-1.p.example' })).toHaveAttribute(
    'href',
    'https://v2-www.edge-1.p.example/',
  )
  const panel = await panelOf()
  expect(within(panel).getByRole('button', { name: 'Preview on a node' })).toBeDisabled()
  expect(within(panel).queryByRole('button', { name: /^End/ })).toBeNull()
})

test('one is started, its password shown once, and ended', async () => {
  const api = renderApp('/releases/www/versions/2', {
    ...asRole('rollouts:run'),
    ...rest,
    ...list(true),
    'GET /nodes': () => json(page(edge)),
    [`GET /nodes/${edge.id}`]: () => json(edge),
    'POST /releases/www/versions/2/previews': () => {
      api.answer(list(true, preview()))
      return json({ ...preview(), username: 'preview', password: 'only once' }, {}, 201)
    },
  })
  const panel = await panelOf()
  expect(await within(panel).findByText(/No node shows this version/)).toBeInTheDocument()
  await userEvent.click(within(panel).getByRole('button', { name: 'Preview on a node' }))
  const dialog = await screen.findByRole('dialog', { name: 'Preview www v2 on a node' })
  expect(within(dialog).getByRole('button', { name: 'Start preview' })).toBeDisabled()
  await userEvent.click(within(dialog).getByRole('combobox', { name: 'Node' }))
  await userEvent.click(await screen.findByRole('option', { name: edge.name }))
  await userEvent.selectOptions(
    within(dialog).getByRole('combobox', { name: 'Ends by itself after' }),
    '2 hours',
  )
  await userEvent.click(within(dialog).getByRole('button', { name: 'Start preview' }))
  expect(await within(dialog).findByText('only once')).toBeInTheDocument()
  const sent = api.requests.find(({ method }) => method === 'POST')
  expect(sent?.body).toEqual({ nodeId: edge.id, hours: 2 })
  // A slip of the hand does not take it away.
  await userEvent.keyboard('{Escape}')
  expect(within(dialog).getByText('only once')).toBeInTheDocument()
  await userEvent.click(within(dialog).getAllByRole('button', { name: 'Close' }).at(-1) as Element)

  await userEvent.click(
    await within(panel).findByRole('button', { name: 'End the preview on edge-1' }),
  )
  api.answer({
    ...list(true),
    'DELETE /releases/www/previews/preview_1': () => new Response(null, { status: 204 }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'End preview' }))
  expect(await within(panel).findByText(/No node shows this version/)).toBeInTheDocument()
})

test('where there are no names it says what is to be set', async () => {
  renderApp('/releases/www/versions/2', { ...asRole('rollouts:run'), ...rest, ...list(false) })
  expect(await within(await panelOf()).findByText(/FARMSTEAD_PREVIEW_HOST/)).toBeInTheDocument()
  expect(screen.getByRole('button', { name: 'Preview on a node' })).toBeDisabled()
})
