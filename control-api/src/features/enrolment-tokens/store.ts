// SPDX-License-Identifier: MIT
// Enrolment tokens at rest: of the secret only a digest.
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import { defineError, NodeNotFound } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { newId, newSecret, sha256 } from '../../base/ids.ts'
import type { Database, EnrolmentTokensTable } from '../../db/database.ts'
import { labelsWithin } from '../../db/labels.ts'
import { requireModestOverride } from '../../json/merge-patch.ts'
import type { CreatedEnrolmentToken, EnrolmentToken, NewEnrolmentToken } from './schema.ts'

type Row = Selectable<EnrolmentTokensTable>
type Page = {
  before: string | undefined
  limit: number
  /** null: all of them. */
  usable: boolean | null
  scope: Scope
  nowMs: number
}

export const BoundToken = defineError(
  400,
  'invalid_request',
  'A token for a known node says no more than which',
  () =>
    'With nodeId leave out labels, mergePatch, forgetAfterHours and maxUses: the node keeps its labels and its override, and is one.',
)

export const DEFAULT_LIFE_SECONDS = 3600

/** Newest first. */
export async function listTokens(db: Kysely<Database>, page: Page): Promise<EnrolmentToken[]> {
  return (await pageQuery(db, page).execute()).map(view)
}

function pageQuery(db: Kysely<Database>, { before, limit, usable, scope, nowMs }: Page) {
  const isUsable = sql<number>`uses < max_uses and expires_at_ms > ${nowMs}`
  return db
    .selectFrom('enrolment_tokens')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(usable !== null, (query) => query.where(sql`(${isUsable})`, '=', usable ? 1 : 0))
    .$if(scope !== null, (query) => query.where(whatEnrolsIsWithin(scope)))
    .orderBy('id', 'desc')
    .limit(limit)
}

/** A token has the labels that its nodes get, or the node whose way back it is. */
const whatEnrolsIsWithin =
  (scope: Scope) => (eb: ExpressionBuilder<Database, 'enrolment_tokens'>) =>
    eb
      .case()
      .when('node_id', 'is', null)
      .then(labelsWithin('enrolment_tokens.labels', scope))
      .else(
        eb.exists(
          eb
            .selectFrom('nodes')
            .select('nodes.id')
            .whereRef('nodes.id', '=', 'enrolment_tokens.node_id')
            .where(labelsWithin('nodes.labels', scope)),
        ),
      )
      .end()

/** False as well when there is none (any more). */
export async function enrolmentTokenIsWithin(
  db: Kysely<Database>,
  id: string,
  scope: Scope,
): Promise<boolean> {
  const row = await db
    .selectFrom('enrolment_tokens')
    .select('id')
    .where('id', '=', id)
    .where(whatEnrolsIsWithin(scope))
    .executeTakeFirst()
  return row !== undefined
}

type Creation = NewEnrolmentToken & {
  /** Of who makes it: a node outside is not there. */
  scope: Scope
  /** null: the operator, on the control plane's machine. */
  createdBy: string | null
  nowMs: number
  agentUrl: string
  /** Of the CA; null: plain HTTP. */
  fingerprint: string | null
}

export async function createToken(
  write: Write,
  creation: Creation,
): Promise<CreatedEnrolmentToken> {
  const { labels, mergePatch, maxUses = 1, nodeId, scope, createdBy, nowMs, agentUrl } = creation
  const { expiresInSeconds = DEFAULT_LIFE_SECONDS, forgetAfterHours, fingerprint } = creation
  const isOfNewNodes =
    hasMembers(labels) || hasMembers(mergePatch) || forgetAfterHours !== undefined
  if (nodeId && (isOfNewNodes || maxUses > 1)) throw new BoundToken()
  if (mergePatch) requireModestOverride(mergePatch)
  return write(async (unit) => {
    if (nodeId && !(await isActive(unit, nodeId, scope))) throw new NodeNotFound(nodeId)
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
        node_id: nodeId ?? null,
        forget_after_hours: forgetAfterHours ?? null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await unit.emit({
      kind: 'node',
      id: row.id,
      action: 'enrolment-token-created',
      actor: createdBy ?? 'operator',
      data: {
        labels: labels ?? {},
        mergePatch: mergePatch ?? {},
        maxUses,
        expiresInSeconds,
        ...(nodeId && { nodeId }),
        ...(forgetAfterHours !== undefined && { forgetAfterHours }),
      },
    })
    const token = fingerprint === null ? secret : `${secret}.${fingerprint}`
    const command = [
      `farmstead-node join ${agentUrl}`,
      // The node does not talk in the clear unasked either.
      ...(fingerprint === null ? ['--insecure-http'] : []),
      `--token ${token}`,
      '--state /var/lib/farmstead',
      ...(nodeId ? ['--rejoin'] : []),
    ].join(' ')
    return { ...view(row), secret, token, command }
  })
}

const hasMembers = (value: object | undefined) => Object.keys(value ?? {}).length > 0

async function isActive({ trx }: Unit, nodeId: string, scope: Scope): Promise<boolean> {
  const node = await trx
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', nodeId)
    .where('decommissioned_at_ms', 'is', null)
    .where(labelsWithin('labels', scope))
    .executeTakeFirst()
  return node !== undefined
}

/** False: there was none. Nodes that enrolled with it stay. */
export async function deleteToken(
  unit: Unit,
  id: string,
  { actor, scope }: { actor: string; scope: Scope },
): Promise<boolean> {
  const deleted = await unit.trx
    .deleteFrom('enrolment_tokens')
    .where('id', '=', id)
    .where(whatEnrolsIsWithin(scope))
    .returningAll()
    .executeTakeFirst()
  if (!deleted) return false
  const before = view(deleted)
  await unit.emit({ kind: 'node', id, action: 'enrolment-token-deleted', actor, data: { before } })
  return true
}

function view(row: Row): EnrolmentToken {
  return {
    id: row.id,
    labels: JSON.parse(row.labels),
    nodeId: row.node_id,
    maxUses: row.max_uses,
    uses: row.uses,
    forgetAfterHours: row.forget_after_hours,
    expiresAt: new Date(row.expires_at_ms).toISOString(),
    createdAt: new Date(row.created_at_ms).toISOString(),
    createdBy: row.created_by,
  }
}
