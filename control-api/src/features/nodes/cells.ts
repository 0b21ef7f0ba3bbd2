// SPDX-License-Identifier: MIT
// Every node as a letter and a number, in the order of a map: by group, or by the value of a label. Names are in parts, for
// whoever points at a cell.
import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import type { Scope } from '../../access/scope.ts'
import type { SyncState } from '../../api-shapes/node-facts.ts'
import type { CellsQuerySchema, CellsSchema } from './cells-schema.ts'
import { NAMES_AT_ONCE } from './cells-schema.ts'
import type { FarmIndex, IndexedNode } from './farm-index.ts'

type Asked = Static<typeof CellsQuerySchema>
type Cells = Static<typeof CellsSchema>
export type AskValues = (
  nodeIds: readonly string[],
  asked: { by: string; from?: string; to?: string },
) => Promise<{ from: string; to: string; values: (number | null)[] }>

/** The rollouts that are under way, and to which node which of them has come. */
export type ReadTouched = (scope: Scope) => Promise<{
  named: NonNullable<Cells['rollouts']>['named']
  touchedBy: ReadonlyMap<string, string>
}>

type Deps = { index: FarmIndex; valuesOf: AskValues; touchedNow: ReadTouched }
/** What is told by a permission of its own. */
type May = { measure: boolean; seeRollouts: boolean }

const FIRST_LETTER = 'a'.charCodeAt(0)
const LABEL_KEYS = 50
/** Of a picture nobody reads more digits. */
const DIGITS = 3

const NOBODY = '.'

export const createCells =
  ({ index, valuesOf, touchedNow }: Deps) =>
  async (asked: Asked, scope: Scope, may: May): Promise<Cells> => {
    const { label, by, namesFrom, from, to } = asked
    const all = await index.nodes(scope)
    const parts = partsOf(all, label)
    const nodes = parts.flatMap(([, of]) => of)
    const ids = nodes.map(({ node }) => node.id)
    const states = [...new Set(nodes.map(({ state }) => state))]
    const letters = new Map<SyncState, string>(
      states.map((state, place) => [state, String.fromCharCode(FIRST_LETTER + place)]),
    )
    const measured =
      by === undefined || !may.measure
        ? null
        : await valuesOf(ids, { by, ...(from && { from }), ...(to && { to }) })
    return {
      order: createHash('sha256').update(ids.join()).digest('hex').slice(0, 16),
      parts: parts.map(([name, of]) => ({ name, nodes: of.length })),
      labelKeys: labelKeysOf(all),
      names:
        namesFrom === undefined
          ? null
          : nodes
              .slice(namesFrom, namesFrom + NAMES_AT_ONCE)
              .map(({ node: { id, name } }) => ({ id, name })),
      states,
      cells: nodes.map(({ state }) => letters.get(state)).join(''),
      rollouts: may.seeRollouts ? touchedCells(await touchedNow(scope), ids) : null,
      measured: measured && {
        ...{ by: by ?? '', from: measured.from, to: measured.to },
        values: measured.values.map((value) =>
          value === null ? null : Number(value.toPrecision(DIGITS)),
        ),
      },
    }
  }

function touchedCells(
  { named, touchedBy }: Awaited<ReturnType<ReadTouched>>,
  ids: readonly string[],
): Cells['rollouts'] {
  if (named.length === 0) return { named, cells: '' }
  const letters = new Map(
    named.map(({ id }, place) => [id, String.fromCharCode(FIRST_LETTER + place)]),
  )
  const letterOf = (id: string) => letters.get(touchedBy.get(id) ?? '') ?? NOBODY
  return { named, cells: ids.map(letterOf).join('') }
}

type Part = [name: string | null, nodes: IndexedNode[]]

/** By name; those without the label come last. */
function partsOf(nodes: readonly IndexedNode[], label: string | undefined): Part[] {
  const nameOf = ({ node: { group, labels } }: IndexedNode) => {
    if (label === undefined) return group
    return Object.hasOwn(labels, label) ? (labels[label] ?? null) : null
  }
  return [...Map.groupBy(nodes, nameOf)].toSorted(([a], [b]) => {
    if (a === null || b === null) return a === null ? 1 : -1
    return a < b ? -1 : 1
  })
}

/** By which one can look at them, those of most nodes first. */
function labelKeysOf(nodes: readonly IndexedNode[]): string[] {
  const counts = new Map<string, number>()
  for (const { node } of nodes) {
    for (const key of Object.keys(node.labels)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, LABEL_KEYS)
    .map(([key]) => key)
}
