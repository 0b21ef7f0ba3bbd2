// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { build, type Client, shared } from '../../helper.ts'

/** For what is refused: it has none. */
const sharedService = shared()

const put = (client: Client, name: string, search: object, list = 'nodes') =>
  client.inject({
    ...{ method: 'PUT', url: `/api/v1/views/${list}/${encodeURIComponent(name)}` },
    payload: { search },
  })
const names = async (client: Client) =>
  (await client.inject({ url: '/api/v1/views' }))
    .json()
    .items.map(
      ({ list, name, search }: { list: string; name: string; search: object }) =>
        `${list} ${name} ${JSON.stringify(search)}`,
    )

test('a view is kept under its name, replaced by another of that name, and deleted', async () => {
  const { admin } = await build()
  expect((await put(admin, 'In Frankfurt', { selector: 'site=fra' })).statusCode).toBe(200)
  await put(admin, 'In Frankfurt', { selector: 'site=fra', cordoned: true })
  await put(admin, 'Mine', { author: 'ana' }, 'rollouts')
  expect(await names(admin)).toEqual([
    'nodes In Frankfurt {"selector":"site=fra","cordoned":true}',
    'rollouts Mine {"author":"ana"}',
  ])
  const remove = () => admin.inject({ method: 'DELETE', url: '/api/v1/views/nodes/In%20Frankfurt' })
  expect((await remove()).statusCode).toBe(204)
  expect((await remove()).json()).toMatchObject({ status: 404, code: 'view_not_found' })
})

test('each has their own, whoever signs in may, and nobody else', async () => {
  const service = await build()
  const viewer = await service.as('viewer')
  expect((await put(service.anonymous, 'x', {})).statusCode).toBe(401)
  await put(viewer, 'Drifted', { state: 'drift' })
  expect(await names(viewer)).toHaveLength(1)
  expect(await names(service.admin)).toEqual([])
  const theirs = { method: 'DELETE' as const, url: '/api/v1/views/nodes/Drifted' }
  expect((await service.admin.inject(theirs)).statusCode).toBe(404)
})

test('nobody has more than fifty', async () => {
  const { admin } = await build()
  for (let i = 0; i < 50; i += 1) await put(admin, `view ${i}`, {})
  expect((await put(admin, 'one more', {})).json()).toMatchObject({
    ...{ status: 409, code: 'too_many_views' },
  })
  expect((await put(admin, 'view 7', { q: 'edge' })).statusCode).toBe(200)
})

test.each([
  ['another list', 'users', 'x', {}],
  ['a name of spaces', 'nodes', ' ', {}],
  ['a value that is no filter', 'nodes', 'x', { state: { deep: 1 } }],
  ['a long value', 'nodes', 'x', { q: 'x'.repeat(1025) }],
  ['many filters', 'nodes', 'x', Object.fromEntries([...'abcdefghijklmnopq'].map((k) => [k, 1]))],
])('refused: %s', async (_, list, name, search) => {
  const { admin } = sharedService()
  expect((await put(admin, name, search, list)).json().code).toBe('invalid_request')
})
