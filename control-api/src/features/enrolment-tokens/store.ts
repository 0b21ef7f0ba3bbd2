// SPDX-License-Identifier: MIT
// Enrolment tokens at rest: of the secret only a digest.
import type { Kysely, Selectable } from 'kysely'
import type { Database, EnrolmentTokensTable } from '../../db/database.ts'
import type { Unit, Write } from '../../db/write.ts'
import { newId, newSecret, sha256 } from '../../ids.ts'
import { requireModestOverride } from '../../merge-patch.ts'
import type { CreatedEnrolmentToken, EnrolmentToken, NewEnrolmentToken } from './schema.ts'

type Row = Selectable<EnrolmentTokensTable>
type Page = { before: string | undefined; limit: number }

export const DEFAULT_LIFE_SECONDS = 3600

/** Newest first. */
export async function listTokens(
  db: Kysely<Database>,
  { before, limit }: Page,
): Promise<EnrolmentToken[]> {
  const rows = await db
    .selectFrom('enrolment_tokens')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(view)
}

type Creation = NewEnrolmentToken & {
  /** null: the operator, on the control plane's machine. */
  createdBy: string | null
  nowMs: number
  agentUrl: string
}

export async function createToken(
  write: Write,
  creation: Creation,
): Promise<CreatedEnrolmentToken> {
  const { labels, mergePatch, maxUses = 1, createdBy, nowMs, agentUrl } = creation
  const { expiresInSeconds = DEFAULT_LIFE_SECONDS } = creation
  if (mergePatch) requireModestOverride(mergePatch)
  return write(async (unit) => {
    const secret = newSecret('fst')
    const row = await unit.trx
      .insertInto('enrolment_tokens')
      .values({
        id: newId('token'),
        secret_digest: sha256(secret),
        labels: JSON.stringify(labels ?? {}),
        merge_patch: JSON.stringify(mergePatch ?? {}),
        max_uses: maxUses,
        uses: 0,
        created_at_ms: nowMs,
        expires_at_ms: nowMs + expiresInSeconds * 1000,
        created_by: createdBy,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await unit.emit({
      kind: 'node',
      id: row.id,
      action: 'enrolment-token-created',
      actor: createdBy ?? 'operator',
      data: { labels: labels ?? {}, mergePatch: mergePatch ?? {}, maxUses, expiresInSeconds },
    })
    // The node does not talk in the clear unasked either.
    const insecure = agentUrl.startsWith('http:') ? ' --insecure-http' : ''
    const command = `farmstead-node join ${agentUrl}${insecure} --token ${secret} --state /var/lib/farmstead-node`
    return { ...view(row), secret, command }
  })
}

/** False: there was none. Nodes that enrolled with it stay. */
export async function deleteToken(unit: Unit, id: string, actor: string): Promise<boolean> {
  const { numDeletedRows } = await unit.trx
    .deleteFrom('enrolment_tokens')
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await unit.emit({ kind: 'node', id, action: 'enrolment-token-deleted', actor })
  return true
}

function view(row: Row): EnrolmentToken {
  return {
    id: row.id,
    labels: JSON.parse(row.labels),
    maxUses: row.max_uses,
    uses: row.uses,
    expiresAt: new Date(row.expires_at_ms).toISOString(),
    createdAt: new Date(row.created_at_ms).toISOString(),
    createdBy: row.created_by,
  }
}
