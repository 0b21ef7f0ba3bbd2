// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/ids.ts'
import { partOf } from '../../../src/features/releases/content-range.ts'
import { build } from '../../helper.ts'
import { plainConfig } from '../../plain-config.ts'
import { BYTES, get, putBlob } from './pushing.ts'

const TEXT = 'twenty bytes of text'
const NAME = sha256(TEXT)

describe('a content', () => {
  test('comes whole, and a second time does no harm', async () => {
    const { admin, config } = await build()
    expect((await get(admin, `/blobs/${NAME}`)).body).toEqual({
      ...{ sha256: NAME, isWhole: false, receivedBytes: 0 },
    })
    for (let times = 0; times < 2; times++) {
      const answer = await putBlob(admin, NAME, TEXT)
      expect(answer.json()).toEqual({ sha256: NAME, isWhole: true, receivedBytes: 20 })
    }
    expect(existsSync(join(config.dataDir, 'releases/blobs', NAME.slice(0, 2), NAME))).toBe(true)
  })

  test('of no bytes is one, too', async () => {
    const { admin } = await build()
    expect((await putBlob(admin, sha256(''), '')).json()).toMatchObject({ isWhole: true })
  })

  test('comes in parts, and goes on where it is', async () => {
    const { admin } = await build()
    const part = (from: number, to: number) =>
      putBlob(admin, NAME, TEXT.slice(from, to), `bytes ${from}-${to - 1}/20`)
    expect((await part(0, 7)).json()).toMatchObject({ isWhole: false, receivedBytes: 7 })
    const wrong = await part(8, 20)
    expect([wrong.statusCode, wrong.json().code]).toEqual([409, 'upload_offset_differs'])
    expect((await get(admin, `/blobs/${NAME}`)).body.receivedBytes).toBe(7)
    expect((await part(7, 12)).json()).toMatchObject({ receivedBytes: 12 })
    // From the start again is right as well.
    expect((await part(0, 12)).json()).toMatchObject({ receivedBytes: 12 })
    expect((await part(12, 20)).json()).toMatchObject({ isWhole: true })
  })

  test('with other bytes than its name says is thrown away', async () => {
    const { admin } = await build()
    const refused = await putBlob(admin, NAME, 'twenty bytes of tex!')
    expect([refused.statusCode, refused.json().code]).toEqual([422, 'blob_differs'])
    expect((await get(admin, `/blobs/${NAME}`)).body).toMatchObject({ receivedBytes: 0 })
    // Spoilt in its first part, too.
    await putBlob(admin, NAME, 'Twenty', 'bytes 0-5/20')
    expect((await putBlob(admin, NAME, TEXT.slice(6), 'bytes 6-19/20')).statusCode).toBe(422)
    expect((await putBlob(admin, NAME, TEXT)).statusCode).toBe(200)
  })

  test('is taken as bytes and nothing else, and its name is a digest', async () => {
    const { admin } = await build()
    const url = `/api/v1/blobs/${NAME}`
    const json = await admin.inject({ method: 'PUT', url, payload: { a: 1 } })
    expect(json.statusCode).toBe(415)
    const elsewhere = await admin.inject({
      ...{ method: 'POST', url: '/api/v1/configs/validate', headers: BYTES, payload: 'x' },
    })
    expect(elsewhere.statusCode).toBe(415)
    for (const name of ['x', '..%2f..%2fcontrol.db', NAME.toUpperCase()]) {
      expect((await putBlob(admin, name, TEXT)).statusCode).toBe(400)
    }
  })

  test('is not taken from who would fill the disk, and room that was promised comes back', async () => {
    const releases = { ...plainConfig('').releases, storeBytes: 30 }
    const { admin } = await build({ config: { releases } })
    const other = 'y'.repeat(15)
    // Announced, and not all sent: it takes what came.
    await putBlob(admin, NAME, TEXT.slice(0, 10), 'bytes 0-9/20')
    expect((await putBlob(admin, sha256(other), other)).statusCode).toBe(200)
    const full = await putBlob(admin, NAME, TEXT.slice(10), 'bytes 10-19/20')
    expect([full.statusCode, full.json().code]).toEqual([507, 'release_store_full'])
    expect(full.json().detail).toContain('FARMSTEAD_RELEASES_STORE_GIB')
    expect(full.json().detail).toContain('take 25 of 30 bytes, so 5 are left')
    expect((await get(admin, `/blobs/${NAME}`)).body).toMatchObject({ receivedBytes: 10 })
  })
})

describe('which part a body is', () => {
  test.each([
    [undefined, '20', { fromBytes: 0, endBytes: 20, totalBytes: 20 }],
    ['bytes 0-9/20', '10', { fromBytes: 0, endBytes: 10, totalBytes: 20 }],
    ['bytes 10-19/20', '10', { fromBytes: 10, endBytes: 20, totalBytes: 20 }],
  ])('%s of %s bytes', (range, length, part) => {
    expect(partOf(range, length)).toEqual({ ok: true, ...part })
  })

  test.each([
    [undefined, undefined],
    ['bytes 0-9/*', '10'],
    ['bytes */20', '0'],
    ['bytes 9-0/20', '10'],
    ['bytes 10-20/20', '11'],
    ['bytes 0-9/20', '9'],
    ['items 0-9/20', '10'],
    ['bytes 0-99999999999999999999/20', '10'],
  ])('%s of %s bytes is none', (range, length) => {
    expect(partOf(range, length)).toMatchObject({ ok: false })
  })
})
