// SPDX-License-Identifier: MIT
import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { FoundRequest, RequestSearch } from '../../../lib/api-types.ts'
import { json, problem } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { foundRequest, node, requestSearch, session } from '../../../test/samples.ts'
import { soon } from '../../../test/soon.ts'

afterEach(() => vi.restoreAllMocks())

const { id } = requestSearch()
const SEARCH = `/request-searches/${id}`
const readers = ['nodes:read', 'requests:read']

/** Each question is answered with the next of these; the last again and again. */
function opened(
  address: string,
  answers: readonly Partial<RequestSearch>[],
  permissions: readonly string[] = readers,
) {
  let asked = 0
  return renderApp(address, {
    'GET /session': () => json({ ...session, permissions }),
    'POST /request-searches': () => json(requestSearch(), {}, 201),
    [`GET ${SEARCH}`]: () => json(requestSearch(answers[Math.min(asked++, answers.length - 1)])),
    [`DELETE ${SEARCH}`]: () => new Response(null, { status: 204 }),
  })
}
const start = async () => {
  await userEvent.click(await screen.findByRole('button', { name: 'Start' }, soon))
}
const of = (...paths: (readonly [number, string])[]): FoundRequest[] =>
  paths.map(([number, path]) => foundRequest({ number, path }))

describe('a search', () => {
  test('is what the address says, and shows what is found, the newest first, with how much there was', async () => {
    const requests = of([1, '/cart/1'], [2, '/cart/2'])
    const counts = { seen: 900, matched: 40, received: 2 }
    const api = opened('/sites/requests?path=%2Fcart&status=404', [
      { requests, ...counts, next: 2 },
    ])
    expect(await screen.findByLabelText('Path', {}, soon)).toHaveValue('/cart')
    await start()
    const table = within(await screen.findByRole('region', { name: 'Requests, table' }, soon))
    const rows = table.getAllByRole('row').slice(1)
    expect(rows.map((row) => /cart\/\d/.exec(row.textContent)?.[0])).toEqual(['cart/2', 'cart/1'])
    const [begun] = api.requests.filter(({ method }) => method === 'POST')
    expect(begun?.body).toEqual({
      pathPrefix: '/cart',
      statusFrom: 404,
      statusTo: 404,
      seconds: 60,
    })
    expect(screen.getByText(/40 of 900 requests match; 2 of them were sent/)).toBeVisible()
    const panel = within(screen.getByRole('region', { name: 'Found' }))
    expect(panel.getByRole('status')).toHaveTextContent('Live')
    // Nobody's address, and no field for it.
    expect(table.queryByText('Client')).toBeNull()
    expect(screen.queryByLabelText('Client')).toBeNull()
  })

  test('with many rows shows the first, and more for who wants them: what comes below stays near', async () => {
    const requests = of(...Array.from({ length: 130 }, (_, i) => [i + 1, `/p/${i + 1}`] as const))
    opened('/sites/requests', [{ requests, received: 130, next: 130 }])
    await start()
    const table = within(await screen.findByRole('region', { name: 'Requests, table' }, soon))
    const rows = () => table.getAllByRole('row').slice(1)
    expect(rows()).toHaveLength(20)
    expect(rows()[0]).toHaveTextContent('/p/130')
    expect(screen.getByText('20 of 130 shown')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Show 100 more' }))
    expect(screen.getByText('120 of 130 shown')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Show 10 more' }))
    expect(screen.queryByText(/ of 130 shown/)).toBeNull()
  })

  test('is written into the address while it is typed', async () => {
    opened('/sites/requests', [{}])
    await userEvent.type(await screen.findByLabelText('Status', {}, soon), '5xx')
    expect(window.location.search).toBe('?status=5xx')
    await userEvent.type(screen.getByLabelText('Milliseconds at least'), 'x')
    expect(screen.getByText('Say a whole number.')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Start' })).toBeDisabled()
    expect(screen.getByText('Correct the marked fields first.')).toBeVisible()
  })

  test('stands still while it is paused, and goes on with what came meanwhile', async () => {
    opened('/sites/requests', [
      { requests: of([1, '/one']), received: 1, next: 1 },
      { requests: of([2, '/two'], [3, '/three']), received: 3, next: 3 },
    ])
    await start()
    expect(await screen.findByText('/one', {}, soon)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }))
    const goOn = await screen.findByRole('button', { name: 'Go on, 2 new ones' }, soon)
    expect(screen.queryByText('/two')).toBeNull()
    await userEvent.click(goOn)
    expect(screen.getByText('/three')).toBeVisible()
  })

  test('stands still by itself while its head is scrolled away, and goes on when one comes back', async () => {
    let hasTwo = false
    const api = opened('/sites/requests', [{}])
    const one = { requests: of([1, '/one']), received: 1, next: 1 }
    const two = { requests: of([2, '/two']), received: 2, next: 2 }
    api.answer({ [`GET ${SEARCH}`]: () => json(requestSearch(hasTwo ? two : one)) })
    await start()
    const panel = within(await screen.findByRole('region', { name: 'Found' }, soon))
    await panel.findByText('/one', {}, soon)
    const head = panel.getByRole('heading').parentElement as HTMLElement
    const place = vi.spyOn(head, 'getBoundingClientRect')
    place.mockReturnValue({ ...new DOMRect(0, -300, 100, 40), bottom: -260 })
    fireEvent.scroll(window)
    hasTwo = true
    const button = await panel.findByRole('button', { name: 'Go on, 1 new one' }, soon)
    expect(panel.queryByText('/two')).toBeNull()
    place.mockReturnValue({ ...new DOMRect(0, 20, 100, 40), bottom: 60 })
    fireEvent.scroll(window)
    expect(panel.getByText('/two')).toBeVisible()
    expect(button).toHaveTextContent('Pause')
  })

  test('can’t be paused before there is anything to read', async () => {
    opened('/sites/requests', [{}])
    await start()
    expect(await screen.findByText('No request like that has come yet.', {}, soon)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
  })

  test('can be stopped, and ends when one leaves', async () => {
    const api = opened('/sites/requests', [{ requests: of([1, '/one']), received: 1, next: 1 }])
    await start()
    await screen.findByText('/one', {}, soon)
    api.answer({ [`GET ${SEARCH}`]: () => json(requestSearch({ state: 'ended', next: 1 })) })
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
    expect(await screen.findByText('Ended', {}, soon)).toBeVisible()
    expect(screen.getByText('/one')).toBeVisible()
    const asked = () => api.requests.filter(({ method }) => method === 'DELETE').length
    expect(asked()).toBe(1)
    cleanup()
    await vi.waitFor(() => expect(asked()).toBe(2))
  })

  test('that is refused says why, and what can be done', async () => {
    const api = opened('/sites/requests', [{}])
    api.answer({
      'POST /request-searches': () =>
        problem(409, 'nothing_to_search', 'No nodes are in "farm", of those that you see.'),
    })
    await start()
    expect(await screen.findByText(/No nodes are in "farm"/, {}, soon)).toBeVisible()
  })

  test('needs the permission to see paths, and one more for who asked', async () => {
    opened('/sites/requests?clients=true', [{}], ['nodes:read', 'requests:read'])
    expect(await screen.findByText(/needs the permission requests:clients/, {}, soon)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Start' })).toBeDisabled()
  })

  test('shows who asked to who may see it, and what comes most often', async () => {
    const requests = [foundRequest({ client: '192.0.2.7' })]
    const counts = { seen: 20, matched: 20, received: 1, tellsClients: true, next: 1 }
    const topPaths = [{ path: '/cart', requests: 20, overcountAtMost: 5 }]
    const topClients = [{ client: '192.0.2.7', requests: 20, overcountAtMost: 0 }]
    const times = { sampled: 120, p50Seconds: 0.01, p90Seconds: 0.2, p99Seconds: null }
    const permissions = [...readers, 'requests:clients']
    const answer = { requests, ...counts, topPaths, topClients, times }
    opened('/sites/requests?clients=true', [answer], permissions)
    await start()
    const table = within(await screen.findByRole('region', { name: 'Requests, table' }, soon))
    expect(table.getByText('192.0.2.7')).toBeVisible()
    const paths = within(screen.getByRole('region', { name: 'Top paths' }))
    expect(paths.getByText('at least 15')).toBeVisible()
    expect(paths.getByText('100 %')).toBeVisible()
    expect(
      within(screen.getByRole('region', { name: 'Top clients' })).getByText('192.0.2.7'),
    ).toBeVisible()
    expect(screen.getByText(/From 120 samples/)).toBeVisible()
  })

  test('of one node names it, and can be of all again', async () => {
    const { id: nodeId } = node()
    const api = opened(`/sites/requests?node=${nodeId}`, [{}])
    api.answer({ [`GET /nodes/${nodeId}`]: () => json(node()) })
    expect(await screen.findByText(node().name, {}, soon)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'All nodes' }))
    expect(screen.getByLabelText('Nodes with labels')).toHaveValue('')
    expect(window.location.search).toBe('')
  })
})
