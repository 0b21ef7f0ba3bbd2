// SPDX-License-Identifier: MIT
// Changing many nodes from their list: selected, looked at, made.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { NodesAnswer, NodesOrder } from '../../../lib/api-types.ts'
import { type ApiRequest, type Handlers, json, problem } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, session } from '../../../test/samples.ts'

const all = Array.from({ length: 3 }, (_, i) =>
  node({ id: `node_${i + 1}`, name: `edge-${i + 1}` }),
)

const listed = (nodes: typeof all) => () =>
  json({ items: nodes, nextCursor: null, total: nodes.length, revision: 1 })

/** The second is refused. */
function answered({ body }: ApiRequest) {
  const { nodeIds } = body as NodesOrder
  const results = nodeIds.map((nodeId): NodesAnswer['results'][number] => {
    const who = { nodeId, nodeName: nodeId.replace('node_', 'edge-'), labels: null }
    return nodeId === 'node_2'
      ? { ...who, outcome: 'refused', code: 'outside_scope', message: 'It would leave your scope.' }
      : { ...who, outcome: 'changed', code: null, message: '' }
  })
  return json({ results, impact: null })
}

async function openNodes(handlers: Handlers = {}) {
  const api = renderApp('/nodes', {
    'GET /nodes': listed(all),
    'POST /nodes/actions/change': answered,
    ...handlers,
  })
  await screen.findByRole('link', { name: 'edge-1' })
  const asked = () => api.requests.filter(({ path }) => path === '/nodes/actions/change')
  return { api, asked, keys: userEvent.setup() }
}

test('some are selected, looked at, then changed; of each one hears what became of it', async () => {
  const { asked, keys } = await openNodes()
  await keys.click(screen.getByRole('checkbox', { name: 'Select edge-1' }))
  await keys.click(screen.getByRole('checkbox', { name: 'Select edge-2' }))
  const bar = screen.getByRole('region', { name: 'Selected nodes' })
  expect(within(bar).getByRole('status')).toHaveTextContent('2 nodes selected')
  await keys.click(within(bar).getByRole('button', { name: 'Label…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Label 2 nodes' })
  const show = within(dialog).getByRole('button', { name: 'Show what it would do' })
  expect(show).toBeDisabled()
  await keys.type(within(dialog).getByLabelText('Labels to set'), 'rack=b2')
  await keys.click(show)
  expect(await within(dialog).findByText('Nothing is done yet')).toBeVisible()
  expect(within(dialog).getByText(/edge-2/)).toBeVisible()
  expect(within(dialog).getByText(/It would leave your scope/)).toBeVisible()
  expect(asked().map(({ query }) => query.get('dryRun'))).toEqual(['1'])
  await keys.click(within(dialog).getByRole('button', { name: 'Label 1 node' }))
  expect(await within(dialog).findByText('1 node labelled, 1 refused.')).toBeVisible()
  const made = asked().at(-1)
  expect(made?.query.get('dryRun')).toBeNull()
  expect(made?.headers.get('idempotency-key')).toMatch(/-0$/)
  expect(made?.body).toEqual({
    nodeIds: ['node_1', 'node_2'],
    change: { kind: 'label', set: { rack: 'b2' }, remove: [] },
  })
  await keys.click(within(dialog).getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement)
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Selected nodes' })).toBeNull())
}, 30_000)

test('what is typed anew is looked at anew', async () => {
  const { asked, keys } = await openNodes()
  await keys.click(screen.getByRole('checkbox', { name: /^Select all/ }))
  await keys.click(screen.getByRole('button', { name: 'Cordon…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Cordon 3 nodes' })
  await keys.type(within(dialog).getByLabelText('Why'), 'new disk')
  await keys.click(within(dialog).getByRole('button', { name: 'Show what it would do' }))
  await within(dialog).findByRole('button', { name: 'Cordon 2 nodes' })
  await keys.type(within(dialog).getByLabelText('Why'), 's')
  expect(within(dialog).getByRole('button', { name: 'Show what it would do' })).toBeEnabled()
  expect(within(dialog).queryByText('Nothing is done yet')).toBeNull()
  expect(asked()).toHaveLength(1)
}, 30_000)

test('what failed on the way is gone on with, with the key of the part that got no answer', async () => {
  const many = Array.from({ length: 201 }, (_, i) => `node_${i + 10}`)
  let fails = true
  const { asked, keys } = await openNodes({
    'GET /nodes': ({ query }) =>
      query.get('limit') === '500'
        ? json({
            items: many.map((id) => node({ id, name: id.replace('_', '-') })),
            nextCursor: null,
            total: 201,
          })
        : listed(all)(),
    'POST /nodes/actions/change': (request) => {
      const { nodeIds } = request.body as NodesOrder
      const isLast = nodeIds.length === 1 && request.query.get('dryRun') !== '1'
      if (isLast && fails) {
        fails = false
        return problem(503, 'busy', 'Too much at once.')
      }
      return answered(request)
    },
  })
  await keys.click(screen.getByRole('checkbox', { name: /^Select all/ }))
  await keys.click(screen.getByRole('button', { name: 'Uncordon…' }))
  const dialog = await screen.findByRole('dialog')
  await keys.click(within(dialog).getByRole('button', { name: 'Show what it would do' }))
  await keys.click(await within(dialog).findByRole('button', { name: 'Uncordon 201 nodes' }))
  expect(await within(dialog).findByText(/Too much at once/)).toBeVisible()
  expect(within(dialog).getByText('200 nodes uncordoned.')).toBeVisible()
  await keys.click(within(dialog).getByRole('button', { name: 'Go on with the other 1' }))
  expect(await within(dialog).findByText('201 nodes uncordoned.')).toBeVisible()
  const made = asked().filter(({ query }) => query.get('dryRun') !== '1')
  const sent = made.map(({ headers }) => headers.get('idempotency-key')?.split('-').at(-1))
  expect(sent).toEqual(['0', '200', '200'])
}, 30_000)

test('where nothing was done the nodes stay selected', async () => {
  const { keys } = await openNodes({
    'POST /nodes/actions/change': (request) =>
      request.query.get('dryRun') === '1' ? answered(request) : problem(503, 'busy', 'Too much.'),
  })
  await keys.click(screen.getByRole('checkbox', { name: 'Select edge-1' }))
  await keys.click(screen.getByRole('button', { name: 'Uncordon…' }))
  const dialog = await screen.findByRole('dialog')
  await keys.click(within(dialog).getByRole('button', { name: 'Show what it would do' }))
  await keys.click(await within(dialog).findByRole('button', { name: 'Uncordon 1 node' }))
  expect(await within(dialog).findByText(/Too much/)).toBeVisible()
  await keys.click(within(dialog).getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement)
  await waitFor(() => expect(dialog).not.toBeInTheDocument())
  expect(screen.getByRole('checkbox', { name: 'Select edge-1' })).toBeChecked()
}, 30_000)

test('all that are listed is said of one filter: another one lets them go', async () => {
  const { keys } = await openNodes()
  await keys.click(screen.getByRole('checkbox', { name: /^Select all/ }))
  expect(screen.getByRole('region', { name: 'Selected nodes' })).toHaveTextContent('3 nodes')
  await keys.selectOptions(screen.getByRole('combobox', { name: 'Filter by state' }), 'drift')
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Selected nodes' })).toBeNull())
}, 30_000)

test('who may change none sees no boxes', async () => {
  await openNodes({ 'GET /session': () => json({ ...session, permissions: ['nodes:read'] }) })
  expect(screen.queryByRole('checkbox', { name: /^Select/ })).toBeNull()
})
