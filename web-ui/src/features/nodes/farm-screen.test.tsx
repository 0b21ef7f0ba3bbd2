// SPDX-License-Identifier: MIT
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FarmSummary } from '../../lib/api-types.ts'
import { type ApiRequest, json, never, problem } from '../../test/fake-api.ts'
import { sayOfNode } from '../../test/fake-stream.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { farmSummary, node, nodesPage, session, system } from '../../test/samples.ts'

const one = node()
const edge2 = node({
  id: 'node_2',
  name: 'edge-2',
  connected: false,
  labels: {},
  latency: { ...one.latency, requests: 0, p50Seconds: null, p99Seconds: null },
  sync: { ...one.sync, state: 'unknown', effective: null },
})

const ROW_PX = 36
/** Here nothing has a height, and nothing moves when the window is scrolled. */
function layOutRows(): void {
  const heights = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(ROW_PX)
  const places = vi
    .spyOn(Element.prototype, 'getBoundingClientRect')
    .mockImplementation(() => new DOMRect(0, -window.scrollY, 1000, ROW_PX))
  onTestFinished(() => {
    heights.mockRestore()
    places.mockRestore()
    window.scrollY = 0
  })
}

/** As the control plane cuts a list. */
const windowOf =
  (nodes: ReturnType<typeof node>[]) =>
  ({ query }: ApiRequest) => {
    const from = Number(query.get('offset') ?? 0)
    const items = nodes.slice(from, from + Number(query.get('limit')))
    return json({ items, nextCursor: null, total: nodes.length })
  }

const summaryOf = (byState: Partial<FarmSummary['nodes']['byState']>, cordoned = 0) => {
  const { nodes } = farmSummary()
  const states = { ...nodes.byState, 'in-sync': 0, ...byState }
  const total = Object.values(states).reduce((a, b) => a + b)
  return farmSummary({ nodes: { ...nodes, total, cordoned, byState: states } })
}

const row = async (name: string) => {
  const link = await screen.findByRole('link', { name })
  return within(link.closest('tr') as HTMLElement)
}

describe('the farm', () => {
  test('shows each node with its state in words and its numbers', async () => {
    renderApp('/nodes', { 'GET /nodes': () => json(nodesPage(one, edge2)) })
    const first = await row('edge-1')
    expect(first.getByText('In sync')).toBeVisible()
    expect(first.getByText('4.2 ms')).toBeVisible()
    const second = await row('edge-2')
    expect(second.getByText('not connected')).toBeVisible()
    expect(second.getByText('desired')).toBeVisible()
    expect(second.getByText('effective')).toBeVisible()
  })

  test('asks for its rows first, and for names of groups not before it has them', async () => {
    let answer = (_: Response): void => {}
    const api = renderApp('/nodes', {
      'GET /nodes': () =>
        new Promise((done) => {
          answer = done
        }),
    })
    await waitFor(() => expect(api.requests.map(({ path }) => path)).toContain('/farm/summary'))
    const asked = api.requests.map(({ path }) => path)
    expect(asked.slice(0, 2)).toEqual(['/session', '/nodes'])
    expect(asked).not.toContain('/groups')
    answer(json(nodesPage(one)))
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
    await waitFor(() => expect(api.requests.map(({ path }) => path)).toContain('/groups'))
    // What was asked for before the page was drawn is not asked for again by it.
    expect(api.requests.filter(({ path }) => path === '/nodes')).toHaveLength(1)
  })

  test('shows the share of 404 beside that of all 4xx, where there is one', async () => {
    const latency = { ...one.latency, clientErrorRatio: 0.25, notFoundRatio: 0.125 }
    renderApp('/nodes', { 'GET /nodes': () => json(nodesPage(node({ latency }), edge2)) })
    expect((await row('edge-1')).getByText(/\(404: 12\.5/)).toBeVisible()
    expect((await row('edge-2')).queryByText(/404/)).toBeNull()
  })

  test('of very many nodes reads and draws those in the window, and says how many there are', async () => {
    layOutRows()
    const many = Array.from({ length: 1000 }, (_, i) =>
      node({ id: `node_${i}`, name: `edge-${i}` }),
    )
    const api = renderApp('/nodes', { 'GET /nodes': windowOf(many) })
    const table = await screen.findByRole('table')
    const drawn = () => [...table.querySelectorAll('tr[data-index]')]
    const names = () => drawn().map((one) => one.querySelector('a')?.textContent)
    await expect.poll(names).toContain('edge-10')
    expect(table).toHaveAttribute('aria-rowcount', '1001')
    expect(drawn().length).toBeLessThan(100)
    expect(drawn()[3]).toHaveAttribute('aria-rowindex', '5')
    const asked = () =>
      api.requests.filter(({ path, query }) => path === '/nodes' && query.get('limit') === '50')
    expect(asked().map(({ query }) => query.get('offset'))).toEqual(['0'])
    await userEvent.click(within(table).getByText('Node'))
    await expect.poll(() => asked().at(-1)?.query.get('order')).toBe('desc')
    expect(window.location.search).toBe('?sort=name&desc=true')
    api.answer({ 'GET /nodes': windowOf(many.slice(0, 50)) })
    sayChanged('node')
    await expect.poll(() => drawn().length).toBe(50)
  })

  test('reads the blocks that are scrolled to', async () => {
    layOutRows()
    const many = Array.from({ length: 1000 }, (_, i) =>
      node({ id: `node_${i}`, name: `edge-${i}` }),
    )
    renderApp('/nodes', { 'GET /nodes': windowOf(many) })
    await screen.findByRole('link', { name: 'edge-10' })
    window.scrollY = 500 * ROW_PX
    window.dispatchEvent(new Event('scroll'))
    expect(await screen.findByRole('link', { name: 'edge-500' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'edge-10' })).toBeNull()
    expect((await row('edge-500')).getByText('In sync').closest('tr')).toHaveAttribute(
      'aria-rowindex',
      '502',
    )
  })

  test('marks who is cordoned, and shows only those on request', async () => {
    const cordon = { by: 'ana', at: new Date().toISOString(), reason: 'New disk' }
    const held = node({ cordon })
    renderApp('/nodes', {
      'GET /nodes': ({ query }) =>
        json(query.get('cordoned') === 'true' ? nodesPage(held) : nodesPage(held, edge2)),
      'GET /farm/summary': () => json(summaryOf({ 'in-sync': 1, unknown: 1 }, 1)),
    })
    expect((await row('edge-1')).getByText('Cordoned')).toBeVisible()
    expect((await row('edge-2')).queryByText('Cordoned')).toBeNull()
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Cordoned (1)' }))
    expect(await screen.findByText(/1 of 2 nodes/)).toBeVisible()
    expect(screen.queryByRole('link', { name: 'edge-2' })).toBeNull()
    expect(window.location.search).toBe('?cordoned=true')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Cordoned (1)' }))
    expect(await screen.findByRole('link', { name: 'edge-2' })).toBeVisible()
  })

  test('keeps filters in the address, and has the control plane read them', async () => {
    const api = renderApp('/nodes?state=unknown', {
      'GET /nodes': ({ query }) => {
        if (query.get('q') !== null) return json(nodesPage())
        return json(query.get('state') === 'unknown' ? nodesPage(edge2) : nodesPage(one, edge2))
      },
      'GET /farm/summary': () => json(summaryOf({ 'in-sync': 1, unknown: 1 })),
    })
    expect(await screen.findByText(/1 of 2 nodes/)).toBeVisible()
    expect(screen.queryByRole('link', { name: 'edge-1' })).toBeNull()
    const user = userEvent.setup()
    await user.type(screen.getByLabelText(/Find nodes/), 'nobody')
    expect(await screen.findByText('No node matches')).toBeVisible()
    // While a word is typed, what is listed stays, and its beginnings are not asked for.
    const words = api.requests.flatMap(({ path, query }) => {
      const q = query.get('q')
      return path === '/nodes' && q !== null ? [q] : []
    })
    expect(words.at(-1)).toBe('nobody')
    expect(new Set(words).size).toBeLessThan('nobody'.length)
    await user.click(screen.getByRole('button', { name: 'Show all nodes' }))
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(window.location.search).toBe('')
  })

  test('is filtered by group, and by a selector that the control plane reads', async () => {
    const inEurope = { ...edge2, group: 'europe' }
    const api = renderApp('/nodes?group=europe', {
      'GET /nodes': ({ query }) => {
        const selector = query.get('selector')
        if (selector === '(')
          return problem(422, 'selector_invalid', 'Column 1: a name is expected.')
        if (query.get('group') === 'europe') return json(nodesPage(inEurope))
        return json(selector === 'zone=eu' ? nodesPage(one) : nodesPage(one, inEurope))
      },
      'GET /farm/summary': () => json(summaryOf({ 'in-sync': 1, unknown: 1 })),
    })
    expect(await screen.findByRole('link', { name: 'edge-2' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'edge-1' })).toBeNull()
    expect(screen.getByRole('option', { name: 'europe' })).toBeInTheDocument()
    const user = userEvent.setup()
    await user.selectOptions(screen.getByLabelText('Filter by group'), '')
    await user.type(screen.getByLabelText(/selector/), 'zone=eu{Enter}')
    expect(await screen.findByText(/1 of 2 nodes/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(window.location.search).toBe('?selector=zone%3Deu')
    await user.clear(screen.getByLabelText(/selector/))
    await user.type(screen.getByLabelText(/selector/), '({Enter}')
    expect(await screen.findByText('Column 1: a name is expected.')).toBeVisible()
    expect(screen.getByText('No node is listed')).toBeVisible()
    expect(api.requests.some(({ query }) => query.get('selector') === '(')).toBe(true)
  })

  test('says why it does not sort a large farm by measurements, and sorts what a filter leaves of it', async () => {
    layOutRows()
    renderApp('/nodes', {
      'GET /nodes': ({ query }) => {
        if (query.get('sort') === 'p99' && !query.has('q'))
          return problem(400, 'too_many_to_measure', 'These are 2000.')
        return json({ ...nodesPage(one), total: query.has('q') ? 1 : 2000 })
      },
    })
    expect(await screen.findByText(/sorted by measurements once filtered to 1,000/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /^p99/ })).toBeNull()
    expect(screen.getByRole('button', { name: /^State/ })).toBeVisible()
    const user = userEvent.setup()
    await user.type(screen.getByLabelText(/Find nodes/), 'edge')
    await user.click(await screen.findByRole('button', { name: /^p99/ }))
    await waitFor(() => expect(window.location.search).toBe('?q=edge&sort=p99&desc=true'))
    await user.clear(screen.getByLabelText(/Find nodes/))
    expect(await screen.findByText(/for 1,000 nodes at most/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Sort by name' }))
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
  })

  test('sorts by a column, which it announces', async () => {
    renderApp('/nodes', {
      'GET /nodes': ({ query }) =>
        json(query.get('sort') === 'state' ? nodesPage(edge2, one) : nodesPage(one, edge2)),
    })
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: /^State/ }))
    const state = await screen.findByRole('columnheader', { name: /State/ })
    await waitFor(() => expect(state).toHaveAttribute('aria-sort', 'ascending'))
    const names = () =>
      screen.getAllByRole('link', { name: /^edge-\d$/ }).map((link) => link.textContent)
    await waitFor(() => expect(names()).toEqual(['edge-2', 'edge-1']))
    expect(window.location.search).toBe('?sort=state')
  })

  test('has its order in the address on a phone, too, where there are no columns', async () => {
    vi.stubGlobal('matchMedia', (media: string) => ({
      ...{ matches: media.includes('max-width'), media },
      addEventListener() {},
      removeEventListener() {},
    }))
    onTestFinished(() => void vi.unstubAllGlobals())
    renderApp('/nodes?sort=name&desc=true', {
      'GET /nodes': ({ query }) =>
        json(query.get('sort') === 'p99' ? nodesPage(one, edge2) : nodesPage(edge2, one)),
    })
    const names = () =>
      screen.getAllByRole('link', { name: /^edge-\d$/ }).map((link) => link.textContent)
    const order = await screen.findByRole('combobox', { name: 'Order' })
    await waitFor(() => expect(names()).toEqual(['edge-2', 'edge-1']))
    await userEvent.selectOptions(order, 'Slowest first, p99')
    await waitFor(() => expect(window.location.search).toBe('?sort=p99&desc=true'))
    await waitFor(() => expect(names()).toEqual(['edge-1', 'edge-2']))
    await userEvent.selectOptions(order, 'By name')
    await waitFor(() => expect(window.location.search).toBe(''))
  })
})

describe('its four states', () => {
  test('loading', async () => {
    renderApp('/nodes', { 'GET /nodes': never, 'GET /farm/summary': never })
    expect(await screen.findByRole('status', { name: 'The nodes: loading' })).toBeVisible()
    expect(screen.getByText('Loading the state of the farm…')).toBeVisible()
  })

  test('empty: explains how a node joins', async () => {
    const { byState } = farmSummary().nodes
    const nodes = { total: 0, byState: { ...byState, 'in-sync': 0 }, cordoned: 0, silent: [] }
    renderApp('/nodes', {
      'GET /nodes': () => json(nodesPage()),
      'GET /farm/summary': () => json(farmSummary({ nodes })),
    })
    expect(await screen.findByText('No node has joined yet')).toBeVisible()
    expect(await screen.findByText('no node enrolled')).toBeVisible()
  })

  test('failed: its own box, the request, and another try', async () => {
    const api = renderApp('/nodes', {
      'GET /nodes': () => problem(409, 'restoring', 'A backup is being restored.'),
    })
    const box = await screen.findByRole('alert')
    expect(box).toHaveTextContent('A backup is being restored.')
    expect(box).toHaveTextContent('req-7')
    api.answer({ 'GET /nodes': () => json(nodesPage(one)) })
    await userEvent.click(within(box).getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
  })

  test('stale: keeps what it knew and says since when', async () => {
    const api = renderApp('/nodes')
    await screen.findByRole('link', { name: 'edge-1' })
    layOutRows()
    const refusal = () => problem(403, 'not_allowed', 'Not any more.')
    api.answer({ 'GET /nodes': refusal, 'GET /farm/summary': refusal })
    sayChanged('node')
    expect(await screen.findByText(/The nodes: last read at \d\d:\d\d:\d\d/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(await screen.findByText(/\(as of /)).toBeVisible()
  })

  test('live: what changed is fetched again', async () => {
    const api = renderApp('/nodes')
    await screen.findByRole('link', { name: 'edge-1' })
    api.answer({ 'GET /nodes': () => json(nodesPage(one, edge2)) })
    sayChanged('node')
    expect(await screen.findByRole('link', { name: 'edge-2' })).toBeVisible()
  })
})

describe('what an event says of a node', () => {
  const { desired, acknowledged, effective } = one.sync
  const event = (number: number, state: 'applying' | 'in-sync', id = one.id) => ({
    ...{ number, id, action: 'offered' },
    node: { connected: true, lastSeenAt: null, sync: { state, desired, acknowledged, effective } },
  })
  const answer = (revision: number, ...nodes: ReturnType<typeof node>[]) =>
    json({ ...nodesPage(...nodes), revision })
  const failed = node({ sync: { ...one.sync, state: 'out-of-sync' } })

  test('stands in its row at once, and an answer that was under way does not undo it', async () => {
    const api = renderApp('/nodes', { 'GET /nodes': () => answer(10, one, edge2) })
    await screen.findByRole('link', { name: 'edge-1' })
    const underWay = Promise.withResolvers<Response>()
    let asked = 0
    api.answer({
      'GET /nodes': ({ query }) => {
        if (query.get('limit') !== '50') return answer(10, one, edge2)
        asked += 1
        return asked === 1 ? underWay.promise : never()
      },
    })
    sayChanged('group')
    await expect.poll(() => asked).toBe(1)
    act(() => sayOfNode(event(12, 'applying')))
    expect(await (await row('edge-1')).findByText('Applying')).toBeVisible()
    expect((await row('edge-2')).getByText('Unknown')).toBeVisible()
    underWay.resolve(answer(11, one, edge2))
    // It is here: asked is again, for it may be older than the event.
    await expect.poll(() => asked).toBe(2)
    expect((await row('edge-1')).getByText('Applying')).toBeVisible()
  })

  test('gives way to an answer that has it', async () => {
    const api = renderApp('/nodes', { 'GET /nodes': () => answer(10, one, edge2) })
    await screen.findByRole('link', { name: 'edge-1' })
    api.answer({ 'GET /nodes': () => answer(12, failed, edge2) })
    act(() => sayOfNode(event(12, 'applying')))
    expect(await (await row('edge-1')).findByText('Out of sync')).toBeVisible()
  })

  test('has a list that does not show the node not read again', async () => {
    const api = renderApp('/nodes', { 'GET /nodes': () => answer(10, one, edge2) })
    await screen.findByRole('link', { name: 'edge-1' })
    const asked = (of: string) =>
      api.requests.filter(({ path, query }) => path === of && query.get('limit') !== '200').length
    await expect.poll(() => asked('/farm/summary')).toBe(1)
    const before = asked('/nodes')
    act(() => sayOfNode(event(12, 'applying', 'node_3')))
    await expect.poll(() => asked('/farm/summary')).toBe(2)
    expect(asked('/nodes')).toBe(before)
    act(() => sayOfNode(event(13, 'applying')))
    await expect.poll(() => asked('/nodes')).toBe(before + 1)
  })
})

describe('adding a node', () => {
  test('leads to its own page', async () => {
    renderApp('/nodes')
    const link = await screen.findByRole('link', { name: 'Add a node' })
    expect(link).toHaveAttribute('href', '/enrolment')
  })

  test('is off for who may not, and says why', async () => {
    renderApp('/nodes', { 'GET /session': () => json({ ...session, permissions: [] }) })
    const button = await screen.findByRole('button', { name: 'Add a node' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(/nodes:enrol/)
  })
})

describe('who the nodes are', () => {
  test('says nothing while all have certificates', async () => {
    renderApp('/nodes')
    await screen.findByRole('link', { name: 'edge-1' })
    expect(screen.queryByText(/plain HTTP/i)).toBeNull()
  })

  test('warns of a listener and of a node over plain HTTP', async () => {
    const plain = { ...one.identity, kind: 'credential' as const, notAfter: null, issuedAt: null }
    const agentListener = { url: 'http://10.0.0.1:9701', transport: 'insecure-http' }
    renderApp('/nodes', {
      'GET /nodes': () => json(nodesPage(node({ identity: plain }))),
      'GET /system': () => json({ ...system, agentListener }),
    })
    expect((await row('edge-1')).getByText('Plain HTTP')).toBeVisible()
    expect(await screen.findByText(/Nodes talk to this control plane over plain/)).toBeVisible()
    expect(screen.getByText('http://10.0.0.1:9701')).toBeVisible()
  })

  test('marks a node that nobody can speak for', async () => {
    const revoked = { ...one.identity, kind: 'none' as const, state: 'revoked' as const }
    renderApp('/nodes', { 'GET /nodes': () => json(nodesPage(node({ identity: revoked }))) })
    expect((await row('edge-1')).getByText('Revoked')).toBeVisible()
  })
})
