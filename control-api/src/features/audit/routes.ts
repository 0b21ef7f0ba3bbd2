// SPDX-License-Identifier: MIT
// Who did what, when and from where: to look at, to take away and to verify. Nothing here changes it.
import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { defineError } from '../../api-shapes/errors.ts'
import { genesisHash, recordOf } from '../../audit/chain.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import { contentTypes, exportAudit } from './export.ts'
import {
  AuditDetailSchema,
  AuditEntrySchema,
  AuditExportQuerySchema,
  AuditQuerySchema,
  AuditVerificationSchema,
} from './schema.ts'
import { auditPage, auditRow, chainSlice, namesIn, viewEntry } from './store.ts'
import type { AuditVerifier } from './verifier.ts'

type Deps = {
  db: Kysely<Database>
  controlPlaneId: string
  verifier: Pick<AuditVerifier, 'start' | 'state'>
}

const AuditEntryNotFound = defineError(
  404,
  'audit_entry_not_found',
  'No such entry in the audit',
  (id: number) => `The audit has no entry ${id}. GET /api/v1/audit lists them, newest first.`,
)

const tags = ['audit']
const places = defineCursor('audit', 'integer', 'integer')
const permission = 'audit:read' as const
const DEFAULT_LIMIT = 100

export const auditRoutes =
  ({ db, controlPlaneId, verifier }: Deps) =>
  async (app: App) => {
    app.get(
      '/audit',
      {
        config: { permission, errors: [] },
        schema: {
          operationId: 'listAudit',
          tags,
          summary: 'What happened, newest first, without the details',
          description:
            'A page looks at a bounded number of entries, so it may have fewer than `limit`, even none, while `nextCursor` says that there are more to look at.',
          querystring: AuditQuerySchema,
          response: { 200: pageOf(AuditEntrySchema) },
        },
      },
      async ({ query: { cursor, limit = DEFAULT_LIMIT, ...filter } }) => {
        const place = places.read(cursor)
        const after = place ? { atMs: place[0], id: place[1] } : null
        const { rows, next } = await auditPage(db, filter, { after, limit })
        const nextCursor = next && places.write([next.atMs, next.id])
        const names = await namesIn(db, rows)
        return { items: rows.map((row) => viewEntry(row, names)), nextCursor }
      },
    )

    app.get(
      '/audit/:id',
      {
        config: { permission, errors: [AuditEntryNotFound] },
        schema: {
          operationId: 'getAuditEntry',
          tags,
          summary: 'One entry with its details and its hash',
          params: Type.Object({
            id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
          }),
          response: { 200: AuditDetailSchema },
        },
      },
      async ({ params: { id } }) => {
        const row = await auditRow(db, id)
        if (!row) throw new AuditEntryNotFound(id)
        const [before] = await chainSlice(db, { after: id - 2, ids: 1 })
        const { data, previousHash } = recordOf(row, before?.hash ?? genesisHash(controlPlaneId))
        return {
          ...viewEntry(row, await namesIn(db, [row])),
          data: data as Record<string, unknown>,
          previousHash,
          hash: row.hash,
        }
      },
    )

    app.get(
      '/audit/export',
      {
        // A HEAD of it would read everything for nobody.
        exposeHeadRoute: false,
        config: { permission, rateLimit: limits.exports, errors: [] },
        schema: {
          operationId: 'exportAudit',
          tags,
          summary: 'The audit as a file, oldest first, with the hashes of its chain',
          description:
            'NDJSON can be verified without the service: `admin verify-audit --file`. CSV is for spreadsheets; a cell that would be a formula begins with an apostrophe.',
          querystring: AuditExportQuerySchema,
          response: {
            200: {
              description: 'One line per entry',
              content: {
                'application/x-ndjson': { schema: Type.String() },
                'text/csv': { schema: Type.String() },
              },
            },
          },
        },
      },
      async ({ query: { format = 'ndjson', ...filter } }, reply) => {
        const lines = exportAudit(db, { format, filter, controlPlaneId })
        reply
          .type(contentTypes[format])
          .header('content-disposition', `attachment; filename="audit.${format}"`)
          .header('cache-control', 'no-store')
        // The schema says what the file holds; it is sent as a stream of it.
        return reply.send(Readable.from(lines) as unknown as string)
      },
    )

    app.get(
      '/audit/verification',
      {
        config: { permission, errors: [] },
        schema: {
          operationId: 'getAuditVerification',
          tags,
          summary: 'Up to where the audit was verified, or where it breaks',
          response: { 200: AuditVerificationSchema },
        },
      },
      async () => verifier.state(),
    )

    app.post(
      '/audit/verification',
      {
        config: { permission, errors: [] },
        schema: {
          operationId: 'verifyAudit',
          tags,
          summary: 'Verify the audit; GET says how far it is',
          description:
            'A tail that was cut off, or a chain made anew, is found only by comparing the head with one noted elsewhere: `admin verify-audit --head`.',
          response: { 202: AuditVerificationSchema },
        },
      },
      async (_request, reply) => {
        verifier.start()
        reply.code(202)
        return verifier.state()
      },
    )
  }
