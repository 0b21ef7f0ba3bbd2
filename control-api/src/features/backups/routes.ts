// SPDX-License-Identifier: MIT
// Backups: what there is, another one now, and their content, which only their recipients can read.
import { createReadStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { BackupIdSchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import type { Database } from '../../db/database.ts'
import type { BackupConfig } from '../../environment/config.ts'
import type { App } from '../../http/app-types.ts'
import {
  BackupFileGone,
  BackupNotDone,
  BackupNotFound,
  BackupRunning,
  BackupsNotConfigured,
} from './errors.ts'
import type { BackupKeeper } from './keeper.ts'
import { BackupSchema, BackupSettingsSchema, BackupsQuerySchema } from './schema.ts'
import { findBackup, listBackups, viewBackup } from './store.ts'

type Deps = {
  db: Kysely<Database>
  config: BackupConfig | null
  /** null: nobody said to whom they are encrypted. */
  keeper: BackupKeeper | null
}

const tags = ['backups']
const params = Type.Object({ id: BackupIdSchema })
const cursor = defineCursor('backups', 'text')

export const backupRoutes =
  ({ db, config, keeper }: Deps) =>
  async (app: App) => {
    const find = async (id: string) => {
      const row = await findBackup(db, id)
      if (!row) throw new BackupNotFound(id)
      return row
    }
    const configured = () => {
      if (!keeper) throw new BackupsNotConfigured()
      return keeper
    }

    app.get(
      '/backups',
      {
        config: { permission: 'backups:read', errors: [] },
        schema: {
          operationId: 'listBackups',
          tags,
          summary: 'Backups, newest first, with those that failed',
          querystring: BackupsQuerySchema,
          response: { 200: pageOf(BackupSchema) },
        },
      },
      async ({ query }) => {
        const { limit = 100 } = query
        const [before] = cursor.read(query.cursor) ?? []
        const found = await listBackups(db, { before, limit: limit + 1 })
        const { rows, nextCursor } = cursor.page(found, limit, (backup) => [backup.id])
        return { items: rows.map(viewBackup), nextCursor }
      },
    )

    app.post(
      '/backups',
      {
        config: { permission: 'backups:write', errors: [BackupsNotConfigured, BackupRunning] },
        schema: {
          operationId: 'createBackup',
          tags,
          summary: 'Make a backup now',
          description:
            'Answers at once; read it again, or follow the events of kind `backup`, until its state is `done` or `failed`.',
          response: { 202: BackupSchema },
        },
      },
      async (request, reply) => {
        const id = await configured().begin('manual', request.user?.username ?? null)
        reply.code(202).header('location', `${request.url.split('?', 1)[0]}/${id}`)
        return viewBackup(await find(id))
      },
    )

    app.get(
      '/backups/settings',
      {
        config: { permission: 'backups:read', errors: [] },
        schema: {
          operationId: 'getBackupSettings',
          tags,
          summary: 'When backups are made and to whom they are encrypted',
          response: { 200: BackupSettingsSchema },
        },
      },
      async () => ({
        configured: config !== null,
        recipients: config?.recipients ?? [],
        everyHours: config?.everyHours ?? 0,
        keep: config?.keep ?? 0,
        directory: config?.dir ?? '',
      }),
    )

    app.get(
      '/backups/:id',
      {
        config: { permission: 'backups:read', errors: [BackupNotFound] },
        schema: {
          operationId: 'getBackup',
          tags,
          summary: 'One backup',
          params,
          response: { 200: BackupSchema },
        },
      },
      async (request) => viewBackup(await find(request.params.id)),
    )

    app.get(
      '/backups/:id/content',
      {
        config: {
          permission: 'backups:read',
          errors: [BackupNotFound, BackupNotDone, BackupFileGone, BackupsNotConfigured],
        },
        schema: {
          operationId: 'getBackupContent',
          tags,
          summary: 'The encrypted file',
          params,
          response: {
            200: {
              description: 'Encrypted with age; `admin restore` and `age -d` read it',
              content: {
                'application/octet-stream': {
                  schema: Type.Unsafe<ReadStream>({ type: 'string', format: 'binary' }),
                },
              },
            },
          },
        },
      },
      async (request, reply) => {
        const row = await find(request.params.id)
        if (row.state !== 'done') throw new BackupNotDone(row.id, row.state)
        const path = configured().pathOf(row.file_name)
        const stats = await stat(path).catch(() => null)
        if (!stats) throw new BackupFileGone(row.id, path)
        reply
          .type('application/octet-stream')
          .header('content-length', stats.size)
          .header('content-disposition', `attachment; filename="${row.file_name}"`)
        return reply.send(createReadStream(path))
      },
    )

    app.delete(
      '/backups/:id',
      {
        config: {
          permission: 'backups:write',
          errors: [BackupNotFound, BackupRunning, BackupsNotConfigured],
        },
        schema: {
          operationId: 'deleteBackup',
          tags,
          summary: 'Delete a backup and its file',
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const row = await find(request.params.id)
        if (row.state === 'running') throw new BackupRunning(row.id)
        await configured().remove(row.id, row.file_name, request.user?.username ?? null)
        return reply.code(204).send(null)
      },
    )
  }
