// SPDX-License-Identifier: MIT
// Changes of the groups, as lists of rows before and after. Pure: the same decides what is stored and
// what a dry run says of it.
import { readSelector } from '../../api-shapes/selector.ts'
import { requireModestOverride } from '../../json/merge-patch.ts'
import { DEFAULT_GROUP } from '../../labels/grouping.ts'
import { formatSelector } from '../../labels/selector.ts'
import {
  DefaultGroupFixed,
  GroupExists,
  GroupNotFound,
  OrderIncomplete,
  TooManyGroups,
} from './errors.ts'
import type { GroupRow } from './store.ts'

/** Each node is compared with each group, whenever nodes are listed. */
export const MAX_GROUPS = 100

/** What people may set; what is left out stays. */
export type GroupChange = {
  description?: string | undefined
  selector?: string | undefined
  config?: string | null | undefined
  mergePatch?: Record<string, unknown> | undefined
  forgetAfterHours?: number | null | undefined
}
/** The groups as they will be, in order. */
type Rows = readonly GroupRow[]

export function groupNamed(rows: Rows, name: string): GroupRow {
  const row = rows.find((one) => one.name === name)
  if (!row) throw new GroupNotFound(name)
  return row
}

export function withChange(rows: Rows, name: string, change: GroupChange, nowMs: number): Rows {
  const before = groupNamed(rows, name)
  const after = changed(before, change)
  if (name === DEFAULT_GROUP && after.selector !== '') {
    throw new DefaultGroupFixed('has the empty selector')
  }
  const row = { ...after, revision: before.revision + 1, updated_at_ms: nowMs }
  return rows.map((one) => (one === before ? row : one))
}

const EMPTY = {
  description: '',
  selector: '',
  position: 0,
  config: null,
  merge_patch: '{}',
  forget_after_hours: null,
}
export type NewGroup = GroupChange & { name: string; position?: number | undefined }

export function withNew(rows: Rows, { name, position, ...change }: NewGroup, nowMs: number): Rows {
  if (rows.some((row) => row.name === name)) throw new GroupExists(name)
  if (rows.length >= MAX_GROUPS) throw new TooManyGroups(MAX_GROUPS)
  const row = changed({ name, ...EMPTY, revision: 0, updated_at_ms: nowMs }, change)
  const others = rows.slice(0, -1)
  const at = Math.min((position ?? rows.length) - 1, others.length)
  return numbered([...others.toSpliced(at, 0, row), ...rows.slice(-1)], nowMs)
}

export function without(rows: Rows, name: string, nowMs: number): Rows {
  const gone = groupNamed(rows, name)
  if (name === DEFAULT_GROUP) throw new DefaultGroupFixed('cannot be removed')
  return numbered(
    rows.filter((row) => row !== gone),
    nowMs,
  )
}

export function inOrder(rows: Rows, names: readonly string[], nowMs: number): Rows {
  const [others, last] = [rows.slice(0, -1), rows.slice(-1)]
  const known = others.map((row) => row.name)
  if (new Set(names).size !== names.length || known.toSorted().join() !== names.toSorted().join()) {
    throw new OrderIncomplete(known)
  }
  return numbered([...names.map((name) => groupNamed(others, name)), ...last], nowMs)
}

/** A moved group is another one to whoever changes it meanwhile. The default group is never numbered. */
const numbered = (rows: Rows, nowMs: number): Rows =>
  rows.map((row, i) =>
    row.position === i + 1 || row.name === DEFAULT_GROUP
      ? row
      : { ...row, position: i + 1, revision: row.revision + 1, updated_at_ms: nowMs },
  )

function changed(row: GroupRow, change: GroupChange): GroupRow {
  const { description, selector, config, mergePatch, forgetAfterHours } = change
  if (mergePatch) requireModestOverride(mergePatch)
  return {
    ...row,
    ...(description !== undefined && { description }),
    ...(selector !== undefined && { selector: oneSpelling(selector) }),
    ...(config !== undefined && { config }),
    ...(mergePatch && { merge_patch: JSON.stringify(mergePatch) }),
    ...(forgetAfterHours !== undefined && { forget_after_hours: forgetAfterHours }),
  }
}

const oneSpelling = (selector: string): string => formatSelector(readSelector(selector))
