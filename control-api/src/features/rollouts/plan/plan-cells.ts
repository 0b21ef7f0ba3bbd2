// SPDX-License-Identifier: MIT
// A plan as a picture: every node in a wave as a letter, a number and its failure domain. Pure.
import {
  PLAN_NAMES_AT_ONCE,
  type PlanCells,
  type PlannedRow,
  type PlanStanding,
} from '../shapes/plan-schema.ts'

const FIRST_LETTER = 'a'.charCodeAt(0)
/** Of a picture nobody reads more digits. */
const DIGITS = 3

export type DrawnRow = Pick<
  PlannedRow,
  | 'nodeId'
  | 'nodeName'
  | 'connected'
  | 'changes'
  | 'cordon'
  | 'errors'
  | 'willRefuse'
  | 'isDrifted'
  | 'wave'
  | 'requestsPerSecond'
  | 'failureDomain'
>

export function planCells(all: readonly DrawnRow[], namesFrom: number | undefined): PlanCells {
  const rows = all.filter(({ changes, cordon }) => changes && cordon === null)
  const kinds = rows.map(standingOf)
  const standings = [...new Set(kinds)]
  const letters = new Map(
    standings.map((one, place) => [one, String.fromCharCode(FIRST_LETTER + place)]),
  )
  const domains = byNodes(rows)
  const placeOf = new Map(domains.map((domain, place) => [domain, place]))
  return {
    standings,
    cells: kinds.map((kind) => letters.get(kind)).join(''),
    waves: wavesOf(rows),
    requestsPerSecond: rows.map(({ requestsPerSecond }) =>
      requestsPerSecond === null ? null : Number(requestsPerSecond.toPrecision(DIGITS)),
    ),
    domains,
    domainOf: rows.map(({ failureDomain }) => placeOf.get(failureDomain) ?? 0),
    names:
      namesFrom === undefined
        ? null
        : rows
            .slice(namesFrom, namesFrom + PLAN_NAMES_AT_ONCE)
            .map(({ nodeId, nodeName }) => ({ nodeId, nodeName })),
  }
}

function standingOf(row: DrawnRow): PlanStanding {
  if (row.errors.length > 0) return 'invalid'
  if (row.willRefuse) return 'will-refuse'
  if (row.isDrifted) return 'drifted'
  return row.connected ? 'takes' : 'away'
}

/** They come wave by wave. */
function wavesOf(rows: readonly DrawnRow[]): number[] {
  const counts = new Array<number>((rows.at(-1)?.wave ?? -1) + 1).fill(0)
  for (const { wave } of rows) counts[wave] = (counts[wave] ?? 0) + 1
  return counts
}

function byNodes(rows: readonly DrawnRow[]): (string | null)[] {
  const counts = Map.groupBy(rows, ({ failureDomain }) => failureDomain)
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length).map(([domain]) => domain)
}
