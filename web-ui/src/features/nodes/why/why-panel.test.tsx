// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { json } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, session } from '../../../test/samples.ts'

const { id } = node()
const place = (pointer: string, line: number) => ({
  ...{ pointer, line, column: 5, from: null },
  since: { number: 3, author: 'ana', at: '2026-11-21T09:00:00.000Z', isOlder: false },
})
const before = {
  ...{ status: 308, location: '/new', path: '', files: [], unread: [] },
  rules: [place('/sites/0/redirects/2', 12)],
  headers: [
    { name: 'Server', value: 'farmstead', from: null },
    { name: 'X-A', value: '1', from: place('/sites/0/headers/0', 20) },
  ],
}

async function ask(url: string, answer: object) {
  const permissions = [...session.permissions, 'configs:read']
  renderApp(`/nodes/${id}`, {
    'GET /session': () => json({ ...session, permissions }),
    [`GET /nodes/${id}`]: () => json(node()),
    [`POST /nodes/${id}/explain`]: () =>
      json({ nodeId: id, version: { config: 'default', number: 4 }, errors: [], ...answer }),
  })
  const panel = within(await screen.findByRole('region', { name: 'Why this answer?' }))
  await userEvent.type(panel.getByRole('textbox', { name: 'URL' }), `${url}{Enter}`)
  return panel
}

test('an answer is explained by its rule, and each header by line, version and author', async () => {
  const url = 'http://a.test/old'
  const panel = await ask(url, { items: [{ url, error: null, before, after: null }] })
  expect(await panel.findByText('308 to /new')).toBeVisible()
  expect(panel.getByText(/^Redirect 3, line 12/)).toBeVisible()
  const table = within(panel.getByRole('region', { name: `Headers of ${url}` }))
  expect(
    table.getByRole('row', { name: /X-A 1 Header rule 1, line 20 since v3, ana/ }),
  ).toBeVisible()
  expect(table.getByRole('row', { name: 'Server farmstead the node itself' })).toBeVisible()
  expect(table.getByRole('link', { name: /^v3, ana/ })).toHaveAttribute(
    'href',
    '/configs/default/versions/3',
  )
})

test('a slip is said at the field, and a node without a config says so', async () => {
  const panel = await ask('a.test/', { version: null, items: [] })
  expect(panel.getByText('A URL begins with http:// or https://.')).toBeVisible()
  await userEvent.clear(panel.getByRole('textbox', { name: 'URL' }))
  await userEvent.type(panel.getByRole('textbox', { name: 'URL' }), 'http://a.test/{Enter}')
  expect(await panel.findByText('The node has no config yet.')).toBeVisible()
})
