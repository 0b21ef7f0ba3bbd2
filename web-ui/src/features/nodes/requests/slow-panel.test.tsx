// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { RequestSample } from '../../../lib/api-types.ts'
import { type Handlers, json, problem } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, session } from '../../../test/samples.ts'

const { id } = node()
const SLOW = `GET /nodes/${id}/slow-requests`
const looker = { ...session, permissions: ['requests:read'] }

/** The slower it was, the longer ago. */
const request = (path: string, total: number): RequestSample => ({
  ...{
    startedAt: new Date(Date.now() - total * 1000).toISOString(),
    generation: 1,
    status: 200,
    bytes: 2048,
  },
  ...{ protocol: 'HTTP/2', reason: null, path, stageSeconds: { total, write: total } },
})

async function open(handlers: Handlers = {}, search = '') {
  const api = renderApp(`/nodes/${id}${search}`, {
    'GET /session': () => json(looker),
    [`GET /nodes/${id}`]: () => json(node()),
    [`GET /nodes/${id}/effective-config`]: () =>
      json({ text: null, generation: null, digest: null, releases: [], desiredText: null }),
    [`GET /nodes/${id}/override`]: () => json({ mergePatch: {} }, { etag: '"1"' }),
    ...handlers,
  })
  return { api, panel: within(await screen.findByRole('region', { name: 'Slow requests' })) }
}
const answer = (...items: RequestSample[]) => ({ [SLOW]: () => json({ nodeId: id, items }) })
const paths = async (panel: Awaited<ReturnType<typeof open>>['panel']) => {
  const rows = within(await panel.findByRole('table')).getAllByRole('row')
  return rows.slice(1).map((row) => within(row).getAllByRole('cell').at(-1)?.textContent)
}

test('lists what is kept, says what of it took how long, and sorts it', async () => {
  const { api, panel } = await open(
    answer(
      request('/new', 1),
      { ...request('', 2), status: null, reason: 'clientGone' },
      request('/users/***', 4),
    ),
  )
  expect(await paths(panel)).toEqual(['/new', 'not decodable', '/users/***'])
  expect(panel.getByText('Write 4 s')).toBeVisible()
  expect(panel.getByText(/ended early: client gone/)).toBeVisible()
  expect(panel.getByText(/samples\.maskPaths/)).toBeVisible()
  await userEvent.click(panel.getByRole('button', { name: /^Took/ }))
  expect(await paths(panel)).toEqual(['/users/***', 'not decodable', '/new'])
  expect(window.location.search).toContain('slowSort=took')
  const asked = api.requests.find(({ path }) => path.endsWith('/slow-requests'))
  expect(asked?.query.get('limit')).toBe('1000')
  expect(asked?.query.get('from')).toBeNull()
})

test('is narrowed by path, status and part, and widened again', async () => {
  const refused = { ...request('/b', 2), status: 503 }
  const { api, panel } = await open(answer(request('/a', 1), refused))
  await userEvent.type(await panel.findByLabelText('A part of the path'), 'b')
  expect(await paths(panel)).toEqual(['/b'])
  expect(panel.getByText('1 of 1 shown, which the filters leave of 2')).toBeVisible()
  await userEvent.selectOptions(panel.getByLabelText('How it ended'), 'Status 2xx')
  expect(panel.getByText(/None of 2 requests is like that/)).toBeVisible()
  await userEvent.click(panel.getByRole('button', { name: 'Show all' }))
  expect(await paths(panel)).toHaveLength(2)
  await userEvent.selectOptions(panel.getByLabelText('How far back'), 'Last hour')
  await expect
    .poll(() =>
      api.requests.findLast(({ path }) => path.endsWith('/slow-requests'))?.query.get('from'),
    )
    .toMatch(/^2/)
})

test('shows twenty, and more when asked', async () => {
  const many = Array.from({ length: 50 }, (_, i) => request(`/${i}`, 1))
  const { panel } = await open(answer(...many))
  expect(await paths(panel)).toHaveLength(20)
  await userEvent.click(panel.getByRole('button', { name: 'Show 30 more' }))
  expect(await paths(panel)).toHaveLength(50)
})

test('of a node that was never slow it says so', async () => {
  const { panel } = await open(answer())
  expect(await panel.findByText(/No request was slow/)).toBeVisible()
  expect(panel.queryByLabelText('How it ended')).toBeNull()
})

test('who may not see paths asks for nothing, and reads why', async () => {
  const { api, panel } = await open({ 'GET /session': () => json(session) })
  expect(panel.getByRole('button', { name: 'Read again' })).toBeDisabled()
  expect(panel.getByText(/needs the permission requests:read/)).toBeVisible()
  expect(api.requests.some(({ path }) => path.endsWith('/slow-requests'))).toBe(false)
})

test('a failure stands in its place, and the page goes on', async () => {
  const { api, panel } = await open({ [SLOW]: () => problem(503, 'busy', 'It reads too much.') })
  expect(await panel.findByRole('alert')).toHaveTextContent('The slow requests')
  api.answer(answer(request('/a', 1)))
  await userEvent.click(panel.getByRole('button', { name: 'Try again' }))
  expect(await paths(panel)).toEqual(['/a'])
})
