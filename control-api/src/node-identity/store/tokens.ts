// SPDX-License-Identifier: MIT
// Enrolment tokens at rest: of the secret only a digest.
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import type { Database, EnrolmentTokensTable, Reader, Trx } from '../../db/database.ts'
import { eachOf } from '../../db/each-of.ts'
import { labelsWithin } from '../../db/labels.ts'

export type EnrolmentTokenRow = Selectable<EnrolmentTokensTable>
type Page = {
  before: string | undefined
  limit: number
  /** null: all of them. */
  usable: boolean | null
  scope: Scope
  nowMs: number
}

/** Newest first. */
export const enrolmentTokensPage = (
  db: Reader,
  { before, limit, usable, scope, nowMs }: Page,
): Promise<EnrolmentTokenRow[]> => {
  const isUsable = sql<number>`uses < max_uses and expires_at_ms > ${nowMs}`
  return db
    .selectFrom('enrolment_tokens')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(usable !== null, (query) => query.where(sql`(${isUsable})`, '=', usable ? 1 : 0))
    .$if(scope !== null, (query) => query.where(whatEnrolsIsWithin(scope)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
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

/** undefined as well when there is none (any more). */
export const enrolmentTokenWithin = (
  db: Reader,
  id: string,
  scope: Scope,
): Promise<EnrolmentTokenRow | undefined> =>
  db
    .selectFrom('enrolment_tokens')
    .selectAll()
    .where('id', '=', id)
    .where(whatEnrolsIsWithin(scope))
    .executeTakeFirst()

export const findEnrolmentToken = (
  db: Reader,
  secretDigest: string,
): Promise<EnrolmentTokenRow | undefined> =>
  db
    .selectFrom('enrolment_tokens')
    .selectAll()
    .where('secret_digest', '=', secretDigest)
    .executeTakeFirst()

export async function insertEnrolmentToken(trx: Trx, row: EnrolmentTokenRow): Promise<void> {
  await trx.insertInto('enrolment_tokens').values(row).execute()
}

export async function countUse(trx: Trx, { id, uses }: EnrolmentTokenRow): Promise<void> {
  await trx
    .updateTable('enrolment_tokens')
    .set({ uses: uses + 1 })
    .where('id', '=', id)
    .execute()
}

/** The row that was deleted; undefined: there was none within the scope. */
export const deleteEnrolmentToken = (
  trx: Trx,
  id: string,
  scope: Scope,
): Promise<EnrolmentTokenRow | undefined> =>
  trx
    .deleteFrom('enrolment_tokens')
    .where('id', '=', id)
    .where(whatEnrolsIsWithin(scope))
    .returningAll()
    .executeTakeFirst()

/** Those for their way back. */
export async function deleteTokensOfNodes(trx: Trx, nodeIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('enrolment_tokens').where('node_id', 'in', eachOf(nodeIds)).execute()
}
