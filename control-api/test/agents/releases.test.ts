// SPDX-License-Identifier: MIT
// Releases on their way to a node: named by what it is to run, fetched by that node alone, and read back.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { contentDigest, contentId } from '../../src/agent-protocol/content.ts'
import type {
  DesiredRequest,
  DesiredResponse,
  ReleaseVersion,
} from '../../src/agent-protocol/messages.gen.ts'
import { beginOf } from '../../src/agents/releases.ts'
import { sha256 } from '../../src/base/ids.ts'
import { push } from '../features/releases/pushing.ts'
import { type Built, build } from '../helper.ts'
import { manifestOf } from '../release-store/manifests.ts'
import { about, assign, DIGEST, enrolNode, example, type TestNode } from './node-client.ts'

const FILES = { 'index.html': '<h1>one</h1>', 'img/a.svg': '<svg/>', 'empty.txt': '' }

const give = (service: Built, nodeId: string, releases: readonly ReleaseVersion[]) =>
  assign(service, { nodeId, releases })
const fetchOf = (service: Built, { credential }: TestNode) => ({
  get: (path: string, range?: string) =>
    service.agents.inject({
      url: `/agent/v1/releases/${path}`,
      headers: { authorization: `Bearer ${credential}`, ...(range !== undefined && { range }) },
    }),
  together: (names: readonly string[]) =>
    service.agents.inject({
      method: 'POST',
      url: '/agent/v1/releases/contents',
      headers: { authorization: `Bearer ${credential}` },
      payload: { sha256: names },
    }),
})

async function withRelease() {
  const service = await build()
  const node = await enrolNode(service)
  await node.hello()
  const manifest = await push(service.admin, 'www', FILES, null)
  const given = { name: 'www', number: 1, manifestSha256: manifest }
  return { service, node, manifest, given, ...fetchOf(service, node) }
}

describe('a release', () => {
  test('is fetched by who is to hold it ahead, as long as it is', async () => {
    const { service, node, manifest, given, get, together } = await withRelease()
    const page = sha256(FILES['index.html'])
    const statuses = async () => [
      (await get(`manifests/${manifest}`)).statusCode,
      (await get(`contents/${page}`)).statusCode,
      (await together([page])).statusCode,
    ]
    expect(await statuses()).toEqual([404, 404, 404])
    const wanted = new Map([[node.id, [given]]])
    service.fleet.ahead.set(new Map([['rollout', wanted]]))
    expect(await statuses()).toEqual([200, 200, 200])
    service.fleet.ahead.set(new Map())
    expect(await statuses()).toEqual([404, 404, 404])
  })

  test('that is to be held ahead is told to who asks with another list, alone or with its report', async () => {
    const { service, node, manifest, given } = await withRelease()
    const wanted = new Map([[node.id, [given]]])
    service.fleet.ahead.set(new Map([['rollout', wanted]]))
    const { ahead: _, ...old } = example<DesiredRequest>('desired.request')
    const ask = async (said: object) =>
      (await node.say('desired', { ...old, have: null, waitMs: 0, ...said })).json()
    expect(await ask({})).toEqual({ assignment: null })
    expect(await ask({ ahead: [] })).toEqual({ assignment: null, ahead: [given] })
    const held = [{ manifestSha256: manifest, state: 'held' as const }]
    expect(await ask({ ahead: held })).toEqual({ assignment: null })
    expect(service.fleet.ahead.stateOf('rollout', node.id)).toMatchObject({ state: 'held' })
    service.fleet.ahead.set(new Map())
    const desired = { have: null, waitMs: 0, ahead: held }
    expect((await node.report({ desired })).json().desired).toEqual({ assignment: null, ahead: [] })
  })

  test('is named by what a node is to run, and fetched by it, whole and from the middle', async () => {
    const { service, node, manifest, given, get, together } = await withRelease()
    await give(service, node.id, [given])
    const { assignment } = (await node.desired(null)).json<DesiredResponse>()
    expect(assignment?.release).toMatchObject({ configDigest: DIGEST, releases: [given] })
    const list = await get(`manifests/${manifest}`)
    expect([list.statusCode, list.body]).toEqual([200, manifestOf(FILES)])
    expect(list.headers['content-type']).toBe('application/octet-stream')
    const rest = await get(`manifests/${manifest}`, 'bytes=10-')
    expect([rest.statusCode, rest.body]).toEqual([206, manifestOf(FILES).slice(10)])
    const page = FILES['index.html']
    expect((await get(`contents/${sha256(page)}`)).body).toBe(page)
    const tail = await get(`contents/${sha256(page)}`, 'bytes=4-')
    expect([tail.statusCode, tail.body]).toEqual([206, page.slice(4)])
    expect(tail.headers['content-range']).toBe(`bytes 4-${page.length - 1}/${page.length}`)
    expect((await get(`contents/${sha256(page)}`, 'bytes=900-')).statusCode).toBe(416)
    const contents = [FILES['img/a.svg'], '', page, page]
    const all = await together(contents.map(sha256))
    expect([all.statusCode, all.body]).toEqual([200, contents.join('')])
  })

  test('is had as a difference from an earlier version, and of nothing else', async () => {
    const { service, node, get } = await withRelease()
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f/${at}`, `${at}`]))
    const before = await push(service.admin, 'docs', many, null)
    const now = { ...many, 'f/7': 'changed' }
    const manifest = await push(service.admin, 'docs', now, 1)
    const whole = manifestOf(now).split('\n')
    const at = whole.findIndex((line) => line.includes('"f/7"'))
    const delta = `=${at}\n-1\n${whole[at]}\n=${49 - at}\n`
    expect((await get(`manifests/${manifest}/of/${before}`)).json()).toMatchObject({
      ...{ status: 404, code: 'no_such_release' },
    })
    await give(service, node.id, [{ name: 'docs', number: 2, manifestSha256: manifest }])
    const all = await get(`manifests/${manifest}/of/${before}`)
    expect([all.statusCode, all.body]).toEqual([200, delta])
    const rest = await get(`manifests/${manifest}/of/${before}`, 'bytes=5-')
    expect([rest.statusCode, rest.body]).toEqual([206, delta.slice(5)])
    const refused = { status: 404, code: 'no_such_delta' }
    const stranger = await push(service.admin, 'stranger', { ...many, x: '' }, null)
    for (const base of [stranger, sha256('nothing'), 'x', '../../blobs/aa'])
      expect(
        (await get(`manifests/${manifest}/of/${encodeURIComponent(base)}`)).json(),
      ).toMatchObject(refused)
    expect((await get(`manifests/${before}/of/${manifest}`)).json()).toMatchObject({
      code: 'no_such_release',
    })
  })

  test('is not given to another node, nor once nothing names it, nor what is in no release of it', async () => {
    const { service, node, manifest, given, get, together } = await withRelease()
    const other = await enrolNode(service)
    await other.hello()
    const secret = await push(service.admin, 'secret', { 'a.txt': 'not for it' }, null)
    await give(service, node.id, [given])
    const none = { status: 404, code: 'no_such_release' }
    const page = sha256(FILES['index.html'])
    const asOther = fetchOf(service, other)
    expect((await asOther.get(`manifests/${manifest}`)).json()).toMatchObject(none)
    expect((await asOther.get(`contents/${page}`)).json()).toMatchObject(none)
    for (const path of [`manifests/${secret}`, `contents/${sha256('not for it')}`, 'contents/x']) {
      expect((await get(path)).json(), path).toMatchObject(none)
    }
    expect((await together([page, sha256('not for it')])).json()).toMatchObject(none)
    await give(service, node.id, [])
    expect((await get(`contents/${page}`)).statusCode).toBe(200)
    await sql`update assignments set state = 'confirmed'`.execute(service.services.db)
    expect((await get(`contents/${page}`)).json()).toMatchObject(none)
  })

  test('runs when it is said to, and not with the config alone or another version', async () => {
    const { service, node, given } = await withRelease()
    const said = about(await give(service, node.id, [given]))
    for (const message of ['ack', 'result'] as const) {
      const body = message === 'ack' ? said.ack : said.applied
      expect((await node.say(message, body)).statusCode).toBe(200)
    }
    const confirm = async (releases: ReleaseVersion[]) => {
      const effective = { ...said.confirm.effective, releases }
      return (await node.say('confirm', { ...said.confirm, effective })).json().confirmed
    }
    expect(await confirm([])).toBe(false)
    expect(await confirm([{ ...given, number: 2 }])).toBe(false)
    expect(await confirm([given])).toBe(true)
    await node.report({ effective: { ...said.confirm.effective, releases: [given] } })
    expect((await node.show()).sync).toMatchObject({ state: 'in-sync' })
    const removed = await service.admin.inject({
      method: 'DELETE',
      url: '/api/v1/releases/www/versions/1',
    })
    expect(removed.json()).toMatchObject({ status: 409, code: 'release_in_use' })
    expect(removed.json().detail).toContain(node.name)
  })
})

test('a digest of content is the config’s own where nothing goes with it, and tells what goes', () => {
  const certificate = { name: 'www', version: 1, fingerprintSha256: 'f'.repeat(64) }
  const release = { name: 'www', number: 1, manifestSha256: 'f'.repeat(64) }
  expect(contentDigest(DIGEST)).toBe(DIGEST)
  expect(contentId('x')).toBe(sha256('x'))
  const digests = [
    contentDigest(DIGEST),
    contentDigest(DIGEST, [certificate]),
    contentDigest(DIGEST, [], [release]),
    contentDigest(DIGEST, [certificate], [release]),
    contentDigest(DIGEST, [], [{ ...release, number: 2 }]),
    contentDigest(DIGEST, [], [{ ...release, manifestSha256: 'e'.repeat(64) }]),
  ]
  expect(new Set(digests).size).toBe(digests.length)
  // As stored before there were releases.
  const said = JSON.stringify([DIGEST, ['www', 1, 'f'.repeat(64)]])
  expect(contentDigest(DIGEST, [certificate])).toBe(`sha256:${sha256(said)}`)
})

test.each([
  [undefined, 5, 0],
  ['bytes=0-', 5, 0],
  ['bytes=4-', 5, 4],
  ['bytes=5-', 5, null],
  ['bytes=0-', 0, 0],
  ['bytes=0-3', 5, null],
  ['bytes=-3', 5, null],
  ['bytes=1-,2-', 5, null],
])('the range %s of %d bytes begins at %s', (range, size, begin) => {
  expect(beginOf(range, size)).toBe(begin)
})
