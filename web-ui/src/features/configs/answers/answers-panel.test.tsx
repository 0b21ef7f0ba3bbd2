// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { Explained, Explanation } from '../../../lib/api-types.ts'
import { json, problem } from '../../../test/fake-api.ts'
import { editor, openEditor, soon, write } from '../../../test/open-editor.ts'
import { node, session } from '../../../test/samples.ts'

const TEXT = '{ "sites": [{ "hosts": ["a.test"], "root": "/srv" }] }'
const answer = (change: Partial<Explained> = {}): Explained => ({
  ...{ status: 200, location: '', path: '/x', files: ['/srv/x'], rules: [], unread: [] },
  headers: [{ name: 'Cache-Control', value: 'max-age=60', from: null }],
  ...change,
})
const slow = (...paths: string[]) => ({
  nodeId: node().id,
  items: paths.map((path) => ({
    ...{ startedAt: '2026-11-21T09:00:00.000000Z', generation: 1, status: 200, bytes: 1 },
    ...{ protocol: 'HTTP/1.1', reason: null, path, stageSeconds: { total: 1 } },
  })),
})
const explained = (
  items: Explanation['items'],
  change: Partial<Explanation> = {},
): Explanation => ({
  ...{ nodeId: node().id, version: { config: 'default', number: 2 }, errors: [], items },
  ...change,
})
const panel = () => within(screen.getByRole('region', { name: 'What requests would get' }))

async function open(explain: (urls: string[]) => Response | Promise<Response>) {
  const id = node().id
  const permissions = [...session.permissions, 'requests:read']
  const api = openEditor({
    'GET /session': () => json({ ...session, permissions }),
    'GET /nodes': () => json({ items: [node()], nextCursor: null, total: 1, revision: 1 }),
    [`GET /nodes/${id}`]: () => json(node()),
    [`GET /nodes/${id}/slow-requests`]: () => json(slow('/x', '/x', '/y', '/users/***')),
    [`GET /nodes/${id}/samples`]: () =>
      json({ nodeId: id, state: 'disconnected', next: 0, batches: [] }),
    [`POST /nodes/${id}/explain`]: ({ body }) => explain((body as { urls: string[] }).urls),
  })
  write(await editor(), TEXT)
  await userEvent.click(panel().getByRole('combobox', { name: 'On node' }))
  await userEvent.click(await screen.findByRole('option', { name: node().name }))
  return api
}

test('recent requests of a node are put to the text, and what changes is shown side by side', async () => {
  const api = await open((urls) =>
    json(
      explained(
        urls.map((url) => ({
          ...{ url, error: null, before: answer() },
          after: url.endsWith('/x') ? answer({ status: 403, files: [], headers: [] }) : answer(),
        })),
      ),
    ),
  )
  await userEvent.click(panel().getByRole('button', { name: 'Take its recent requests' }))
  expect(
    await panel().findByText(/2 paths of its recent requests\. 1 request left out/, {}, soon),
  ).toBeVisible()
  expect(
    await panel().findByText(
      /^1 of 2 URLs would get another answer than with default v2/,
      {},
      soon,
    ),
  ).toBeVisible()
  const rows = within(panel().getByRole('region', { name: 'What changes for http://a.test/x' }))
  expect(rows.getByRole('row', { name: 'Status 200 403' })).toBeVisible()
  expect(rows.getByRole('row', { name: 'Cache-Control max-age=60 none' })).toBeVisible()
  expect(panel().getByText('1 URL with the same answer')).toBeVisible()
  const asked = api.requests.filter(({ path }) => path.endsWith('/explain')).at(-1)
  expect(asked?.body).toEqual({ urls: ['http://a.test/x', 'http://a.test/y'], text: TEXT })
})

test('a URL of one’s own is asked about, and a slip is said at the field', async () => {
  await open((urls) =>
    json(explained(urls.map((url) => ({ url, error: null, before: null, after: answer() })))),
  )
  const field = panel().getByRole('textbox', { name: 'A URL of your own' })
  await userEvent.type(field, 'a.test/x{Enter}')
  expect(panel().getByText('A URL begins with http:// or https://.')).toBeVisible()
  await userEvent.clear(field)
  await userEvent.type(field, 'http://a.test/own{Enter}')
  expect(await panel().findByText('http://a.test/own', {}, soon)).toBeVisible()
  expect(panel().getAllByText('200 from /srv/x')[0]).toBeVisible()
})

test('a node that would refuse the text, and a control plane that cannot ask, say so', async () => {
  const error = {
    ...{ pointer: '', line: 0, column: 0, endLine: 0, endColumn: 0, code: 'x', hint: '' },
    message: 'no label "disk"',
  }
  const api = await open((urls) =>
    json(
      explained(
        urls.map((url) => ({ url, error: null, before: answer(), after: null })),
        { errors: [error] },
      ),
    ),
  )
  const field = panel().getByRole('textbox', { name: 'A URL of your own' })
  await userEvent.type(field, 'http://a.test/1{Enter}')
  expect(await panel().findByText(/would refuse the text: no label "disk"/, {}, soon)).toBeVisible()
  api.answer({
    [`POST /nodes/${node().id}/explain`]: () =>
      problem(503, 'node_check_unavailable', 'It could not be asked.'),
  })
  await userEvent.type(field, 'http://a.test/2{Enter}')
  expect(await panel().findByText(/It could not be asked/, {}, soon)).toBeVisible()
})
