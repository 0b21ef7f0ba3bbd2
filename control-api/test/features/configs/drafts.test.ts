// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import type { Client } from '../../helper.ts'
import { OTHER, putDraft, saveText, TEXT, URL, withVersion } from './config-client.ts'

const draftOf = async (client: Client) => {
  const response = await client.inject({ url: `${URL}/draft` })
  return { ...response.json(), etag: String(response.headers.etag) }
}
const discard = (client: Client, etag?: string) =>
  client.inject({
    method: 'DELETE',
    url: `${URL}/draft`,
    ...(etag && { headers: { 'if-match': etag } }),
  })
async function put(client: Client, text: string, etag: string): Promise<string> {
  const response = await putDraft(client, text, etag)
  if (response.statusCode !== 200) throw new Error(response.body)
  return String(response.headers.etag)
}

describe('a draft that somebody else changed meanwhile', () => {
  it('is refused with who changed what, and with both texts merged', async () => {
    const { admin, as } = await withVersion()
    const [ana, ben] = [await as('editor'), admin]
    const { etag } = await draftOf(ana)
    const first = await put(ben, TEXT.replace('8080', '8090'), etag)
    await put(ana, TEXT.replace('8080', '8090').replace('/srv/www', '/srv/site'), first)

    const mine = `// for all\n${TEXT}`
    const response = await putDraft(ben, mine, etag)
    expect(response.statusCode).toBe(412)
    const { current, base, changes, merged, moreChanges } = response.json()
    expect(base).toEqual({ text: TEXT, etag })
    expect(current.text).toBe(TEXT.replace('8080', '8090').replace('/srv/www', '/srv/site'))
    expect(changes).toMatchObject([
      { pointer: '/sites/0/root', from: '/srv/www', to: '/srv/site', by: 'test-editor' },
      { pointer: '/listen/0/port', from: 8080, to: 8090, by: 'test-admin', effect: 'listeners' },
    ])
    expect(Date.parse(changes[0].at)).toBeGreaterThanOrEqual(Date.parse(changes[1].at))
    expect(moreChanges).toBe(0)
    expect(merged).toEqual({ text: `// for all\n${current.text}`, conflicts: [] })
    const saved = await putDraft(ben, merged.text, response.json().etag)
    expect(saved.statusCode).toBe(200)
  })

  it('on the same line is shown from both sides', async () => {
    const { admin, as } = await withVersion()
    const { etag } = await draftOf(admin)
    await put(await as('editor'), OTHER, etag)
    const { merged } = (await putDraft(admin, TEXT.replace('8080', '8070'), etag)).json()
    expect(merged.conflicts).toEqual([
      {
        startLine: 4,
        mine: ['  "listen": [{ "address": "127.0.0.1", "port": 8070 }]'],
        base: ['  "listen": [{ "address": "127.0.0.1", "port": 8080 }]'],
        current: ['  "listen": [{ "address": "127.0.0.1", "port": 8090 }]'],
      },
    ])
    expect(merged.text.split('\n').slice(3, 8)).toEqual([
      '<<<<<<< your text',
      '  "listen": [{ "address": "127.0.0.1", "port": 8070 }]',
      '=======',
      '  "listen": [{ "address": "127.0.0.1", "port": 8090 }]',
      '>>>>>>> test-editor’s text',
    ])
  })

  it('and is half typed has no changes by pointer, but is merged all the same', async () => {
    const { admin, as } = await withVersion()
    const { etag } = await draftOf(admin)
    await put(await as('editor'), TEXT.replace('"listen"', '"lis'), etag)
    const response = await putDraft(admin, TEXT.replace('// one', '// a'), etag)
    expect(response.json()).toMatchObject({
      changes: null,
      merged: { text: expect.stringContaining('// a site'), conflicts: [] },
    })
    expect(response.json().merged.text).toContain('  "lis')
  })

  it('too often to know where one began: the refusal says that, too', async () => {
    const { admin, services } = await withVersion()
    const first = await draftOf(admin)
    let etag = first.etag
    for (let i = 0; i < 201; i++) etag = await put(admin, `${TEXT}// ${i}`, etag)
    expect((await putDraft(admin, '{}', first.etag)).json()).toMatchObject({
      current: { text: `${TEXT}// 200` },
      etag,
      base: null,
      changes: null,
      merged: null,
    })
    expect((await putDraft(admin, '{}', '"999"')).json()).toMatchObject({ base: null })
    const { kept } = await services.db
      .selectFrom('draft_revisions')
      .select(({ fn }) => fn.countAll<number>().as('kept'))
      .executeTakeFirstOrThrow()
    expect(kept).toBe(200)
  })

  it('in large texts is remembered for fewer revisions, the newest always', async () => {
    const { admin, services } = await withVersion()
    let { etag } = await draftOf(admin)
    const large = 'x'.repeat(1_000_000)
    for (let i = 0; i < 10; i++) etag = await put(admin, `${large}${i}`, etag)
    const rows = await services.db.selectFrom('draft_revisions').select('revision').execute()
    expect(rows.map(({ revision }) => revision)).toEqual([4, 5, 6, 7, 8, 9, 10, 11])
  })
})

describe('DELETE /configs/{name}/draft', () => {
  it('needs a session that may write configs, and If-Match', async () => {
    const { admin, anonymous, as } = await withVersion()
    expect((await discard(anonymous, '"1"')).statusCode).toBe(401)
    expect((await discard(await as('viewer'), '"1"')).statusCode).toBe(403)
    expect((await discard(admin)).statusCode).toBe(428)
    expect(
      (await admin.inject({ method: 'DELETE', url: '/api/v1/configs/other/draft' })).statusCode,
    ).toBe(404)
  })

  it('goes back to the latest version, once', async () => {
    const { admin } = await withVersion()
    const { etag } = await draftOf(admin)
    const changed = await put(admin, '{ half a thou', etag)
    const stale = await discard(admin, etag)
    expect(stale.statusCode).toBe(412)
    expect(stale.json()).toMatchObject({
      current: { text: '{ half a thou' },
      etag: changed,
      merged: null,
    })
    const response = await discard(admin, changed)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ text: TEXT, baseVersion: 1, updatedBy: 'test-admin' })
    const again = await discard(admin, String(response.headers.etag))
    expect(again.headers.etag).toBe(response.headers.etag)
    expect((await admin.inject({ url: URL })).json()).toMatchObject({ draftChanged: false })
  })

  it('of a draft begun on an older version goes to the latest', async () => {
    const { admin } = await withVersion()
    const { etag } = await draftOf(admin)
    await put(admin, '{ "mine": 1 }', etag)
    await saveText(admin, OTHER, 1)
    const draft = await draftOf(admin)
    expect(draft).toMatchObject({ text: '{ "mine": 1 }', baseVersion: 1 })
    expect((await discard(admin, draft.etag)).json()).toMatchObject({ text: OTHER, baseVersion: 2 })
  })
})

describe('a draft that was begun before the latest version', () => {
  const merge = (client: Client, text: string, baseVersion: number) =>
    client.inject({ method: 'POST', url: `${URL}/merge`, payload: { text, baseVersion } })

  it('is merged with it line by line, and counts as begun from it then', async () => {
    const { admin, as } = await withVersion()
    const first = await draftOf(admin)
    const mine = TEXT.replace('one site', 'our site')
    const etag = await put(admin, mine, first.etag)
    expect((await saveText(await as('editor'), OTHER, 1)).statusCode).toBe(201)

    const response = await merge(admin, mine, 1)
    expect(response.json()).toEqual({
      version: 2,
      author: 'test-editor',
      message: 'why',
      text: OTHER.replace('one site', 'our site'),
      conflicts: [],
    })
    const merged = { text: response.json().text, baseVersion: 2 }
    const saved = await admin.inject({
      method: 'PUT',
      url: `${URL}/draft`,
      payload: merged,
      headers: { 'if-match': etag },
    })
    expect(saved.json()).toMatchObject(merged)
  })

  it('keeps in marks what both changed', async () => {
    const { admin } = await withVersion()
    await saveText(admin, OTHER, 1)
    const { text, conflicts } = (await merge(admin, TEXT.replace('8080', '8070'), 1)).json()
    expect(conflicts).toMatchObject([{ startLine: 4 }])
    expect(text).toContain('<<<<<<< your text\n')
    expect(text).toContain('>>>>>>> v2 by test-admin\n')
  })

  it('counts as begun from what is said, as long as there is such a version', async () => {
    const { admin } = await withVersion()
    await saveText(admin, OTHER, 1)
    const draft = await draftOf(admin)
    const say = async (text: string, baseVersion: number) =>
      await admin.inject({
        method: 'PUT',
        url: `${URL}/draft`,
        payload: { text, baseVersion },
        headers: { 'if-match': (await draftOf(admin)).etag },
      })
    expect((await say(`${draft.text}\n`, 3)).statusCode).toBe(404)
    expect((await say(`${draft.text}\n`, 2)).json().baseVersion).toBe(2)
    expect((await say(`${draft.text}\n\n`, 1)).json().baseVersion).toBe(1)
    expect((await merge(admin, TEXT, 3)).statusCode).toBe(404)
  })
})
