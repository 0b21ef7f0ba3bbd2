// SPDX-License-Identifier: MIT
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { json, never, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { farmSummary, node, page, session, system } from '../../test/samples.ts'

const one = node()
const edge2 = node({
  id: 'node_2',
  name: 'edge-2',
  connected: false,
  labels: {},
  latency: { ...one.latency, requests: 0, p50Seconds: null, p99Seconds: null },
  sync: { ...one.sync, state: 'unknown', effective: null },
})

const row = async (name: string) => {
  const link = await screen.findByRole('link', { name })
  return within(link.closest('tr') as HTMLElement)
}

describe('the farm', () => {
  test('shows each node with its state in words, numbers and their sample size', async () => {
    renderApp('/', { 'GET /nodes': () => json(page(one, edge2)) })
    const first = await row('edge-1')
    expect(first.getByText('In sync')).toBeVisible()
    expect(first.getByText('4.2 ms')).toBeVisible()
    expect(first.getByText('18,203')).toBeVisible()
    const second = await row('edge-2')
    expect(second.getByText('not connected')).toBeVisible()
    expect(second.getByText('desired')).toBeVisible()
    expect(second.getByText('effective')).toBeVisible()
  })

  test('shows the share of 404 beside that of all 4xx, where there is one', async () => {
    const latency = { ...one.latency, clientErrorRatio: 0.25, notFoundRatio: 0.125 }
    renderApp('/', { 'GET /nodes': () => json(page(node({ latency }), edge2)) })
    expect((await row('edge-1')).getByText(/\(404: 12\.5/)).toBeVisible()
    expect((await row('edge-2')).queryByText(/404/)).toBeNull()
  })

  test('of very many nodes draws those in the window, and says how many there are', async () => {
    const heights = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(36)
    onTestFinished(() => heights.mockRestore())
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => node({ id: `node_${i}`, name: `edge-${i}` }))
    const api = renderApp('/', { 'GET /nodes': () => json(page(...many(1000))) })
    const table = await screen.findByRole('table')
    const drawn = () => [...table.querySelectorAll('tr[aria-rowindex]')]
    const names = () => drawn().map((one) => one.querySelector('a')?.textContent)
    await expect.poll(names).toContain('edge-10')
    expect(table).toHaveAttribute('aria-rowcount', '1001')
    expect(drawn().length).toBeLessThan(100)
    expect(drawn()[3]).toHaveAttribute('aria-rowindex', '5')
    await userEvent.click(within(table).getByText('Node'))
    await expect.poll(() => names()[0]).toBe('edge-999')
    api.answer({ 'GET /nodes': () => json(page(...many(50))) })
    sayChanged('node')
    await expect.poll(() => drawn().length).toBe(50)
  })

  test('marks who is cordoned, and shows only those on request', async () => {
    const cordon = { by: 'ana', at: new Date().toISOString(), reason: 'New disk' }
    renderApp('/', { 'GET /nodes': () => json(page(node({ cordon }), edge2)) })
    expect((await row('edge-1')).getByText('Cordoned')).toBeVisible()
    expect((await row('edge-2')).queryByText('Cordoned')).toBeNull()
    await userEvent.click(screen.getByRole('checkbox', { name: 'Cordoned (1)' }))
    expect(await screen.findByText(/1 of 2 nodes/)).toBeVisible()
    expect(screen.queryByRole('link', { name: 'edge-2' })).toBeNull()
    expect(window.location.search).toBe('?cordoned=true')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Cordoned (1)' }))
    expect(await screen.findByRole('link', { name: 'edge-2' })).toBeVisible()
  })

  test('reads every page of a long list', async () => {
    renderApp('/', {
      'GET /nodes': ({ query }) =>
        query.get('cursor') === 'next'
          ? json(page(edge2))
          : json({ items: [one], nextCursor: 'next' }),
    })
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'edge-2' })).toBeVisible()
  })

  test('keeps filters in the address', async () => {
    renderApp('/?state=unknown', { 'GET /nodes': () => json(page(one, edge2)) })
    expect(await screen.findByText(/1 of 2 nodes/)).toBeVisible()
    expect(screen.queryByRole('link', { name: 'edge-1' })).toBeNull()
    const user = userEvent.setup()
    await user.type(screen.getByLabelText(/Find nodes/), 'nobody')
    expect(await screen.findByText('No node matches')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show all nodes' }))
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(window.location.search).toBe('')
  })

  test('is filtered by group, and by a selector that the control plane reads', async () => {
    const inEurope = { ...edge2, group: 'europe' }
    const api = renderApp('/?group=europe', {
      'GET /nodes': ({ query }) => {
        const selector = query.get('selector')
        if (selector === '(')
          return problem(422, 'selector_invalid', 'Column 1: a name is expected.')
        return json(selector === 'zone=eu' ? page(one) : page(one, inEurope))
      },
    })
    expect(await screen.findByRole('link', { name: 'edge-2' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'edge-1' })).toBeNull()
    expect(screen.getByRole('option', { name: 'europe (1)' })).toBeInTheDocument()
    const user = userEvent.setup()
    await user.selectOptions(screen.getByLabelText('Filter by group'), '')
    await user.type(screen.getByLabelText(/selector/), 'zone=eu{Enter}')
    expect(await screen.findByText(/1 of 2 nodes/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(window.location.search).toBe('?selector=zone%3Deu')
    await user.clear(screen.getByLabelText(/selector/))
    await user.type(screen.getByLabelText(/selector/), '({Enter}')
    expect(await screen.findByText('Column 1: a name is expected.')).toBeVisible()
    expect(api.requests.some(({ query }) => query.get('selector') === '(')).toBe(true)
  })

  test('sorts by a column, which it announces', async () => {
    renderApp('/', { 'GET /nodes': () => json(page(one, edge2)) })
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: /^State/ }))
    const state = await screen.findByRole('columnheader', { name: /State/ })
    await waitFor(() => expect(state).toHaveAttribute('aria-sort', 'ascending'))
    const names = screen.getAllByRole('link', { name: /^edge-\d$/ }).map((link) => link.textContent)
    expect(names).toEqual(['edge-2', 'edge-1'])
    expect(window.location.search).toBe('?sort=state')
  })

  test('has its order in the address on a phone, too, where there are no columns', async () => {
    vi.stubGlobal('matchMedia', (media: string) => ({
      ...{ matches: media.includes('max-width'), media },
      addEventListener() {},
      removeEventListener() {},
    }))
    onTestFinished(() => void vi.unstubAllGlobals())
    renderApp('/?sort=name&desc=true', { 'GET /nodes': () => json(page(one, edge2)) })
    const names = () =>
      screen.getAllByRole('link', { name: /^edge-\d$/ }).map((link) => link.textContent)
    const order = await screen.findByRole('combobox', { name: 'Order' })
    expect(names()).toEqual(['edge-2', 'edge-1'])
    await userEvent.selectOptions(order, 'Slowest first, p99')
    await waitFor(() => expect(window.location.search).toBe('?sort=p99&desc=true'))
    expect(names()).toEqual(['edge-1', 'edge-2'])
    await userEvent.selectOptions(order, 'By name')
    await waitFor(() => expect(window.location.search).toBe(''))
  })
})

describe('its four states', () => {
  test('loading', async () => {
    renderApp('/', { 'GET /nodes': never, 'GET /farm/summary': never })
    expect(await screen.findByRole('status', { name: 'The nodes: loading' })).toBeVisible()
    expect(screen.getByText('Reading the farm…')).toBeVisible()
  })

  test('empty: explains how a node joins', async () => {
    const { byState } = farmSummary().nodes
    const nodes = { total: 0, byState: { ...byState, 'in-sync': 0 }, cordoned: 0, silent: [] }
    renderApp('/', {
      'GET /nodes': () => json(page()),
      'GET /farm/summary': () => json(farmSummary({ nodes })),
    })
    expect(await screen.findByText('No node has joined yet')).toBeVisible()
    expect(await screen.findByText('no node enrolled')).toBeVisible()
  })

  test('failed: its own box, the request, and another try', async () => {
    const api = renderApp('/', {
      'GET /nodes': () => problem(409, 'restoring', 'A backup is being restored.'),
    })
    const box = await screen.findByRole('alert')
    expect(box).toHaveTextContent('A backup is being restored.')
    expect(box).toHaveTextContent('req-7')
    api.answer({ 'GET /nodes': () => json(page(one)) })
    await userEvent.click(within(box).getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
  })

  test('stale: keeps what it knew and says since when', async () => {
    const api = renderApp('/')
    await screen.findByRole('link', { name: 'edge-1' })
    const refusal = () => problem(403, 'not_allowed', 'Not any more.')
    api.answer({ 'GET /nodes': refusal, 'GET /farm/summary': refusal })
    sayChanged('node')
    expect(await screen.findByText(/The nodes: as of \d\d:\d\d:\d\d, not newer/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(await screen.findByText(/\(as of /)).toBeVisible()
  })

  test('live: what changed is fetched again', async () => {
    const api = renderApp('/')
    await screen.findByRole('link', { name: 'edge-1' })
    api.answer({ 'GET /nodes': () => json(page(one, edge2)) })
    sayChanged('node')
    expect(await screen.findByRole('link', { name: 'edge-2' })).toBeVisible()
  })
})

describe('adding a node', () => {
  test('leads to its own page', async () => {
    renderApp('/')
    const link = await screen.findByRole('link', { name: 'Add a node' })
    expect(link).toHaveAttribute('href', '/enrolment')
  })

  test('is off for who may not, and says why', async () => {
    renderApp('/', { 'GET /session': () => json({ ...session, permissions: [] }) })
    const button = await screen.findByRole('button', { name: 'Add a node' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(/nodes:enrol/)
  })
})

describe('who the nodes are', () => {
  test('says nothing while all have certificates', async () => {
    renderApp('/')
    await screen.findByRole('link', { name: 'edge-1' })
    expect(screen.queryByText(/plain HTTP/i)).toBeNull()
  })

  test('warns of a listener and of a node over plain HTTP', async () => {
    const plain = { ...one.identity, kind: 'credential' as const, notAfter: null, issuedAt: null }
    const agentListener = { url: 'http://10.0.0.1:9701', transport: 'insecure-http' }
    renderApp('/', {
      'GET /nodes': () => json(page(node({ identity: plain }))),
      'GET /system': () => json({ ...system, agentListener }),
    })
    expect((await row('edge-1')).getByText('Plain HTTP')).toBeVisible()
    expect(await screen.findByText(/Nodes talk to this control plane over plain/)).toBeVisible()
    expect(screen.getByText('http://10.0.0.1:9701')).toBeVisible()
  })

  test('marks a node that nobody can speak for', async () => {
    const revoked = { ...one.identity, kind: 'none' as const, state: 'revoked' as const }
    renderApp('/', { 'GET /nodes': () => json(page(node({ identity: revoked }))) })
    expect((await row('edge-1')).getByText('Revoked')).toBeVisible()
  })
})
