// SPDX-License-Identifier: MIT
// How bodies are read: what is stored is what was sent, or nothing is.
import { describe, expect, test } from 'vitest'
import { enrolNode } from '../agents/node-client.ts'
import { putDraft, TEXT, URL, withVersion } from '../features/configs/config-client.ts'
import { build, type Client } from '../helper.ts'

const json = { 'content-type': 'application/json' }
const sendDraft = (client: Client, payload: Buffer | string, etag = '"1"', headers = json) =>
  client.inject({
    method: 'PUT',
    url: `${URL}/draft`,
    payload,
    headers: { ...headers, 'if-match': etag },
  })

describe('a text', () => {
  test('that is not UTF-8 is refused with its place, and nothing is stored', async () => {
    const { admin } = await withVersion()
    const payload = Buffer.concat([
      Buffer.from('{ "text":\n "a'),
      Buffer.from([0xe4]),
      Buffer.from('" }'),
    ])
    const refused = await sendDraft(admin, payload)
    expect(refused.json()).toMatchObject({
      status: 400,
      code: 'not_utf8',
      errors: [{ pointer: '', line: 2, column: 4, message: 'byte 0xE4 is not UTF-8' }],
    })
    expect((await admin.inject({ url: `${URL}/draft` })).json().text).toBe(TEXT)
  })

  test('with half of a surrogate pair is refused with its place in the text', async () => {
    const { admin } = await withVersion()
    const refused = await sendDraft(admin, '{ "text": "one\\ntwo \\ud800" }')
    expect(refused.json()).toMatchObject({
      status: 400,
      code: 'not_utf8',
      errors: [{ pointer: '/text', line: 2, column: 5 }],
    })
    const key = await admin.inject({
      method: 'POST',
      url: '/api/v1/groups',
      payload: '{ "name": "a", "selector": "a", "mergePatch": { "x/\\udfff": 1 } }',
      headers: json,
    })
    expect(key.json()).toMatchObject({ status: 400, code: 'not_utf8' })
  })

  test('with a NUL character is refused with its place: no database keeps it as PostgreSQL does not', async () => {
    const { admin } = await withVersion()
    const refused = await putDraft(admin, '{}\n// \0', '"1"')
    expect(refused.json()).toMatchObject({
      status: 400,
      code: 'nul_character',
      errors: [{ pointer: '/text', line: 2, column: 4 }],
    })
  })

  test.each(['\ufeff{}', '{}\r\n', '{}\r', '// ä 😀 \u2028 \ufffd\r\n{}\n\n'])(
    'is kept byte for byte, its line ends and marks included: %j',
    async (text) => {
      const { admin } = await withVersion()
      expect((await putDraft(admin, text, '"1"')).statusCode).toBe(200)
      const back = (await admin.inject({ url: `${URL}/draft` })).json().text
      expect(Buffer.from(back).equals(Buffer.from(text))).toBe(true)
    },
  )

  test('in another charset than UTF-8 is not taken for it', async () => {
    const { admin } = await withVersion()
    const type = (charset: string) => ({ 'content-type': `application/json; charset=${charset}` })
    const latin = await sendDraft(admin, '{ "text": "{}" }', '"1"', type('iso-8859-1'))
    expect(latin.statusCode).toBe(415)
    const utf8 = await sendDraft(admin, '{ "text": "{}" }', '"1"', type('"UTF-8"'))
    expect(utf8.statusCode).toBe(200)
  })
})

describe('a body', () => {
  test('that is empty may have a type where none is taken', async () => {
    for (const type of ['application/json', 'text/plain', 'application/json; charset=utf-8']) {
      const { admin } = await withVersion()
      const discarded = await admin.inject({
        method: 'DELETE',
        url: `${URL}/draft`,
        headers: { 'content-type': type, 'content-length': '0', 'if-match': '"1"' },
      })
      expect(discarded.statusCode, type).toBe(200)
    }
    const { admin } = await withVersion()
    const missing = await sendDraft(admin, '')
    expect(missing.statusCode).toBe(400)
  })

  test('of PATCH may be a merge patch, of nothing else', async () => {
    const service = await build()
    const { id } = await enrolNode(service)
    const url = `/api/v1/nodes/${id}`
    const headers = { 'content-type': 'application/merge-patch+json' }
    const etag = String((await service.admin.inject({ url })).headers.etag)
    const patched = await service.admin.inject({
      ...{ method: 'PATCH', url },
      payload: '{ "labels": { "zone": "eu" } }',
      headers: { ...headers, 'if-match': etag },
    })
    expect(patched.statusCode, patched.body).toBe(200)
    const posted = await service.admin.inject({
      ...{ method: 'POST', url: '/api/v1/groups', headers },
      payload: '{ "name": "a", "selector": "a" }',
    })
    expect(posted.statusCode).toBe(415)
  })

  test('of PATCH as a merge patch merges objects, and as JSON replaces them', async () => {
    const { admin, ...service } = await build()
    const { id } = await enrolNode({ admin, ...service })
    const changer = (url: string) => async (payload: object, type: string, ifMatch?: string) => {
      const etag = String((await admin.inject({ url })).headers.etag)
      const headers = { 'if-match': ifMatch ?? etag, 'content-type': type }
      const answer = { method: 'PATCH' as const, url, headers, payload: JSON.stringify(payload) }
      return await admin.inject(answer)
    }
    const [merge, json] = ['application/merge-patch+json; charset=utf-8', 'application/json']
    const node = changer(`/api/v1/nodes/${id}`)
    const labels = async (of: object | null, type: string, ifMatch?: string) =>
      (await node({ labels: of }, type, ifMatch)).json().labels
    expect(await labels({ zone: 'eu', tier: 'edge' }, json)).toEqual({ zone: 'eu', tier: 'edge' })
    expect(await labels({ zone: 'us' }, merge)).toEqual({ zone: 'us', tier: 'edge' })
    expect(await labels({ zone: null, a: 'b' }, merge, '*')).toEqual({ tier: 'edge', a: 'b' })
    expect(await labels({ c: 'd' }, json)).toEqual({ c: 'd' })
    expect((await node({ labels: { c: null } }, json)).statusCode).toBe(400)
    expect((await node({ labels: { c: 7 } }, merge)).statusCode).toBe(400)
    expect((await node({ labels: 'c' }, merge)).statusCode).toBe(400)
    expect((await node({ labels: { e: 'f' } }, merge, '"9"')).statusCode).toBe(412)
    expect(await labels(null, merge)).toEqual({})
    const made = { name: 'eu', selector: 'zone=eu', mergePatch: { workers: 2, limits: { a: 1 } } }
    await admin.inject({ method: 'POST', url: '/api/v1/groups', payload: made })
    const group = changer('/api/v1/groups/eu')
    const merged = await group({ mergePatch: { workers: null, limits: { b: 2 } } }, merge)
    expect(merged.json().mergePatch).toEqual({ limits: { a: 1, b: 2 } })
    const replaced = await group({ mergePatch: { workers: 3 } }, json)
    expect(replaced.json().mergePatch).toEqual({ workers: 3 })
    expect(
      (
        await admin.inject({
          ...{ method: 'PATCH', url: '/api/v1/groups/no' },
          headers: { 'if-match': '*', 'content-type': merge },
          payload: '{"mergePatch":{}}',
        })
      ).statusCode,
    ).toBe(404)
  })

  test('is JSON only, and no prototype is set by it', async () => {
    const { admin } = await withVersion()
    const text = await sendDraft(admin, '{ "text": "{}" }', '"1"', { 'content-type': 'text/plain' })
    expect(text.statusCode).toBe(415)
    expect((await sendDraft(admin, '{ "text": "{}", "__proto__": {} }')).statusCode).toBe(400)
  })
})

test('an edit goes through a proxy that packs answers and marks their ETags', async () => {
  const { admin } = await withVersion()
  for (const [etag, text] of [
    ['W/"1"', '{ }'],
    ['"2-gzip"', '{  }'],
    ['*', '{   }'],
  ] as const) {
    expect((await putDraft(admin, text, etag)).statusCode).toBe(200)
  }
  const stale = await putDraft(admin, '{    }', 'W/"2"')
  expect(stale.json()).toMatchObject({ status: 412, base: { text: '{ }' } })
  const unquoted = await putDraft(admin, '{    }', '4')
  expect(unquoted.json()).toMatchObject({ status: 400, code: 'invalid_request' })
})
