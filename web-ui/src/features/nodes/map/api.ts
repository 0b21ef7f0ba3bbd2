// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../lib/api-client.ts'
import { type RangeKey, ranges } from '../../../lib/time-range.ts'
import { type MeasureKey, measures } from './map-rules.ts'

type Asked = { by: MeasureKey | undefined; label: string | undefined; range: RangeKey }

/** Measurements of all nodes are dear, and change slowly. */
const EVERY_MS = 30_000

export const nodeCellsQuery = ({ by, label, range }: Asked) =>
  queryOptions({
    // Of states the range is no matter.
    queryKey: ['node-cells', label, by, by && range],
    queryFn: ({ signal }) => {
      const to = Date.now()
      const from = to - ranges[range].rangeSeconds * 1000
      const query = {
        ...(label !== undefined && { label }),
        ...(by !== undefined && {
          by: measures[by].by,
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
        }),
      }
      return bodyOf(api.GET('/api/v1/nodes/cells', { params: { query }, signal }))
    },
    structuralSharing: false,
    refetchInterval: by === undefined ? false : EVERY_MS,
  })

/** As many as an answer has. */
const NAMES_AT_ONCE = 1000
/** Of a cell, in the names that it was asked for with. */
export const placeOfName = (cell: number) => cell % NAMES_AT_ONCE

/** Whose a cell is, asked for when somebody is at it. `order`: of the cells; of another one nobody's is known. */
export const nodeAtQuery = (order: string, label: string | undefined, cell: number) => {
  const namesFrom = cell - placeOfName(cell)
  return queryOptions({
    queryKey: ['node-cell-names', order, label, namesFrom],
    queryFn: async ({ client, signal }) => {
      const query = { namesFrom, ...(label !== undefined && { label }) }
      const found = await bodyOf(api.GET('/api/v1/nodes/cells', { params: { query }, signal }))
      if (found.order === order) return found.names ?? []
      await client.invalidateQueries({ queryKey: ['node-cells'] })
      return []
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}
