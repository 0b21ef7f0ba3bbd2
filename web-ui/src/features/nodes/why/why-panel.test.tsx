// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, problem } from '../../../test/fake-api.ts'
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

/** Of a redirect it is not asked. */
const noWord = problem(500, 'internal', 'Nobody should have asked.')

async function ask(url: string, answer: object, says: () => Response = () => noWord) {
  const permissions = [...session.permissions, 'configs:read']
  renderApp(`/nodes/${id}`, {
    'GET /session': () => json({ ...session, permissions }),
    [`GET /nodes/${id}`]: () => json(node()),
    [`POST /nodes/${id}/explain`]: () =>
      json({ nodeId: id, version: { config: 'default', number: 4 }, errors: [], ...answer }),
    [`POST /nodes/${id}/statuses`]: says,
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

describe('the node itself is asked whether the file is there', () => {
  const url = 'http://a.test/page.html'
  const file = {
    status: 200,
    location: '',
    path: '/page.html',
    files: ['/srv/page.html'],
    rules: [],
  }
  const answer = { items: [{ url, error: null, before: { ...before, ...file }, after: null }] }
  const saying = (status: number | null) => () => json({ nodeId: id, items: [{ url, status }] })

  test.each([
    [200, /says that the file is there\. Asked at/],
    [404, /answers 404 just now: the file is not there\./],
    [403, /answers 403 just now\./],
    [null, /can’t be asked about this host/],
  ])('%s', async (status, words) => {
    const panel = await ask(url, answer, saying(status))
    expect(await panel.findByText(words)).toBeVisible()
    expect(panel.getByText('200 from /srv/page.html')).toBeVisible()
  })

  test('away', async () => {
    const why = 'edge-1 is not connected. It may go on serving; its machine has its log.'
    const panel = await ask(url, answer, () => problem(504, 'node_did_not_answer', why))
    expect(await panel.findByText(/the node did not say: edge-1 is not connected/)).toBeVisible()
  })

  test('not of a redirect', async () => {
    const redirect = { items: [{ url, error: null, before, after: null }] }
    const panel = await ask(url, redirect)
    expect(await panel.findByText('308 to /new')).toBeVisible()
    expect(panel.queryByText(/the node did not say|Asking the node/)).toBeNull()
  })
})
