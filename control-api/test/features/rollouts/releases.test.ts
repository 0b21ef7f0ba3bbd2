// SPDX-License-Identifier: MIT
// Releases go out by rollouts, as configs do: named or proved, frozen, given back.
import { expect, test } from 'vitest'
import { push } from '../releases/pushing.ts'
import { act, BY_WAVES, type Farm, farm, order, reaches, saveVersion } from './farm.ts'

const withSite = (site: string) => `{
  "listen": [{ "address": "127.0.0.1", "port": 8080 }],
  "sites": [{ "hosts": ["*"], ${site} }]
}
`
const running = ({ nodes }: Farm) =>
  nodes.map(({ effective }) => effective?.releases?.map(({ name, number }) => `${name} v${number}`))

async function withVersions(): Promise<Farm> {
  const service = await farm(['edge-1', 'edge-2'])
  await push(service.admin, 'www', { 'index.html': 'one' }, null)
  await push(service.admin, 'www', { 'index.html': 'two' }, 1)
  await push(service.admin, 'www', { 'index.html': 'three' }, 2)
  await saveVersion(service.admin, withSite('"release": "www"'), 1)
  return service
}

test('a config is refused that names a release there is none of', async () => {
  const { admin } = await farm([])
  const payload = { text: withSite('"release": "wwv"'), parent: 1, message: 'test' }
  await push(admin, 'www', { 'index.html': 'one' }, null)
  const url = '/api/v1/configs/default/versions'
  const refused = (await admin.inject({ method: 'POST', url, payload })).json()
  expect(refused.errors).toMatchObject([
    { code: 'unknown_release', pointer: '/sites/0/release', line: 3, hint: 'did you mean "www"?' },
  ])
})

test('versions go out that the order names, then what was proved, and go back', async () => {
  const service = await withVersions()
  const { admin } = service
  const plan = (await order(admin, { version: 2, releases: { www: 1 } }, '?dryRun=1')).json()
  const ofAll = { added: 1, changed: 0, removed: 0, fetchFiles: 1, fetchBytes: 3 }
  expect(plan.releases).toMatchObject([{ name: 'www', number: 1, before: null, changes: ofAll }])
  const first = (await order(admin, { version: 2, releases: { www: 1 } })).json()
  await reaches(service, first.id, 'succeeded')
  expect(running(service)).toEqual([['www v1'], ['www v1']])
  // Nothing named: what was proved stays, though there are newer ones.
  const same = (await order(admin, { version: 2 }, '?dryRun=1')).json()
  expect(same).toMatchObject({ changingNodes: 0, releases: [{ name: 'www', number: 1 }] })
  const next = (
    await order(admin, {
      version: 2,
      releases: { www: 3 },
      strategy: { ...BY_WAVES, soakSeconds: 600 },
    })
  ).json()
  const changes = { added: 0, changed: 1, removed: 0, fetchFiles: 1, fetchBytes: 5 }
  expect(next.releases).toMatchObject([{ number: 3, before: { number: 1 }, changes }])
  await expect.poll(() => running(service).flat().toSorted()).toEqual(['www v1', 'www v3'])
  // The way back of the one, what the other runs.
  for (const number of [1, 3]) {
    const url = `/api/v1/releases/www/versions/${number}`
    expect((await admin.inject({ method: 'DELETE', url })).json().code).toBe('release_in_use')
  }
  expect(
    (await admin.inject({ method: 'DELETE', url: '/api/v1/releases/www/versions/2' })).statusCode,
  ).toBe(204)
  const now = (await admin.inject({ url: `/api/v1/rollouts/${next.id}` })).json()
  expect((await act(admin, now, 'revert', { reason: 'test' })).statusCode).toBe(200)
  await reaches(service, next.id, 'reverted')
  expect(running(service)).toEqual([['www v1'], ['www v1']])
})

test('an order is refused that names a version there is none of, or a release that no site has', async () => {
  const { admin } = await withVersions()
  await push(admin, 'other', { 'a.txt': 'a' }, null)
  const refused = async (releases: object) =>
    (await order(admin, { version: 2, releases })).json().code
  expect(await refused({ www: 9 })).toBe('no_such_release_version')
  expect(await refused({ none: 1 })).toBe('no_such_release_version')
  expect(await refused({ other: 1 })).toBe('release_not_named')
})

test('a node that fetches is told of in its task, with how far it is', async () => {
  const service = await withVersions()
  const [node] = service.nodes
  for (const one of service.nodes) await one.disconnect()
  await node?.hello()
  const { id } = (await order(service.admin, { version: 2, nodes: [node?.id] })).json()
  const said = { manifestSha256: 'a'.repeat(64), files: 10_000, bytes: 5, bytesDone: 1 }
  const fetching = (filesDone: number) => node?.send([], { ...said, filesDone })
  const task = async () =>
    (await service.admin.inject({ url: `/api/v1/rollouts/${id}/tasks` })).json().items[0]
  await fetching(1200)
  await expect.poll(async () => (await task()).message).toBe('fetching 1,200 of 10,000 files')
})
