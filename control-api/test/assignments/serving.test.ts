// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { createServing } from '../../src/assignments/serving.ts'
import { hostsIn } from '../../src/features/configs/text/hosts.ts'
import { assign, enrolNode } from '../agents/node-client.ts'
import { build } from '../helper.ts'

const text = (...hosts: string[]) =>
  `{ "sites": [{ "hosts": ${JSON.stringify(hosts)}, "root": "/srv/www" }] } // of the farm`

test('who serves a host is read from what nodes were told last: its name, an ending of it, or whatever comes', async () => {
  const service = await build()
  const { db } = service.services
  const clock = { nowMs: 0 }
  const read: string[] = []
  const serving = createServing({
    db,
    now: () => clock.nowMs,
    hostsIn: async (one) => {
      read.push(one)
      return hostsIn(one)
    },
  })
  const told = {
    exact: text('SHOP.example'),
    ending: text('other.example', '*.example'),
    longer: text('*.shop.example'),
    any: text('*'),
    none: text('shop.example.org'),
    same: text('SHOP.example'),
  }
  const ids: Record<string, string> = {}
  for (const [name, one] of Object.entries(told)) {
    const node = await enrolNode(service)
    ids[name] = node.id
    await assign(service, { nodeId: node.id, text: text('before.example') })
    await assign(service, { nodeId: node.id, text: one })
  }
  const bare = await enrolNode(service)
  const names = async (...hosts: string[]) => {
    const found = await serving(hosts)
    expect(found.has(bare.id)).toBe(false)
    return Object.keys(ids)
      .filter((name) => found.has(ids[name] ?? ''))
      .sort()
  }
  expect(await names('shop.example')).toEqual(['any', 'ending', 'exact', 'same'])
  expect(await names('www.shop.example')).toEqual(['any', 'ending', 'longer'])
  expect(await names('before.example')).toEqual(['any', 'ending'])
  expect(await names('shop.example.org', 'else.org')).toEqual(['any', 'none'])
  // Each text once, though two nodes have it.
  expect(read.toSorted()).toEqual([...new Set(Object.values(told))].toSorted())

  await assign(service, { nodeId: ids.none ?? '', text: told.exact })
  expect(await names('shop.example')).not.toContain('none')
  clock.nowMs += 11_000
  expect(await names('shop.example')).toContain('none')
  expect(read).toHaveLength(5)
  const url = `/api/v1/nodes/${ids.any}`
  const { headers } = await service.admin.inject({ url })
  const gone = await service.admin.inject({
    method: 'DELETE',
    url,
    headers: { 'if-match': String(headers.etag) },
  })
  expect(gone.statusCode, gone.body).toBeLessThan(300)
  clock.nowMs += 11_000
  expect(await names('unknown.org')).toEqual([])
})
