// SPDX-License-Identifier: MIT
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/ids.ts'
import { framesOf } from '../../../src/release-store/batch-frames.ts'
import { build, type Client } from '../../helper.ts'
import { plainConfig } from '../../plain-config.ts'
import { BYTES, get, putBlob } from './pushing.ts'

const frame = (text: string, name = sha256(text)) => `${name} ${Buffer.byteLength(text)}\n${text}`
const send = (client: Client, body: string | Buffer) =>
  client.inject({ method: 'POST', url: '/api/v1/blobs', headers: BYTES, payload: body })

async function read(body: string, pieceBytes: number) {
  async function* pieces() {
    for (let at = 0; at < body.length; at += pieceBytes) {
      yield Buffer.from(body.slice(at, at + pieceBytes))
    }
  }
  const found: string[] = []
  for await (const one of framesOf(pieces(), { contents: 3, contentBytes: 100 })) {
    found.push(one.ok ? one.bytes.toString() : one.what)
  }
  return found
}

describe('the frames of a batch', () => {
  test.each([1, 7, 64, 1000])('are told apart in pieces of %i bytes', async (bytes) => {
    expect(await read(['one', '', 'three\n'].map((text) => frame(text)).join(''), bytes)).toEqual([
      ...['one', '', 'three\n'],
    ])
  })

  test.each([
    ['no line at all', 'x'.repeat(500), /Content 2 does not begin/],
    ['a line that is cut off', sha256('b'), /Content 2 does not begin/],
    ['a content that is cut off', `${sha256('b')} 9\nabc`, /Content 2 ends after 3 of 9 bytes/],
    ['a content that is too large', `${sha256('b')} 101\n`, /has 101 bytes.+at most 100/],
    ['one too many', ['b', 'c', 'd'].map((text) => frame(text)).join(''), /more than 3/],
  ])('end at %s', async (_what, rest, said) => {
    const found = await read(frame('good') + rest, 11)
    expect(found[0]).toBe('good')
    expect(found.at(-1)).toMatch(said)
  })
})

describe('many contents at once', () => {
  test('are kept each by itself: what is wrong is named, and the others are there', async () => {
    const { admin, config } = await build()
    await putBlob(admin, sha256('known'), 'known')
    // Half of one came before.
    await putBlob(admin, sha256('halves'), 'hal', 'bytes 0-2/6')
    const wrong = sha256('other')
    const body = ['one', 'known', '', 'halves', 'one'].map((text) => frame(text)).join('')
    const answer = await send(admin, body + frame('wrong', wrong) + frame('last'))
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { kept: 4, known: 2, refused: [{ sha256: wrong, reason: 'differs' }] },
    ])
    for (const text of ['one', '', 'halves', 'last']) {
      const name = sha256(text)
      const path = join(config.dataDir, 'releases/blobs', name.slice(0, 2), name)
      expect(readFileSync(path, 'utf8')).toBe(text)
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
    expect((await get(admin, `/blobs/${wrong}`)).body).toMatchObject({ receivedBytes: 0 })
    expect((await get(admin, `/blobs/${sha256('halves')}`)).body).toMatchObject({ isWhole: true })
  })

  test('before a fault are kept', async () => {
    const { admin } = await build()
    const answer = await send(admin, `${frame('good')}nonsense`)
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'blob_batch_invalid'])
    expect((await get(admin, `/blobs/${sha256('good')}`)).body).toMatchObject({ isWhole: true })
  })

  test('are refused when they are too much for one request, or no bytes', async () => {
    const { admin, as } = await build()
    const large = await send(admin, Buffer.alloc(16 * 1024 * 1024 + 1))
    expect([large.statusCode, large.json().code]).toEqual([413, 'too_large'])
    const nothing = await send(admin, '')
    expect([nothing.statusCode, nothing.json().code]).toEqual([422, 'blob_batch_invalid'])
    const json = await admin.inject({ method: 'POST', url: '/api/v1/blobs', payload: { a: 1 } })
    expect(json.statusCode).toBe(415)
    expect((await send(await as('viewer'), frame('x'))).statusCode).toBe(403)
  })

  test('take no more room than there is, and what was refused takes none', async () => {
    const releases = { ...plainConfig('').releases, storeBytes: 10 }
    const { admin } = await build({ config: { releases } })
    await send(admin, frame('12345') + frame('wrong', sha256('x')))
    const full = await send(admin, frame('abc') + frame('de') + frame('f'))
    expect([full.statusCode, full.json().code]).toEqual([507, 'release_store_full'])
    expect(full.json().detail).toContain('take 10 of 10 bytes')
    expect((await get(admin, `/blobs/${sha256('abc')}`)).body).toMatchObject({ isWhole: true })
    expect((await get(admin, `/blobs/${sha256('f')}`)).body).toMatchObject({ receivedBytes: 0 })
  })
})
