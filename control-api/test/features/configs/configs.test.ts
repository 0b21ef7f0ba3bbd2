// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { importConfig } from '../../../src/features/configs/versions.ts'
import { build } from '../../helper.ts'
import { OTHER, putDraft, save, saveText, TEXT, URL, withVersion } from './config-client.ts'

describe('POST /configs/{name}/versions', () => {
  it('needs a session that may write configs', async () => {
    const { anonymous, as } = await build()
    expect((await saveText(anonymous, TEXT, null)).statusCode).toBe(401)
    expect((await saveText(await as('viewer'), TEXT, null)).statusCode).toBe(403)
    expect((await saveText(await as('operator'), TEXT, null)).statusCode).toBe(403)
  })

  it('needs text, parent and a message that says something', async () => {
    const { admin } = await build()
    for (const payload of [
      { text: TEXT, parent: null },
      { text: TEXT, message: 'x' },
      { parent: null, message: 'x' },
      { text: TEXT, parent: null, message: '  ' },
      { text: TEXT, parent: null, message: 'x', author: 'somebody else' },
    ]) {
      expect((await save(admin, payload)).statusCode).toBe(400)
    }
    expect(
      (await save(admin, { text: TEXT, parent: null, message: 'x' }, 'Not_A_Name')).statusCode,
    ).toBe(400)
  })

  it('keeps the author’s bytes, and who saved them, why and when', async () => {
    const { as } = await build()
    const editor = await as('editor')
    const response = await saveText(editor, TEXT, null, 'first of all')
    expect(response.statusCode).toBe(201)
    expect(response.headers.location).toBe(`${URL}/versions/1`)
    const version = response.json()
    expect(version).toMatchObject({
      config: 'default',
      number: 1,
      parent: null,
      author: 'test-editor',
      message: 'first of all',
      source: 'ui',
      text: TEXT,
      sizeBytes: TEXT.length,
      nodes: 0,
    })
    expect(version.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect((await editor.inject({ url: `${URL}/versions/1` })).json()).toEqual(version)
  })

  it('refuses what farmstead-node refuses, and says where', async () => {
    const { admin } = await build()
    const response = await saveText(admin, TEXT.replace('"listen"', '"lisen"'), null)
    expect(response.statusCode).toBe(422)
    expect(response.json()).toMatchObject({
      code: 'config_invalid',
      errors: [
        {
          pointer: '/lisen',
          line: 4,
          column: 3,
          code: 'unknown_key',
          hint: expect.stringContaining('listen'),
        },
      ],
    })
    expect((await admin.inject({ url: '/api/v1/configs' })).json().items).toEqual([])
  })

  it('does not save what nobody could check', async () => {
    const { admin } = await build({ config: { nodeBinary: '/nowhere/farmstead-node' } })
    const response = await saveText(admin, TEXT, null)
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({ code: 'node_check_unavailable' })
    expect(response.json().detail).toContain('/nowhere/farmstead-node does not exist')
    const validation = await admin.inject({
      method: 'POST',
      url: '/api/v1/configs/validate',
      payload: { text: TEXT },
    })
    expect(validation.json()).toMatchObject({
      ok: false,
      digest: null,
      errors: [{ code: 'node_check_unavailable' }],
    })
  })

  it('refuses a parent that is not the latest version', async () => {
    const { admin } = await withVersion()
    for (const parent of [null, 2]) {
      const response = await saveText(admin, OTHER, parent)
      expect(response.statusCode).toBe(409)
      expect(response.json()).toMatchObject({
        code: 'parent_not_latest',
        detail: expect.stringContaining('latest version of "default" is 1'),
      })
    }
  })

  it('lets one of two who save at the same time win, and tells the other', async () => {
    const { admin } = await withVersion()
    const texts = [OTHER, TEXT.replace('8080', '8091')]
    const responses = await Promise.all(texts.map((text) => saveText(admin, text, 1)))
    expect(responses.map((response) => response.statusCode).sort()).toEqual([201, 409])
  })

  it('restores an old version as a new one, and says so', async () => {
    const { admin } = await withVersion()
    await saveText(admin, OTHER, 1)
    const response = await saveText(admin, TEXT, 2, 'back to the old port')
    expect(response.json()).toMatchObject({ number: 3, parent: 2, source: 'revert', text: TEXT })
  })

  it('cannot be undone, not even in the database', async () => {
    const { services } = await withVersion()
    const { db } = services
    await expect(db.updateTable('config_versions').set({ text: '{}' }).execute()).rejects.toThrow(
      /immutable/,
    )
    await expect(db.deleteFrom('config_versions').execute()).rejects.toThrow(/for ever/)
  })
})

describe('the lists', () => {
  it('need a session and are there for viewers', async () => {
    const { anonymous, as } = await withVersion()
    const viewer = await as('viewer')
    for (const url of [
      '/api/v1/configs',
      URL,
      `${URL}/versions`,
      `${URL}/versions/1`,
      `${URL}/draft`,
      '/api/v1/config-schema',
    ]) {
      expect((await anonymous.inject({ url })).statusCode, url).toBe(401)
      expect((await viewer.inject({ url })).statusCode, url).toBe(200)
    }
  })

  it('say what there is not', async () => {
    const { admin } = await withVersion()
    for (const [url, code] of [
      ['/api/v1/configs/other', 'config_not_found'],
      ['/api/v1/configs/other/draft', 'config_not_found'],
      ['/api/v1/configs/other/versions', 'config_not_found'],
      ['/api/v1/configs/other/versions/1', 'config_not_found'],
      [`${URL}/versions/9`, 'version_not_found'],
      [`${URL}/diff?from=1&to=9`, 'version_not_found'],
    ]) {
      const response = await admin.inject({ url: url ?? '' })
      expect(response.statusCode).toBe(404)
      expect(response.json().code).toBe(code)
    }
  })

  it('page through versions, newest first', async () => {
    const { admin } = await withVersion()
    for (let parent = 1; parent < 5; parent++) {
      await saveText(admin, TEXT.replace('8080', String(8080 + parent)), parent)
    }
    const numbers: number[] = []
    let cursor = ''
    do {
      const page = (
        await admin.inject({ url: `${URL}/versions?limit=2${cursor && `&cursor=${cursor}`}` })
      ).json()
      numbers.push(...page.items.map((item: { number: number }) => item.number))
      cursor = page.nextCursor ?? ''
    } while (cursor)
    expect(numbers).toEqual([5, 4, 3, 2, 1])
    const configs = (await admin.inject({ url: '/api/v1/configs' })).json()
    expect(configs).toMatchObject({
      items: [{ name: 'default', latestVersion: 5, draftChanged: false }],
      nextCursor: null,
    })
  })
})

describe('the draft', () => {
  it('needs a session that may write configs', async () => {
    const { anonymous, as } = await withVersion()
    expect((await putDraft(anonymous, '{', '"1"')).statusCode).toBe(401)
    expect((await putDraft(await as('viewer'), '{', '"1"')).statusCode).toBe(403)
  })

  it('is the latest version until somebody changes it, whatever they type', async () => {
    const { admin } = await withVersion()
    const before = await admin.inject({ url: `${URL}/draft` })
    expect(before.json()).toMatchObject({ text: TEXT, baseVersion: 1 })
    const after = await putDraft(admin, '{ half a thou', String(before.headers.etag))
    expect(after.statusCode).toBe(200)
    expect(after.headers.etag).not.toBe(before.headers.etag)
    expect(after.json()).toMatchObject({ text: '{ half a thou', updatedBy: 'test-admin' })
    expect((await admin.inject({ url: URL })).json()).toMatchObject({
      draftChanged: true,
      latestVersion: 1,
    })
  })

  it('is changed only by who has seen it: 428 without If-Match, 412 with the other’s text', async () => {
    const { admin, as } = await withVersion()
    const editor = await as('editor')
    expect((await putDraft(admin, '{}')).statusCode).toBe(428)
    const etag = String((await admin.inject({ url: `${URL}/draft` })).headers.etag)
    const theirs = await putDraft(editor, '{ "theirs": 1 }', etag)
    const response = await putDraft(admin, '{ "mine": 1 }', etag)
    expect(response.statusCode).toBe(412)
    expect(response.headers.etag).toBe(theirs.headers.etag)
    expect(response.json()).toMatchObject({
      code: 'precondition_failed',
      detail: expect.stringContaining('test-editor'),
      current: { text: '{ "theirs": 1 }', updatedBy: 'test-editor' },
      etag: theirs.headers.etag,
    })
    expect((await putDraft(admin, '{ "mine": 1 }', response.json().etag)).statusCode).toBe(200)
    // Who says that any state will do means it (RFC 9110, 13.1.1).
    expect((await putDraft(admin, '{}', '*')).statusCode).toBe(200)
  })

  it('follows a saved version, but never throws away what somebody else typed', async () => {
    const { admin } = await withVersion()
    await saveText(admin, OTHER, 1)
    expect((await admin.inject({ url: `${URL}/draft` })).json()).toMatchObject({
      text: OTHER,
      baseVersion: 2,
    })
    const etag = String((await admin.inject({ url: `${URL}/draft` })).headers.etag)
    await putDraft(admin, '{ "theirs": 1 }', etag)
    await saveText(admin, TEXT, 2)
    const draft = await admin.inject({ url: `${URL}/draft` })
    expect(draft.json()).toMatchObject({ text: '{ "theirs": 1 }', baseVersion: 2 })
    // Typing on does not make it one begun from version 3.
    const typed = await putDraft(admin, '{ "theirs": 2 }', String(draft.headers.etag))
    expect(typed.json()).toMatchObject({ baseVersion: 2 })
    const same = await putDraft(admin, TEXT, String(typed.headers.etag))
    expect(same.json()).toMatchObject({ baseVersion: 3 })
  })
})

describe('POST /configs/validate', () => {
  it('says all that is wrong, each in its place, and stores nothing', async () => {
    const { admin, as } = await build()
    const text = TEXT.replace('8080', '99999').replace('"root"', '"rot"')
    const payload = { text }
    const url = '/api/v1/configs/validate'
    const response = await (await as('viewer')).inject({ method: 'POST', url, payload })
    expect(response.statusCode).toBe(200)
    const places = response
      .json()
      .errors.map((e: { pointer: string; line: number }) => `${e.pointer}:${e.line}`)
    expect(places).toEqual(expect.arrayContaining(['/sites/0/rot:3', '/listen/0/port:4']))
    expect(new Set(places).size).toBe(places.length)
    expect((await admin.inject({ url: '/api/v1/configs' })).json().items).toEqual([])
  })

  it('gives the digest of a good text', async () => {
    const { admin } = await build()
    const response = await admin.inject({
      method: 'POST',
      url: '/api/v1/configs/validate',
      payload: { text: TEXT },
    })
    expect(response.json()).toEqual({
      ok: true,
      digest: expect.stringMatching(/^sha256:/),
      errors: [],
    })
  })
})

describe('importing a config', () => {
  it('saves it once, releases it, and is in the history as an import', async () => {
    const service = await build()
    const { write, db } = service.services
    const given = {
      config: 'default',
      text: TEXT,
      author: 'operator',
      message: 'start',
      release: true,
    }
    const validate = async () => ({
      ok: true as const,
      digest: `sha256:${'a'.repeat(64)}`,
      errors: [] as [],
    })
    const deps = { write, now: Date.now, validate, sitesIn: async () => [] }
    expect(await importConfig(deps, given)).toBe(1)
    expect(await importConfig(deps, given)).toBe(1)
    expect(await importConfig(deps, { ...given, text: OTHER, release: false })).toBe(2)
    const versions = (await service.admin.inject({ url: `${URL}/versions` })).json().items
    expect(versions).toMatchObject([
      { number: 2, parent: 1, source: 'import', author: 'operator' },
      { number: 1, parent: null, message: 'start' },
    ])
    expect(await db.selectFrom('releases').select(['version']).execute()).toEqual([{ version: 1 }])
  })
})
