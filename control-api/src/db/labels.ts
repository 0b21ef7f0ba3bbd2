// SPDX-License-Identifier: MIT
// A label selector as a condition of SQL: the same answer as matches() in labels/selector.ts, on a column of JSON.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Requirement } from '../labels/selector.ts'

/** `column` may carry its table: nodes.labels. */
export function labelsWithin(column: string, scope: Scope): Expression<SqlBool> {
  const conditions = (scope ?? []).map((requirement) => holds(sql.ref(column), requirement))
  if (conditions.length === 0) return sql<SqlBool>`true`
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

function holds(labels: RawBuilder<unknown>, requirement: Requirement): RawBuilder<SqlBool> {
  const value = sql`(${labels} ->> ${requirement.key})`
  switch (requirement.kind) {
    case 'exists':
      return sql<SqlBool>`${value} is not null`
    case 'absent':
      return sql<SqlBool>`${value} is null`
    case 'in':
      return sql<SqlBool>`coalesce(${value} in (${sql.join(requirement.values)}), false)`
    case 'notin':
      return sql<SqlBool>`coalesce(${value} not in (${sql.join(requirement.values)}), true)`
  }
}
