// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { Site, SiteSummary, SiteTraffic } from '../../lib/api-types.ts'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { node, page, rollout, session } from '../../test/samples.ts'

const SHOP: SiteSummary = {
  ...{ config: 'web', host: 'shop.example', version: 7, newestVersion: 7, root: '/srv/shop' },
  ...{ nodes: 3, certificates: [], hasCertificateFiles: false },
  hosts: { total: 2, items: ['shop.example', 'www.shop.example'] },
  traffic: { requestsPerSecond: 12.5, serverErrorsPerSecond: 0.25, bytesPerSecond: 4200 },
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
    items: [
      {
        ...{ nodeId: node().id, nodeName: 'edge-1', version: 7, state: 'in-sync' },
        requestsPerSecond: 3.5,
      },
    ],
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
    const row = within(table.getByRole('row', { name: /^shop\.example/ }))
    for (const text of ['12.5', '2 %', '4.2 kB/s']) expect(row.getByText(text)).toBeVisible()
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

  test('leads back to a version that changed it, where there is a newer one', async () => {
    renderApp(ADDRESS, answering({ newestVersion: 9 }))
    const changes = within(await panel('What changed it'))
    expect(changes.getByRole('link', { name: 'Back to v7' })).toHaveAttribute(
      'href',
      '/rollouts/new?config=web&version=7&backFrom=9',
    )
  })

  test('of which the reader may not see measurements says what that needs', async () => {
    renderApp(ADDRESS, answering({ sitesOfConfig: 3 }))
    const traffic = within(await panel('Requests for shop.example'))
    expect(traffic.getByText(/needs the permission metrics:read/)).toBeVisible()
    expect(within(await panel('Slow paths')).getByText(/requests:read/)).toBeVisible()
  })

  const readers = [...session.permissions, 'metrics:read', 'requests:read']
  const column = (...values: (number | null)[]) => values
  const none = column(null, null)
  const counted = (version: number, isCountedAlone: boolean, ok: (number | null)[]) => ({
    ...{ version, isCountedAlone, responses2xx: ok, responses3xx: none, responses404: none },
    ...{ responsesOther4xx: none, responses5xx: none, aborted: none, bytesSent: none },
    totalSeconds: none,
  })
  const withTraffic = (versions: SiteTraffic['versions'], change: Partial<Site> = {}) =>
    renderApp(`${ADDRESS}?range=6h`, {
      ...answering(change),
      'GET /session': () => json({ ...session, permissions: readers }),
      [`GET ${ADDRESS}/traffic`]: () => json({ stepSeconds: 120, times: [0, 120], versions }),
      [`GET /nodes/${node().id}/slow-requests`]: () =>
        json({
          nodeId: node().id,
          items: [{ path: '/big.iso', status: 200, stageSeconds: { total: 12 } }],
        }),
    })

  test('has its traffic by version and by node, and slow paths where it is alone', async () => {
    const api = withTraffic([
      {
        ...counted(7, true, column(2390, null)),
        responses5xx: column(10, null),
        bytesSent: column(240_000, null),
        totalSeconds: column(600, null),
        aborted: column(3, null),
      },
      counted(6, true, column(null, 1200)),
    ])
    const table = within(await panel('Traffic by version, table'))
    const [, first, second, all] = table.getAllByRole('row')
    const cells = (row?: HTMLElement) =>
      within(row as HTMLElement)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent)
    expect(cells(first)).toEqual([
      ...['2,400', '10', '1 kB/s', '99.6 %', '0 %', '0 %', '0 %', '0.417 %', '3', '250 ms'],
    ])
    expect(cells(second).slice(0, 2)).toEqual(['1,200', '5'])
    expect(cells(all).slice(0, 2)).toEqual(['3,600', '15'])
    expect(table.getByRole('link', { name: 'v7' })).toHaveAttribute(
      'href',
      `/measurements?of=${encodeURIComponent('version:web/7')}&range=6h`,
    )
    const asked = api.requests.find(({ path }) => path === `${ADDRESS}/traffic`)?.query
    const [from, to] = ['from', 'to'].map((name) => Date.parse(asked?.get(name) ?? ''))
    expect((to ?? 0) - (from ?? 0)).toBe(6 * 3_600_000)
    const nodes = within(await panel('Nodes that serve it, table'))
    expect(nodes.getByRole('cell', { name: '3.5' })).toBeVisible()
    expect(within(await panel('Slow paths, table')).getByText('/big.iso')).toBeVisible()
  })

  test('has the time of the address for all of it, with rollouts of its config marked', async () => {
    const [from, to] = [1_700_000_000, 1_700_003_600]
    const at = (seconds: number) => new Date((from + seconds) * 1000).toISOString()
    const rolled = (config: string) =>
      rollout({ config, version: 7, state: 'succeeded', startedAt: at(60), endedAt: null })
    const api = renderApp(`${ADDRESS}?from=${from}&to=${to}`, {
      ...answering(),
      'GET /session': () =>
        json({ ...session, permissions: [...readers, 'rollouts:read', 'alerts:read'] }),
      'GET /alerts': () => json(page()),
      'GET /rollouts': () => json(page(rolled('web'), rolled('default'))),
      [`GET ${ADDRESS}/traffic`]: () =>
        json({ stepSeconds: 60, times: [from], versions: [counted(7, true, column(60))] }),
      [`GET /nodes/${node().id}/slow-requests`]: () => json({ nodeId: node().id, items: [] }),
    })
    const marks = within(await panel('Marked in the chart'))
    expect(marks.getByText(/Rollout of web version 7 started/)).toBeVisible()
    expect(marks.queryByText(/default/)).toBeNull()
    const asked = api.requests.find(({ path }) => path === `${ADDRESS}/traffic`)?.query
    expect([asked?.get('from'), asked?.get('to')]).toEqual([at(0), at(3600)])
    const table = within(await panel('Traffic by version, table'))
    expect(table.getByRole('link', { name: 'v7' })).toHaveAttribute(
      'href',
      `/measurements?of=${encodeURIComponent('version:web/7')}&from=${from}&to=${to}`,
    )
  })

  test('is said to be counted with others where it is not among the first 256', async () => {
    withTraffic([counted(7, false, none), counted(6, true, column(60, 60))])
    const table = within(await panel('Traffic by version, table'))
    expect(table.getByText(/^counted together with others/)).toBeVisible()
    expect(table.getByRole('row', { name: /^v6/ })).toBeVisible()
    expect(table.queryByRole('row', { name: /^all/ })).toBeNull()
  })

  test.each<[string, SiteTraffic['versions'], Partial<Site>, RegExp]>([
    ['none of its versions counts it', [counted(7, false, none)], {}, /Move it up in the text/],
    ['nothing was counted', [], {}, /Nobody asked for it, or its nodes are of a release/],
    ['no node serves it', [], { nodes: 0 }, /^No node serves it\.$/],
    ['the reader sees a part of the farm', null, {}, /^You see a part of the farm/],
  ])('says why there is no traffic when %s', async (_, versions, change, words) => {
    withTraffic(versions, change)
    const traffic = within(await panel('Requests for shop.example'))
    expect(await traffic.findByText(words, {}, soon)).toBeVisible()
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
