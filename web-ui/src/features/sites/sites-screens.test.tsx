// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { Site, SiteSummary } from '../../lib/api-types.ts'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { node, page, session } from '../../test/samples.ts'

const SHOP: SiteSummary = {
  ...{ config: 'web', host: 'shop.example', version: 7, newestVersion: 7, root: '/srv/shop' },
  ...{ nodes: 3, certificates: [], hasCertificateFiles: false },
  hosts: { total: 2, items: ['shop.example', 'www.shop.example'] },
}
const site = (change: Partial<Site> = {}): Site => ({
  ...SHOP,
  sitesOfConfig: 1,
  part: {
    ...{ pointer: '/sites/0', line: 4, endLine: 7, isCut: false },
    text: '{\n      "hosts": ["shop.example"],\n      "root": "/srv/shop"\n    }',
  },
  versions: [
    { version: 7, nodes: 2 },
    { version: 6, nodes: 1 },
  ],
  nodesWithOwnSites: 0,
  serving: {
    total: 1,
    items: [{ nodeId: node().id, nodeName: 'edge-1', version: 7, state: 'in-sync' }],
  },
  shown: [],
  changes: [
    {
      ...{ version: 7, what: 'changed', author: 'ana', message: 'Another folder' },
      at: '2026-11-20T09:00:00.000Z',
    },
  ],
  changesLookedBackTo: null,
  ...change,
})
const ADDRESS = '/sites/web/shop.example'
const answering = (change: Partial<Site> = {}) => ({ [`GET ${ADDRESS}`]: () => json(site(change)) })
/** The page comes in a chunk of its own. */
const soon = { timeout: 10_000 }
const panel = (name: string | RegExp) => screen.findByRole('region', { name }, soon)

describe('the list of sites', () => {
  test('has each by its host, with its config, nodes and certificate', async () => {
    const named = {
      ...{ ...SHOP, host: '*', hosts: { total: 1, items: ['*'] }, nodes: 0, version: 6 },
      certificates: [
        { name: 'shop', state: 'expiring' as const, notAfter: '2020-01-01T00:00:00.000Z' },
      ],
    }
    renderApp('/sites', { 'GET /sites': () => json(page(SHOP, named)) })
    const table = within(await panel('Sites, table'))
    expect(table.getByRole('link', { name: 'shop.example' })).toHaveAttribute('href', ADDRESS)
    expect(table.getByText('www.shop.example')).toBeVisible()
    expect(table.getByRole('link', { name: 'any other host (*)' })).toHaveAttribute(
      'href',
      '/sites/web/*',
    )
    expect(table.getByText('not in v7')).toBeVisible()
    expect(table.getByRole('link', { name: 'shop' })).toHaveAttribute('href', '/certificates/shop')
  })

  test('says that it is not whole while the control plane still reads texts', async () => {
    renderApp('/sites', { 'GET /sites': () => json({ ...page(), unread: 12 }) })
    expect(await screen.findByText('Not all sites are here yet', {}, soon)).toBeVisible()
    expect(screen.getByText(/still has to read 12 config versions/)).toBeVisible()
    expect(screen.queryByText('No site yet')).toBeNull()
  })

  test('is looked through where all of them are, and the address says for what', async () => {
    const api = renderApp('/sites?q=nope', { 'GET /sites': () => json(page()) })
    expect(await screen.findByText('No such site', {}, soon)).toBeVisible()
    expect(api.requests.find(({ path }) => path === '/sites')?.query.get('q')).toBe('nope')
    await userEvent.clear(screen.getByLabelText('Find by host or config'))
    expect(await screen.findByText('No site yet', {}, soon)).toBeVisible()
    expect(window.location.search).toBe('')
  })
})

describe('a site', () => {
  test('shows who serves it, its part of the text and the ways to it, and what changed it', async () => {
    renderApp(ADDRESS, answering())
    const serving = within(await panel('3 nodes'))
    expect(serving.getByRole('link', { name: 'web v6' })).toBeVisible()
    expect(serving.getByRole('link', { name: 'edge-1' })).toBeVisible()
    const part = within(await panel('web v7, lines 4 to 7'))
    expect(part.getByText(/"root": "\/srv\/shop"/)).toBeVisible()
    const form = part.getByRole('link', { name: 'Edit in the form' })
    expect(form).toHaveAttribute('href', '/configs/web?view=form&pointer=%2Fsites%2F0')
    const changes = within(await panel('What changed it'))
    expect(changes.getByRole('link', { name: 'Changed' })).toHaveAttribute(
      'href',
      '/configs/web/compare?from=6&to=7',
    )
    expect(changes.getByText('Another folder')).toBeVisible()
  })

  test('says that nodes count the requests of all their sites together', async () => {
    renderApp(ADDRESS, answering({ sitesOfConfig: 3 }))
    const traffic = within(await panel('Requests for all 3 sites of web'))
    expect(traffic.getByText(/The share of this site is not measured/)).toBeVisible()
    expect(traffic.getByText(/needs the permission metrics:read/)).toBeVisible()
    expect(within(await panel('Slow paths')).getByText(/requests:read/)).toBeVisible()
  })

  test('that is alone in its config has its nodes’ traffic and slow paths', async () => {
    const permissions = [...session.permissions, 'metrics:read', 'requests:read']
    const api = renderApp(`${ADDRESS}?range=6h`, {
      ...answering(),
      'GET /session': () => json({ ...session, permissions }),
      'GET /metrics/sets': () =>
        json({
          ...{ stepSeconds: 10, times: [0], quantiles: [0.5, 0.99] },
          sets: [
            {
              ...{ of: 'version:web/7', title: '', nodes: 2, measuredNodes: 2, gauges: {} },
              counters: { requests: [100], responses2xx: [99], responses5xx: [1] },
              stages: { total: { quantiles: [[0.01], [0.25]] } },
            },
          ],
        }),
      [`GET /nodes/${node().id}/slow-requests`]: () =>
        json({
          nodeId: node().id,
          items: [{ path: '/big.iso', status: 200, stageSeconds: { total: 12 } }],
        }),
    })
    const table = within(await panel('Traffic by version, table'))
    expect(table.getByText('10')).toBeVisible()
    expect(table.getByText('99 %')).toBeVisible()
    expect(table.getByText('250 ms')).toBeVisible()
    expect(table.getByRole('link', { name: 'v7' })).toHaveAttribute(
      'href',
      `/measurements?of=${encodeURIComponent('version:web/7')}&range=6h`,
    )
    const asked = api.requests.find(({ path }) => path === '/metrics/sets')?.query
    expect(asked?.get('of')).toBe('version:web/7;version:web/6')
    expect(within(await panel('Slow paths, table')).getByText('/big.iso')).toBeVisible()
  })

  test('that the newest version has no more says who still serves it', async () => {
    renderApp(ADDRESS, answering({ version: 6, nodes: 1 }))
    expect(await screen.findByText('web v7 no longer has shop.example', {}, soon)).toBeVisible()
    expect(screen.getByText(/1 node still serves it/)).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Edit in the form' })).toBeNull()
  })

  test('says which nodes are left out, for they have sites of their own', async () => {
    renderApp(ADDRESS, answering({ nodesWithOwnSites: 2, serving: null, shown: null }))
    expect(await screen.findByText('2 nodes of web not counted here', {}, soon)).toBeVisible()
  })

  test('that there is none of leads to all there are', async () => {
    renderApp(ADDRESS, { [`GET ${ADDRESS}`]: () => problem(404, 'site_not_found', 'None.') })
    expect(await screen.findByRole('link', { name: 'Show all sites' }, soon)).toHaveAttribute(
      'href',
      '/sites',
    )
  })

  test('shows the certificates that are named and those that nodes show', async () => {
    renderApp(
      ADDRESS,
      answering({
        certificates: [{ name: 'shop', state: 'good', notAfter: '2099-01-01T00:00:00.000Z' }],
        shown: [
          {
            ...{ host: 'shop.example', fingerprint: 'ab'.repeat(32), nodes: 3 },
            notAfter: '2099-01-01T00:00:00.000Z',
          },
        ],
      }),
    )
    const named = within(await panel('Named in the config'))
    expect(named.getByRole('link', { name: 'shop' })).toBeVisible()
    expect(
      within(await panel('Certificates that nodes show, table')).getByText('3 nodes'),
    ).toBeVisible()
  })

  test('says of how many nodes it knows which certificates they show', async () => {
    const items = site().serving?.items ?? []
    renderApp(ADDRESS, answering({ serving: { total: 5000, items } }))
    const named = within(await panel('Named in the config'))
    expect(named.getByText(/^Of the 5,000 nodes only the first 1 by name/)).toBeVisible()
  })
})
