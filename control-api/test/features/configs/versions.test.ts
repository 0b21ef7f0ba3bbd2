// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { sourceOf } from '../../../src/features/configs/rules.ts'
import { versionSummaries } from '../../../src/features/configs/store.ts'
import { build, type Client, withToken } from '../../helper.ts'
import { isOnPostgres } from '../../postgres.ts'
import { OTHER, putDraft, save, saveText, TEXT, URL, withVersion } from './config-client.ts'

const versionsOf = async (client: Client, query = '') =>
  (await client.inject({ url: `${URL}/versions${query}` })).json().items
const restore = (client: Client, number: number, payload: object, query = '') =>
  client.inject({
    method: 'POST',
    url: `${URL}/versions/${number}/actions/restore${query}`,
    payload,
  })

const versionOne = { text: TEXT, parent: null, message: 'first' }

describe('the source of a version', () => {
  it('is what called', () => {
    const user = { token: null } as Parameters<typeof sourceOf>[0]['user']
    const token = { token: { id: 'token_1', name: 'ci' } } as typeof user
    const farmctl = { 'farmstead-client': 'farmctl/0.1.0' }
    for (const [headers, caller, imported, source] of [
      [{}, user, false, 'ui'],
      [{}, token, false, 'api'],
      [farmctl, token, false, 'cli'],
      [farmctl, user, false, 'cli'],
      [{ 'farmstead-client': 'somebody/1' }, token, false, 'api'],
      [farmctl, token, true, 'import'],
    ] as const) {
      expect(sourceOf({ headers, user: caller }, imported), JSON.stringify(headers)).toBe(source)
    }
  })

  it('is in the history with parent, author and message; the database takes no version without', async () => {
    const service = await withVersion()
    const { admin, as, services } = service
    await admin.inject({
      method: 'POST',
      url: `${URL}/versions`,
      headers: { 'farmstead-client': 'farmctl/0.1.0' },
      payload: { text: OTHER, parent: 1, message: 'by hand' },
    })
    await save(await as('editor'), {
      text: TEXT.replace('8080', '1'),
      parent: 2,
      message: 'theirs',
      source: 'import',
    })
    await save(await withToken(service, admin), { text: OTHER, parent: 3, message: 'nightly' })
    expect(await versionsOf(admin)).toMatchObject([
      { number: 4, parent: 3, author: 'test-admin', message: 'nightly', source: 'api' },
      { number: 3, parent: 2, author: 'test-editor', message: 'theirs', source: 'import' },
      { number: 2, parent: 1, author: 'test-admin', message: 'by hand', source: 'cli' },
      { number: 1, parent: null, author: 'test-admin', message: 'why', source: 'ui' },
    ])
    const given = { text: TEXT, parent: 4, message: 'x' }
    expect((await save(admin, { ...given, source: 'drift' })).statusCode).toBe(400)
    const version = await services.db
      .selectFrom('config_versions')
      .selectAll()
      .where('number', '=', 3)
      .executeTakeFirstOrThrow()
    for (const missing of ['author', 'message', 'source', 'digest', 'text', 'created_at_ms']) {
      const row = { ...version, number: 5, parent: 4, [missing]: null as unknown as string }
      await expect(
        services.db.insertInto('config_versions').values(row).execute(),
        missing,
      ).rejects.toThrow(/not.null/i)
    }
  })
})

describe('the latest version’s very text again', () => {
  it('is that version: nothing is saved, whatever the parent', async () => {
    const { admin } = await withVersion()
    await saveText(admin, OTHER, 1)
    for (const parent of [null, 1, 2]) {
      const response = await saveText(admin, OTHER, parent, 'again')
      expect(response.statusCode).toBe(200)
      expect(response.headers.location).toBe(`${URL}/versions/2`)
      expect(response.json()).toMatchObject({ number: 2, message: 'why', text: OTHER })
    }
    expect(await versionsOf(admin)).toHaveLength(2)
    expect((await saveText(admin, `${OTHER}\n`, 2, 'other bytes')).statusCode).toBe(201)
  })
})

describe('dryRun=1', () => {
  const dry = (client: Client, payload: object) =>
    client.inject({ method: 'POST', url: `${URL}/versions?dryRun=1`, payload })

  it('says what saving would do, and stores nothing', async () => {
    const { admin } = await build()
    const first = await dry(admin, { text: TEXT, parent: null, message: 'first' })
    expect(first.statusCode).toBe(200)
    expect(first.json()).toMatchObject({ dryRun: true, creates: true, number: 1, parent: null })
    expect((await admin.inject({ url: URL })).statusCode).toBe(404)

    const { digest } = (await saveText(admin, TEXT, null)).json()
    expect(first.json().digest).toBe(digest)
    expect((await dry(admin, { text: OTHER, parent: 1, message: 'other port' })).json()).toEqual({
      dryRun: true,
      config: 'default',
      creates: true,
      number: 2,
      parent: 1,
      digest: expect.stringMatching(/^sha256:/),
      source: 'ui',
      hunks: [expect.objectContaining({ fromLine: 1, fromLines: 5, toLines: 5 })],
      changes: [expect.objectContaining({ pointer: '/listen/0/port', from: 8080, to: 8090 })],
      moreChanges: 0,
    })
    expect((await dry(admin, { text: TEXT, parent: 1, message: 'same' })).json()).toMatchObject({
      creates: false,
      number: 1,
      hunks: [],
      changes: [],
    })
    expect(await versionsOf(admin)).toHaveLength(1)
  })

  it('refuses what saving would refuse', async () => {
    const { admin, as } = await withVersion()
    const bad = { text: TEXT.replace('8080', '99999'), parent: 1, message: 'x' }
    expect((await dry(admin, bad)).statusCode).toBe(422)
    expect((await dry(admin, { text: OTHER, parent: null, message: 'x' })).statusCode).toBe(409)
    const good = { text: OTHER, parent: 1, message: 'x' }
    expect((await dry(await as('viewer'), good)).statusCode).toBe(403)
  })
})

describe('POST /configs/{name}/versions/{number}/actions/restore', () => {
  it('needs a session that may write configs, a message and the latest version as parent', async () => {
    const { admin, anonymous, as } = await withVersion()
    await saveText(admin, OTHER, 1)
    const payload = { message: 'back', parent: 2 }
    expect((await restore(anonymous, 1, payload)).statusCode).toBe(401)
    expect((await restore(await as('viewer'), 1, payload)).statusCode).toBe(403)
    expect((await restore(admin, 1, { parent: 2 })).statusCode).toBe(400)
    expect((await restore(admin, 1, { message: 'back', parent: 1 })).statusCode).toBe(409)
    expect((await restore(admin, 9, payload)).json().code).toBe('version_not_found')
  })

  it('saves the old text as a new version that says it is a revert', async () => {
    const { admin, services } = await withVersion()
    await saveText(admin, OTHER, 1)
    const payload = { message: 'the port was right', parent: 2 }
    expect((await restore(admin, 1, payload, '?dryRun=1')).json()).toMatchObject({
      dryRun: true,
      number: 3,
      source: 'revert',
    })
    const response = await restore(admin, 1, payload)
    expect(response.statusCode).toBe(201)
    expect(response.headers.location).toBe(`${URL}/versions/3`)
    expect(response.json()).toMatchObject({
      number: 3,
      parent: 2,
      text: TEXT,
      source: 'revert',
      author: 'test-admin',
      message: 'the port was right',
    })
    const { data } = await services.db
      .selectFrom('events')
      .select('data')
      .where('action', '=', 'version-created')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(data)).toMatchObject({ number: 3, source: 'revert', restored: 1 })
    expect((await restore(admin, 3, { message: 'again', parent: 3 })).statusCode).toBe(200)
  })
})

describe('GET /configs/{name}/versions/{number}/text', () => {
  it('is the author’s bytes, as a file', async () => {
    const { admin, anonymous } = await build()
    const text = TEXT.replace('// one site', '// eine Seite: für alle ✓').replaceAll('\n', '\r\n')
    const { digest } = (await saveText(admin, text, null)).json()
    const url = `${URL}/versions/1/text`
    const response = await admin.inject({ url })
    expect(response.rawPayload).toEqual(Buffer.from(text, 'utf8'))
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="default-v1.jsonc"',
      etag: `"${digest}"`,
    })
    expect((await anonymous.inject({ url })).statusCode).toBe(401)
    expect((await admin.inject({ url: `${URL}/versions/2/text` })).statusCode).toBe(404)
  })
})

describe('the filters', () => {
  it('of versions go by author, source and message, across pages', async () => {
    const { admin, as } = await withVersion()
    const editor = await as('editor')
    for (let parent = 1; parent < 6; parent++) {
      const client = parent % 2 === 0 ? admin : editor
      await saveText(client, TEXT.replace('8080', String(parent)), parent, `Port ${parent}`)
    }
    const numbers = async (query: string) =>
      (await versionsOf(admin, query)).map(({ number }: { number: number }) => number)
    expect(await numbers('?author=test-editor')).toEqual([6, 4, 2])
    expect(await numbers('?q=PORT%202')).toEqual([3])
    // Letters beyond ASCII are found as they are written, in both databases.
    await saveText(admin, TEXT.replace('8080', '7'), 6, 'ÄNDERUNG')
    expect(await numbers(`?q=${encodeURIComponent('Änd')}`)).toEqual([7])
    expect([await numbers('?q=2'), await numbers('?q=v2'), await numbers('?q=v02')]).toEqual([
      [3, 2],
      [2],
      [],
    ])
    expect(await numbers('?source=ui&author=test-admin')).toEqual([7, 5, 3, 1])
    expect(await numbers('?source=cli')).toEqual([])
    expect((await admin.inject({ url: `${URL}/versions?source=magic` })).statusCode).toBe(400)
    const url = `${URL}/versions?author=test-editor&limit=2`
    const { nextCursor } = (await admin.inject({ url })).json()
    expect((await admin.inject({ url: `${url}&cursor=${nextCursor}` })).json()).toMatchObject({
      items: [{ number: 2 }],
      nextCursor: null,
    })
  })

  it('of configs go by a part of the name, which is no pattern', async () => {
    const { admin } = await withVersion()
    for (const name of ['edge', 'edge.north']) await save(admin, versionOne, name)
    const names = async (q: string) =>
      (await admin.inject({ url: `/api/v1/configs?q=${encodeURIComponent(q)}` }))
        .json()
        .items.map(({ name }: { name: string }) => name)
    expect(await names('edge')).toEqual(['edge', 'edge.north'])
    expect(await names('north')).toEqual(['edge.north'])
    expect(await names('%')).toEqual([])
  })

  it.skipIf(isOnPostgres)('read lists from an index, never the texts', async () => {
    const { services } = await withVersion()
    const plan = await versionSummaries(services.db)
      .where('config', '=', 'default')
      .where('number', '<', 100)
      .where('author', '=', 'test-admin')
      .orderBy('number', 'desc')
      .explain(undefined, sql`query plan`)
    const steps = plan.map(({ detail }) => detail)
    expect(steps[0]).toMatch(/^SEARCH v USING COVERING INDEX config_versions_listed/)
    expect(steps).not.toContainEqual(expect.stringContaining('TEMP B-TREE'))
  })
})

describe('GET /configs/{name}/diff', () => {
  it('is by line and by pointer, with what a change means', async () => {
    const { admin } = await withVersion()
    await saveText(admin, OTHER.replace('one site', 'the same site'), 1)
    const response = await admin.inject({ url: `${URL}/diff?from=1&to=2&context=0` })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      from: 1,
      to: 2,
      toConfig: 'default',
      fromText: TEXT,
      toText: OTHER.replace('one site', 'the same site'),
      hunks: [
        expect.objectContaining({ lines: ['-  // one site', '+  // the same site'] }),
        expect.objectContaining({
          fromLine: 4,
          lines: [expect.stringContaining('8080'), expect.stringContaining('8090')],
        }),
      ],
      changes: [
        {
          pointer: '/listen/0/port',
          fromPointer: '/listen/0/port',
          kind: 'changed',
          from: 8080,
          to: 8090,
          help: expect.stringContaining('TCP port'),
          default: 8080,
          effect: 'listeners',
        },
      ],
      moreChanges: 0,
    })
  })

  it('is with the draft, finished or not, and with another config', async () => {
    const { admin } = await withVersion()
    await save(admin, { ...versionOne, text: OTHER }, 'edge')
    const other = await admin.inject({ url: `${URL}/diff?from=1&to=1&toConfig=edge` })
    expect(other.json()).toMatchObject({ toConfig: 'edge', changes: [{ to: 8090 }] })
    const draft = async (text: string, etag: string) => {
      const { headers } = await putDraft(admin, text, etag)
      const { hunks, changes } = (await admin.inject({ url: `${URL}/diff?from=1&to=draft` })).json()
      return { etag: String(headers.etag), lines: hunks[0]?.lines, changes }
    }
    const { etag, changes } = await draft(OTHER, '"1"')
    expect(changes).toMatchObject([{ pointer: '/listen/0/port' }])
    const half = await draft('{ "list', etag)
    expect(half.changes).toBeNull()
    expect(half.lines).toEqual(expect.arrayContaining(['+{ "list', '\\ No newline at end of file']))
    for (const query of ['from=0&to=1', 'from=1', 'from=1&to=latest', 'from=1&to=1&context=99']) {
      expect((await admin.inject({ url: `${URL}/diff?${query}` })).statusCode, query).toBe(400)
    }
    const gone = await admin.inject({ url: `${URL}/diff?from=1&to=draft&toConfig=none` })
    expect(gone.json().code).toBe('config_not_found')
  })
})

describe('DELETE /configs/{name}', () => {
  const remove = (client: Client, etag?: string) =>
    client.inject({ method: 'DELETE', url: URL, ...(etag && { headers: { 'if-match': etag } }) })
  const etagOf = async (client: Client) => String((await client.inject({ url: URL })).headers.etag)

  it('needs a session that may write configs, and If-Match of what one has seen', async () => {
    const { admin, anonymous, as } = await withVersion()
    const etag = await etagOf(admin)
    expect((await remove(anonymous, etag)).statusCode).toBe(401)
    expect((await remove(await as('viewer'), etag)).statusCode).toBe(403)
    expect((await remove(admin)).statusCode).toBe(428)
    await putDraft(admin, '{}', '"1"')
    expect((await remove(admin, etag)).statusCode).toBe(412)
  })

  it('removes a config that was never used, and the name is free again', async () => {
    const { admin, services } = await withVersion()
    await saveText(admin, OTHER, 1)
    expect((await remove(admin, await etagOf(admin))).statusCode).toBe(204)
    expect((await admin.inject({ url: URL })).statusCode).toBe(404)
    for (const table of ['config_versions', 'draft_revisions', 'configs'] as const) {
      expect(await services.db.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
    expect((await saveText(admin, TEXT, null)).json()).toMatchObject({ number: 1 })
  })

  it('says which groups name a config, and removes it when none does', async () => {
    const { admin } = await withVersion()
    const groups = '/api/v1/groups'
    for (const name of ['edge', 'core']) {
      const payload = { name, selector: name, config: 'default' }
      expect((await admin.inject({ method: 'POST', url: groups, payload })).statusCode).toBe(201)
    }
    const refused = await remove(admin, await etagOf(admin))
    expect(refused.json()).toMatchObject({ status: 409, code: 'config_in_use' })
    expect(refused.json().detail).toMatch(/group "edge".*group "core".*Let it name another/)
    for (const name of ['edge', 'core']) {
      const url = `${groups}/${name}`
      const etag = String((await admin.inject({ url })).headers.etag)
      await admin.inject({ method: 'DELETE', url, headers: { 'if-match': etag } })
    }
    expect((await remove(admin, await etagOf(admin))).statusCode).toBe(204)
  })

  it('says what keeps a config that nodes ever got, and so does the database', async () => {
    const { admin, services } = await withVersion()
    const { db } = services
    await db
      .insertInto('releases')
      .values({ config: 'default', version: 1, rollout_id: null, at_ms: 1 })
      .execute()
    const response = await remove(admin, await etagOf(admin))
    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({
      code: 'config_in_use',
      detail: expect.stringContaining('it was released to new nodes once'),
    })
    await db.updateTable('configs').set({ removed_at_ms: 1 }).execute()
    await expect(db.deleteFrom('config_versions').execute()).rejects.toThrow(/for ever/)
  })
})
