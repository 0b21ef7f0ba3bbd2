// SPDX-License-Identifier: MIT
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/ids.ts'
import { build, withToken } from '../../helper.ts'
import { manifestOf, textOf } from '../../release-store/manifests.ts'
import { BYTES, get, makeVersion, push, putBlob, stage } from './pushing.ts'

const FIRST = { 'index.html': '<h1>one', 'img/a.svg': '<svg/>', 'img/b.svg': '<svg/>' }
const SECOND = { 'index.html': '<h1>two', 'img/a.svg': '<svg/>', 'new.txt': 'new' }

describe('a release', () => {
  test('is made of what is here, kept, listed and compared', async () => {
    const { admin } = await build()
    const first = await push(admin, 'www', FIRST, null)
    const second = await push(admin, 'www', SECOND, 1)

    expect((await get(admin, '/releases')).body.items).toEqual([
      expect.objectContaining({
        ...{ name: 'www', latestVersion: 2, versions: 2 },
        latest: { author: 'test-admin', message: 'a test', files: 3, bytes: 16 },
      }),
    ])
    expect((await get(admin, '/releases/www/versions')).body.items).toEqual([
      expect.objectContaining({
        ...{ number: 2, parent: 1, manifest: second, author: 'test-admin', message: 'a test' },
        ...{ files: 3, sinceParent: { added: 1, changed: 1, removed: 1, bytes: 10 } },
      }),
      expect.objectContaining({
        ...{ number: 1, parent: null, manifest: first, files: 3, blobs: 2 },
        sinceParent: { added: 3, changed: 0, removed: 0, bytes: 19 },
      }),
    ])
    const { items } = (await get(admin, `/manifests/${second}/changes?from=${first}`)).body
    expect(items).toEqual([
      expect.objectContaining({ path: 'img/b.svg', after: null }),
      expect.objectContaining({
        path: 'index.html',
        after: { type: 'file', mode: '644', size: 7, sha256: sha256('<h1>two') },
      }),
      expect.objectContaining({ path: 'new.txt', before: null }),
    ])
    expect((await get(admin, `/manifests/${first}/files?prefix=img/`)).body.items).toHaveLength(2)
  })

  test('is not made twice of the same files, nor after another than the latest', async () => {
    const { admin } = await build()
    const manifest = await push(admin, 'www', FIRST, null)
    const again = await makeVersion(admin, 'www', { manifest, parent: 1 })
    expect([again.statusCode, again.json().created, again.json().number]).toEqual([200, false, 1])
    for (const parent of [null, 2]) {
      const refused = await makeVersion(admin, 'www', { manifest, parent })
      expect([refused.statusCode, refused.json().code]).toEqual([409, 'parent_not_latest'])
    }
  })

  test('is not made while a content is missing, and the missing ones are told in pages', async () => {
    const { admin } = await build()
    const files = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`f${i}`, `text ${i}`]))
    const manifest = await stage(admin, manifestOf(files))
    await putBlob(admin, sha256('text 7'), 'text 7')
    const refused = await makeVersion(admin, 'www', { manifest, parent: null })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'blobs_missing'])
    expect((await get(admin, '/releases/www')).status).toBe(404)

    const found: unknown[] = []
    let cursor = ''
    do {
      const { body } = await get(admin, `/manifests/${manifest}/missing?limit=10${cursor}`)
      found.push(...(body.items as { sha256: string }[]).map((one) => one.sha256))
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    const wanted = Object.values(files).filter((text) => text !== 'text 7')
    expect(found).toEqual(wanted.map(sha256).sort())
  })

  test('is not made of a manifest that says another size than the content has', async () => {
    const { admin } = await build()
    const entry = { path: 'a', type: 'file', mode: '644', size: 4, sha256: sha256('xyz') } as const
    const manifest = await stage(admin, textOf([entry]))
    await putBlob(admin, sha256('xyz'), 'xyz')
    const refused = await makeVersion(admin, 'www', { manifest, parent: null })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'blob_size_differs'])
  })

  test('says in which line of a manifest what is wrong', async () => {
    const { admin } = await build()
    const text = manifestOf({ a: 'x', '../b': 'x' })
    await putBlob(admin, sha256(text), text)
    const refused = await admin.inject({ method: 'PUT', url: `/api/v1/manifests/${sha256(text)}` })
    expect(refused.statusCode).toBe(422)
    expect(refused.json().errors).toEqual([
      expect.objectContaining({ line: 1, message: expect.stringContaining('"../b" has a path') }),
    ])
    const { status } = await get(admin, `/manifests/${sha256(text)}`)
    expect(status).toBe(404)
  })

  test('is told of in the audit: who made it, of what, and who removed it', async () => {
    const { admin } = await build()
    const manifest = await push(admin, 'www', FIRST, null)
    const removed = await admin.inject({ method: 'DELETE', url: '/api/v1/releases/www/versions/1' })
    expect(removed.statusCode).toBe(204)
    expect((await admin.inject({ method: 'DELETE', url: '/api/v1/releases/www' })).statusCode).toBe(
      204,
    )
    const { items } = (await get(admin, '/audit?kind=release')).body
    expect(items).toEqual([
      expect.objectContaining({ action: 'removed' }),
      expect.objectContaining({ action: 'version-removed', actor: 'test-admin' }),
      expect.objectContaining({ action: 'version-created', object: 'www' }),
    ])
    expect(JSON.stringify(await get(admin, '/audit?kind=release'))).toContain('www')
    expect(manifest).toHaveLength(64)
  })

  test('keeps its numbers: one that was removed is not given again', async () => {
    const { admin } = await build()
    await push(admin, 'www', FIRST, null)
    const inUse = await admin.inject({ method: 'DELETE', url: '/api/v1/releases/www' })
    expect([inUse.statusCode, inUse.json().code]).toEqual([409, 'release_not_empty'])
    await admin.inject({ method: 'DELETE', url: '/api/v1/releases/www/versions/1' })
    await push(admin, 'www', SECOND, null)
    expect((await get(admin, '/releases/www')).body.latestVersion).toBe(2)
  })
})

describe('one file', () => {
  test('is saved and never shown from the console’s origin', async () => {
    const { admin } = await build()
    const manifest = await push(admin, 'www', { 'dir/é "x".html': '<script>1</script>' }, null)
    const url = `/api/v1/manifests/${manifest}/content?path=${encodeURIComponent('dir/é "x".html')}`
    const answer = await admin.inject({ method: 'GET', url })
    expect(answer.body).toBe('<script>1</script>')
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="_ _x_.html"; filename*=UTF-8''%C3%A9%20%22x%22.html`,
      'content-security-policy': expect.stringMatching(/^sandbox;/),
    })
  })

  test('that is a link says where it leads; one that is not there is a 404', async () => {
    const { admin } = await build()
    const text = textOf([{ path: 'l', type: 'link', target: 'x' }])
    const manifest = await stage(admin, text)
    for (const [path, said] of [
      ['l', 'a link to \\"x\\"'],
      ['nothing', 'names no file'],
    ] as const) {
      const url = `/api/v1/manifests/${manifest}/content?path=${path}`
      const answer = await admin.inject({ method: 'GET', url })
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'file_not_found'])
      expect(answer.body).toContain(said)
    }
    const whole = await admin.inject({ method: 'GET', url: `/api/v1/manifests/${manifest}/text` })
    expect(whole.body).toBe(text)
  })
})

describe('who may', () => {
  test('a token of releases:write alone makes one, and may nothing else', async () => {
    const service = await build()
    const ci = await withToken(service, service.admin, {
      permissions: ['releases:read', 'releases:write'],
    })
    await push(ci, 'www', FIRST, null)
    expect((await get(ci, '/configs')).status).toBe(403)
    const reader = await withToken(service, service.admin, { permissions: ['releases:read'] })
    expect((await putBlob(reader, sha256('x'), 'x')).statusCode).toBe(403)
    expect((await get(reader, '/releases')).status).toBe(200)
  })

  test('a viewer looks, an editor makes', async () => {
    const { as } = await build()
    const [viewer, editor] = [await as('viewer'), await as('editor')]
    await push(editor, 'www', FIRST, null)
    expect((await get(viewer, '/releases/www')).status).toBe(200)
    expect((await putBlob(viewer, sha256('x'), 'x')).statusCode).toBe(403)
  })
})

describe('what no release needs', () => {
  const old = new Date('2020-01-01')

  test('goes a while after it was wanted, and what one needs stays', async () => {
    const service = await build()
    const { admin, config, services } = service
    await push(admin, 'www', FIRST, null)
    await push(admin, 'www', SECOND, 1)
    await putBlob(admin, sha256('nobody'), 'nobody')
    await putBlob(admin, sha256('half'), 'ha', 'bytes 0-1/4')
    expect(await service.sweepContents()).toMatchObject({ blobs: 0, uploads: 0 })

    await admin.inject({ method: 'DELETE', url: '/api/v1/releases/www/versions/1' })
    const folder = join(config.dataDir, 'releases')
    const contents = [...Object.values(FIRST), ...Object.values(SECOND), 'nobody']
    const names = [...contents, manifestOf(FIRST), manifestOf(SECOND)].map(sha256)
    for (const name of names) utimesSync(join(folder, 'blobs', name.slice(0, 2), name), old, old)
    utimesSync(join(folder, 'uploads', sha256('half')), old, old)
    // Its manifest was wanted just now, so what it needs stays for a while, too.
    expect(await service.sweepContents()).toMatchObject({ blobs: 1, uploads: 1 })

    await services.write(async ({ trx }) => {
      await trx.updateTable('release_manifests').set({ touched_at_ms: 0 }).execute()
    })
    // <h1>one and the manifest that named it.
    expect(await service.sweepContents()).toMatchObject({ blobs: 2, uploads: 0 })
    const url = `/manifests/${sha256(manifestOf(SECOND))}`
    expect((await get(admin, `${url}/missing`)).body.items).toEqual([])
    expect((await get(admin, `/manifests/${sha256(manifestOf(FIRST))}`)).status).toBe(404)
  })

  test('and what one needs from now on is wanted, so that a replica which led before and wakes does not remove it', async () => {
    const { admin, config } = await build()
    await push(admin, 'www', FIRST, null)
    const contents = Object.values(FIRST).map(sha256)
    const paths = contents.map((name) =>
      join(config.dataDir, 'releases/blobs', name.slice(0, 2), name),
    )
    for (const path of paths) utimesSync(path, old, old)
    // It sends nothing, as a client does who knows that all is there.
    const manifest = await stage(
      admin,
      manifestOf({ ...FIRST, 'again.svg': Object.values(FIRST)[0] ?? '' }),
    )
    expect((await makeVersion(admin, 'www', { manifest, parent: 1 })).statusCode).toBe(201)
    for (const path of paths) expect(statSync(path).mtimeMs).toBeGreaterThan(old.getTime())
  })

  test('whose manifest a disk has changed is told to be gone, and the next one is made all the same', async () => {
    const { admin, config } = await build()
    const manifest = await push(admin, 'www', FIRST, null)
    const blob = join(config.dataDir, 'releases/blobs', manifest.slice(0, 2), manifest)
    writeFileSync(blob, readFileSync(blob, 'utf8').replaceAll('"path"', '#path"'))
    for (const what of ['files', 'changes', 'change-totals', 'content?path=index.html']) {
      const gone = await get(admin, `/manifests/${manifest}/${what}`)
      expect([what, gone.status, gone.body.code]).toEqual([what, 410, 'release_content_gone'])
    }
    await push(admin, 'www', SECOND, 1)
    expect((await get(admin, '/releases/www/versions')).body.items).toEqual([
      expect.objectContaining({ sinceParent: { added: 3, changed: 0, removed: 0, bytes: 16 } }),
      expect.anything(),
    ])
  })

  test('is put right by who sends it again, when a disk has changed it', async () => {
    const { admin, config } = await build()
    const manifest = await push(admin, 'www', FIRST, null)
    const pathOf = (name: string) => join(config.dataDir, 'releases/blobs', name.slice(0, 2), name)
    const texts = [...Object.values(FIRST), manifestOf(FIRST)]
    const send = {
      'one by one': async (text: string) => await putBlob(admin, sha256(text), text),
      'many at once': async (text: string) =>
        await admin.inject({
          ...{ method: 'POST', url: '/api/v1/blobs', headers: BYTES },
          payload: `${sha256(text)} ${Buffer.byteLength(text)}\n${text}`,
        }),
    }
    for (const [how, again] of Object.entries(send)) {
      for (const wrong of [
        (text: string) => text.replace(/^./, '#'),
        () => '',
        () => 'longer'.repeat(99),
      ]) {
        for (const text of texts) writeFileSync(pathOf(sha256(text)), wrong(text))
        for (const text of texts) expect((await again(text)).statusCode, how).toBe(200)
        for (const text of texts) expect(readFileSync(pathOf(sha256(text)), 'utf8')).toBe(text)
      }
      // What is right is left alone, whatever size somebody says that it has.
      const [text = ''] = texts
      const { ino } = statSync(pathOf(sha256(text)))
      expect((await again(text)).statusCode, how).toBe(200)
      await putBlob(admin, sha256(text), 'of another size')
      expect(statSync(pathOf(sha256(text))).ino).toBe(ino)
    }
    expect((await get(admin, `/manifests/${manifest}/files`)).status).toBe(200)
    const first = await makeVersion(admin, 'www', { manifest, parent: 1 })
    expect([first.statusCode, first.json().created]).toEqual([200, false])
  })

  test('stays when a manifest’s text is gone: then nobody knows what is needed', async () => {
    const service = await build()
    const { admin, config } = service
    const manifest = await push(admin, 'www', FIRST, null)
    const folder = join(config.dataDir, 'releases')
    rmSync(join(folder, 'lists', `${manifest}.blobs`))
    await expect(service.sweepContents()).rejects.toThrow(manifest)
    const gone = await get(admin, `/manifests/${manifest}/files`)
    expect([gone.status, gone.body.code]).toEqual([410, 'release_content_gone'])
    // The same files again make it whole.
    await stage(admin, manifestOf(FIRST))
    expect((await get(admin, `/manifests/${manifest}/files`)).status).toBe(200)
    await service.sweepContents()
  })
})
