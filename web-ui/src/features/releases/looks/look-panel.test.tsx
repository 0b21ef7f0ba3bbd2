// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { ReleaseLook, ReleaseVersion } from '../../../lib/api-types.ts'
import { json, problem } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, notLookedAt, page, session } from '../../../test/samples.ts'

const edge = node()
const version: ReleaseVersion = {
  ...{ release: 'www', number: 2, manifest: '2'.repeat(64), parent: 1, author: 'ana' },
  ...{ message: 'New start page', source: '', createdAt: new Date().toISOString() },
  ...{ files: 3, links: 0, bytes: 2048, blobs: 2, blobBytes: 1024 },
  sinceParent: { added: 2, changed: 1, removed: 4, bytes: 10 },
  onNodes: {
    ...{ servedByNodes: 2, keptByNodes: 0, requests: 0, lastRequestAt: null },
    ...{ quietSeconds: null, uncountedNodes: 0, isSafeToDrop: false },
  },
}
const LOOK = '/releases/www/versions/2/look'
const rest = (...permissions: string[]) => ({
  'GET /session': () =>
    json({ ...session, permissions: ['releases:read', 'nodes:read', ...permissions] }),
  'GET /releases/www/versions/2': () => json(version),
  'GET /releases/www/previews': () => json({ items: [], isOn: false }),
  [`GET /manifests/${'2'.repeat(64)}/files`]: () => json(page()),
  [`GET ${LOOK}`]: () => json(notLookedAt),
})
const look = (change: Partial<ReleaseLook['nodes']>, more: Partial<ReleaseLook> = {}) => ({
  ...{ askedAt: new Date().toISOString(), files: 20, odd: [] },
  nodes: { ...notLookedAt.nodes, ...change },
  ...more,
})
const panelOf = () => screen.findByRole('region', { name: 'Is it what nodes serve?' })

test('nodes are asked, waited for, and what is odd is told with its node', async () => {
  const odd = [
    {
      node: { id: edge.id, name: edge.name },
      ...{ url: 'www.example.org/a.css', message: '404, and is in www@2' },
    },
  ]
  const api = renderApp('/releases/www/versions/2', {
    ...rest('rollouts:run'),
    [`POST ${LOOK}`]: () => {
      api.answer({ [`GET ${LOOK}`]: () => json(look({ right: 1, odd: 1, away: 1 }, { odd })) })
      return json(look({ waiting: 2, away: 1 }), {}, 202)
    },
  })
  const panel = await panelOf()
  expect(await within(panel).findByText(/Nobody has asked lately/)).toBeInTheDocument()
  await userEvent.click(within(panel).getByRole('button', { name: 'Ask nodes' }))
  expect(await within(panel).findByText('Not answered yet')).toBeInTheDocument()
  expect(panel).toHaveTextContent(/For20 files.*Not answered yet2 nodes.*Away1 node/)
  // It asks again by itself while some are waited for.
  const table = await within(panel).findByRole(
    'region',
    { name: 'Odd answers, table' },
    { timeout: 10_000 },
  )
  expect(panel).not.toHaveTextContent('Not answered yet')
  expect(panel).toHaveTextContent(/As this version says1 node.*Odd1 node/)
  const [, row] = within(table).getAllByRole('row')
  expect(row).toHaveTextContent(/edge-1.*www\.example\.org\/a\.css.*404, and is in www@2/)
  expect(within(table).getByRole('link', { name: edge.name })).toHaveAttribute(
    'href',
    `/nodes/${edge.id}`,
  )
})

test('who may not have nodes do something cannot ask', async () => {
  renderApp('/releases/www/versions/2', rest())
  expect(within(await panelOf()).getByRole('button', { name: 'Ask nodes' })).toBeDisabled()
})

test('that nobody can be asked is told with the reason', async () => {
  renderApp('/releases/www/versions/2', {
    ...rest('rollouts:run'),
    [`POST ${LOOK}`]: () => problem(409, 'version_not_served', 'No node runs it.'),
  })
  const panel = await panelOf()
  await userEvent.click(within(panel).getByRole('button', { name: 'Ask nodes' }))
  expect(await within(panel).findByRole('alert')).toHaveTextContent('No node runs it.')
})
