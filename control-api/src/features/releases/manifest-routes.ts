// SPDX-License-Identifier: MIT
// What a version is of: each manifest under its own digest, so that two versions, or what is not yet one, are compared
// alike.
import { createReadStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Type } from 'typebox'
import { pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import { changesBetween, totalsBetween } from '../../release-store/diff.ts'
import { DamagedManifest } from '../../release-store/entries.ts'
import { entryAt, filesIn } from '../../release-store/files.ts'
import { missingBlobs } from '../../release-store/missing.ts'
import { findManifest } from '../../releases/store.ts'
import type { Deps } from './deps.ts'
import { attachment } from './download.ts'
import {
  ContentGone,
  FileNotFound,
  ManifestInvalid,
  ManifestNotFound,
  ManifestNotUploaded,
} from './errors.ts'
import {
  ChangesQuerySchema,
  ChangeTotalsSchema,
  ContentQuerySchema,
  FileChangeSchema,
  FilesQuerySchema,
  ManifestFileSchema,
  ManifestSchema,
  MissingBlobSchema,
  MissingQuerySchema,
  Sha256ParamsSchema,
  TotalsQuerySchema,
} from './schema.ts'
import { refusalOf, viewManifest, withoutPath } from './view.ts'

const tags = ['releases']
const params = Sha256ParamsSchema
const permission = 'releases:read' as const
const errors = [ManifestNotFound, ContentGone]
const byDigest = defineCursor('missing-blobs', 'text')
const byPath = defineCursor('manifest-files', 'text')
const byChangedPath = defineCursor('manifest-changes', 'text')

export const manifestRoutes = (deps: Deps) => async (app: App) => {
  const { db, contents } = deps
  const { folder } = contents

  app.put(
    '/manifests/:sha256',
    {
      config: {
        permission: 'releases:write',
        rateLimit: limits.expensive,
        heavy: true,
        errors: [ManifestNotUploaded, ManifestInvalid],
      },
      schema: {
        operationId: 'putManifest',
        tags,
        summary: 'Say that an uploaded content is a manifest: it is looked at as a whole',
        description:
          'Its text came with PUT /blobs/{sha256}, as any content. A line per file or link, JSON in the form of RFC 8785, in the order of a walk; docs/releases.md tells more. 422 `manifest_invalid` names up to 20 lines. What no version is of goes a while after it was last wanted.',
        params,
        response: { 200: ManifestSchema },
      },
    },
    async ({ params: { sha256 } }) => {
      const staged = await contents.stage(sha256)
      if (staged.ok) return viewManifest(staged.manifest)
      throw staged.reason === 'faults' ? refusalOf(staged.faults) : new ManifestNotUploaded(sha256)
    },
  )

  app.get(
    '/manifests/:sha256',
    {
      config: { permission, errors: [ManifestNotFound] },
      schema: {
        operationId: 'getManifest',
        tags,
        summary: 'How much a manifest names',
        params,
        response: { 200: ManifestSchema },
      },
    },
    async ({ params: { sha256 } }) => {
      const manifest = await findManifest(db, sha256)
      if (!manifest) throw new ManifestNotFound(sha256)
      return viewManifest(manifest)
    },
  )

  app.get(
    '/manifests/:sha256/text',
    {
      config: { permission, errors },
      schema: {
        operationId: 'getManifestText',
        tags,
        summary: 'The manifest itself: a line per file or link',
        params,
        response: { 200: downloadOf('application/x-ndjson', 'Its SHA-256 is its name') },
      },
    },
    async ({ params: { sha256 } }, reply) => {
      const path = await textOf(sha256)
      const { size } = await stat(path)
      attachment(reply, { name: `${sha256}.ndjson`, size, sha256 }).type('application/x-ndjson')
      return reply.send(createReadStream(path))
    },
  )

  app.get(
    '/manifests/:sha256/missing',
    {
      config: { permission, rateLimit: limits.expensive, errors },
      schema: {
        operationId: 'listMissingBlobs',
        tags,
        summary: 'Which contents that it names are not here, by digest',
        params,
        querystring: MissingQuerySchema,
        response: { 200: pageOf(MissingBlobSchema) },
      },
    },
    async ({ params: { sha256 }, query: { cursor, limit = 1000 } }) => {
      await textOf(sha256)
      const [after = ''] = byDigest.read(cursor) ?? []
      const found = await missingBlobs(folder, sha256, { after, limit: limit + 1 })
      const { rows, nextCursor } = byDigest.page(found, limit, (blob) => [blob.sha256])
      return { items: rows, nextCursor }
    },
  )

  app.get(
    '/manifests/:sha256/files',
    {
      config: { permission, errors },
      schema: {
        operationId: 'listManifestFiles',
        tags,
        summary: 'Its files and links in their order, or those below a folder',
        params,
        querystring: FilesQuerySchema,
        response: { 200: pageOf(ManifestFileSchema) },
      },
    },
    async ({ params: { sha256 }, query: { cursor, limit = 100, prefix = '' } }) => {
      const path = await textOf(sha256)
      const [after = ''] = byPath.read(cursor) ?? []
      const { entries, next } = await orGone(sha256, filesIn(path, { prefix, after, limit }))
      return { items: entries, nextCursor: next === null ? null : byPath.write([next]) }
    },
  )

  app.get(
    '/manifests/:sha256/changes',
    {
      config: { permission, rateLimit: limits.expensive, heavy: true, errors },
      schema: {
        operationId: 'listManifestChanges',
        tags,
        summary: 'What is added, changed and removed since another manifest, by path',
        params,
        querystring: ChangesQuerySchema,
        response: { 200: pageOf(FileChangeSchema) },
      },
    },
    async ({ params: { sha256 }, query: { cursor, limit = 100, from } }) => {
      const sides = await sidesOf(sha256, from)
      const [after = ''] = byChangedPath.read(cursor) ?? []
      const { changes, next } = await orGone(sha256, changesBetween(sides, { after, limit }))
      const items = changes.map(({ path, before, after: now }) => ({
        ...{ path, before: withoutPath(before), after: withoutPath(now) },
      }))
      return { items, nextCursor: next === null ? null : byChangedPath.write([next]) }
    },
  )

  app.get(
    '/manifests/:sha256/change-totals',
    {
      config: { permission, rateLimit: limits.expensive, heavy: true, errors },
      schema: {
        operationId: 'getManifestChangeTotals',
        tags,
        summary: 'How much is added, changed and removed since another manifest',
        params,
        querystring: TotalsQuerySchema,
        response: { 200: ChangeTotalsSchema },
      },
    },
    async ({ params: { sha256 }, query: { from } }) =>
      orGone(sha256, totalsBetween(await sidesOf(sha256, from))),
  )

  app.get(
    '/manifests/:sha256/content',
    {
      config: { permission, errors: [...errors, FileNotFound] },
      schema: {
        operationId: 'getManifestContent',
        tags,
        summary: 'The bytes of one of its files, to be saved and never shown',
        params,
        querystring: ContentQuerySchema,
        response: { 200: downloadOf('application/octet-stream', 'The file, byte for byte') },
      },
    },
    async ({ params: { sha256 }, query: { path } }, reply) => {
      const entry = await orGone(sha256, entryAt(await textOf(sha256), path))
      if (entry?.type !== 'file') throw new FileNotFound(path, entry?.target ?? null)
      const blob = folder.blob(entry.sha256)
      const stats = await stat(blob).catch(() => null)
      if (!stats) throw new ContentGone(sha256)
      attachment(reply, {
        name: path.split('/').at(-1) ?? '',
        size: stats.size,
        sha256: entry.sha256,
      })
      return reply.type('application/octet-stream').send(createReadStream(blob))
    },
  )

  /** Where its text is, with its list beside it. */
  async function textOf(sha256: string): Promise<string> {
    if (!(await findManifest(db, sha256))) throw new ManifestNotFound(sha256)
    if (!(await contents.isThere(sha256))) throw new ContentGone(sha256)
    return folder.blob(sha256)
  }

  const sidesOf = async (to: string, from: string | undefined) => ({
    from: from === undefined ? null : await textOf(from),
    to: await textOf(to),
  })
}

/** What a disk has changed is as good as gone. */
const orGone = <Found>(sha256: string, found: Promise<Found>): Promise<Found> =>
  found.catch((error) => {
    throw error instanceof DamagedManifest ? new ContentGone(sha256) : error
  })

const downloadOf = (type: string, description: string) => ({
  description,
  content: { [type]: { schema: Type.Unsafe<ReadStream>({ type: 'string', format: 'binary' }) } },
})
