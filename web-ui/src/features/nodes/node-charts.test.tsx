// SPDX-License-Identifier: MIT
// What a node measured, as its page draws it.
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Alert } from '../../lib/api-types.ts'
import { json } from '../../test/fake-api.ts'
import { openNode } from '../../test/open-node.ts'
import { renderApp } from '../../test/render-app.tsx'
import { alert, node, noMetrics, page, rollout, session } from '../../test/samples.ts'

const { id } = node()

const column = [1, 2]
const series = {
  ...{ nodeId: id, nodeName: 'edge-1', count: column, coverage: [1, 0.5], lostWindows: [0, 3] },
  ...{ p50Seconds: column, p90Seconds: column, p99Seconds: column, maxSeconds: column },
  ...{ requestsPerSecond: column, bytesPerSecond: column },
  ...{ errorRatio: column, clientErrorRatio: column, notFoundRatio: column },
}
const measured = () => json({ ...noMetrics, times: [0, 60], series: [series] })

test('its charts are of the time in the address, and marked with its config’s rollouts and its alerts', async () => {
  const [from, to] = [1_700_000_000, 1_700_003_600]
  const at = (seconds: number) => new Date((from + seconds) * 1000).toISOString()
  const rolled = (config: string) =>
    rollout({ config, version: 7, state: 'succeeded', startedAt: at(60), endedAt: at(120) })
  const fired = (name: string, subject: Alert['subject']) =>
    alert({ id: name, ruleName: name, subject, firingSince: at(200) })
  const alerts = page(
    fired('Its own', { kind: 'node', id, name: 'edge-1' }),
    fired('Another’s', { kind: 'node', id: 'node_other', name: 'edge-2' }),
    fired('The farm’s', { kind: 'set', id: 'farm', name: '' }),
  )
  const none = page()
  const api = renderApp(`/nodes/${id}?from=${from}&to=${to}`, {
    [`GET /nodes/${id}`]: () => json(node()),
    'GET /session': () =>
      json({ ...session, permissions: [...session.permissions, 'rollouts:read', 'alerts:read'] }),
    'GET /metrics/query': measured,
    'GET /rollouts': () => json(page(rolled('default'), rolled('another'))),
    'GET /alerts': ({ query }) => json(query.get('state') === 'firing' ? alerts : none),
  })
  const listed = within(await screen.findByRole('region', { name: 'Marked in the chart' }))
  expect(
    listed
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent?.split(': ').slice(1).join(': ')),
  ).toEqual([
    'Its own: edge-1 fired',
    'The farm’s fired',
    'Rollout of default version 7 succeeded',
    'Rollout of default version 7 started',
  ])
  const asked = api.requests.find(({ path }) => path === '/metrics/query')?.query
  expect([asked?.get('from'), asked?.get('to')]).toEqual([at(0), at(3600)])
})

test('what was measured and never came is told of above the charts, which do not have it', async () => {
  openNode({}, { 'GET /metrics/query': measured })
  const charts = within(await screen.findByRole('region', { name: 'Measurements' }))
  expect(await charts.findByText('3 reports of this time never came')).toBeVisible()
})
