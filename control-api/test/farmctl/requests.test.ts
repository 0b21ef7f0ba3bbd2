// SPDX-License-Identifier: MIT
// Requests on the command line: what is asked for, and how what comes is shown.
import { expect, test } from 'vitest'
import type { RequestSearch } from '../../src/farmctl/api-types.ts'
import { askedBy, parseStatus, requestLine, topLines } from '../../src/farmctl/commands/requests.ts'
import { SimulatedNode } from '../simulated-node.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

const found: RequestSearch['requests'][number] = {
  ...{ startedAt: '2026-11-21T09:00:00.123456Z', generation: 1, status: 404, bytes: 2048 },
  ...{ protocol: 'HTTP/1.1', reason: null, path: '/cart', stageSeconds: { total: 0.0123 } },
  ...{ number: 1, nodeId: 'node_1', nodeName: 'edge-1', host: 'shop.example', method: 'GET' },
  client: null,
}

test('what is said becomes a search', () => {
  expect(askedBy({})).toEqual({})
  expect(
    askedBy({
      of: 'nodes:zone=eu',
      path: 'cart',
      status: parseStatus('5xx'),
      clients: true,
      top: true,
    }),
  ).toEqual({
    ...{ of: 'nodes:zone=eu', pathPart: 'cart', statusFrom: 500, statusTo: 599 },
    tellsClients: true,
  })
  expect(parseStatus('404')).toEqual({ statusFrom: 404, statusTo: 404 })
  expect(parseStatus('400-403')).toEqual({ statusFrom: 400, statusTo: 403 })
  for (const wrong of ['6xx', '40', '404-', 'ok']) expect(() => parseStatus(wrong)).toThrow(/Say/)
})

test('a request is a line', () => {
  expect(requestLine(found)).toBe('09:00:00.123 edge-1 404 12.3ms 2.0KiB GET shop.example/cart')
  const odd = {
    ...found,
    client: '192.0.2.7',
    status: null,
    reason: 'clientGone',
    path: '',
    bytes: 0,
  }
  expect(requestLine(odd)).toMatch(
    /edge-1 192\.0\.2\.7 - 12\.3ms .* shop\.example \(not decodable\) ended early: clientGone$/,
  )
})

test('what comes most often is told with how wrong it may be', () => {
  const search = {
    topPaths: [{ path: '/a', requests: 41.6, overcountAtMost: 1.2 }],
    topClients: null,
    times: { sampled: 60, p50Seconds: 0.01, p90Seconds: null, p99Seconds: null },
  } as unknown as RequestSearch
  expect(topLines(search)).toEqual([
    ...['REQUESTS  TOO MANY BY  PATH', '42        2            /a', ''],
    'took, by 60 samples: p50 10.0 ms, p90 too few to say, p99 too few to say',
  ])
})

test('a search ends by itself, and what cannot be searched is said', {
  timeout: FARMCTL_TEST_MS,
}, async () => {
  const { service, run, json } = await farmctl()
  const none = await run(['requests', '--seconds', '5'])
  expect(none.code).not.toBe(0)
  expect(none.stderr).toContain('No nodes are in "farm"')
  const url = await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const tokens = '/api/v1/enrolment-tokens'
  const made = await service.admin.inject({ method: 'POST', url: tokens, payload: {} })
  const node = await SimulatedNode.join(url, made.json().secret, 'edge-1')
  node.capabilities = ['confirm', 'samples', 'requestSearch']
  await node.connect()
  const ended = run(['requests', '--seconds', '5', '--path-prefix', '/cart'])
  await expect.poll(() => node.searches, { timeout: 20_000 }).toHaveLength(1)
  const id = node.searches[0]?.id ?? ''
  const {
    nodeId: _,
    nodeName: _name,
    number: _number,
    startedAt: _at,
    client: _client,
    ...sent
  } = found
  const requests = [{ ...sent, startedUs: 1 }]
  await node.sendSamples([], { searches: [{ id, seen: 90, matched: 7, requests }] })
  const { code, stdout, stderr } = await ended
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/^\S+ edge-1 404 12\.3ms 2\.0KiB GET shop\.example\/cart\n$/)
  expect(stderr).toContain('Searching 1 of 1 nodes for 5 s.')
  expect(stderr).toContain('7 of 90 requests are like that; 1 of those were sent.')
  expect(await json('requests', '--seconds', '5')).toMatchObject({ state: 'ended', requests: [] })
  await node.disconnect()
})
