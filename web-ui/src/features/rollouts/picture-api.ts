// SPDX-License-Identifier: MIT
// What the picture of a plan is drawn from: the nodes in its waves, and who is at a cell.
import { type QueryFunctionContext, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import type { PlanCells, RolloutToCome } from '../../lib/api-types.ts'
import { placeOfName } from './api.ts'

type Names = NonNullable<PlanCells['names']>

/** Whose the cells are, asked for when somebody is at one. */
export type NamesAt = (cell: number) => ReturnType<typeof namesQuery>
const namesQuery = (
  queryKey: readonly unknown[],
  queryFn: (context: QueryFunctionContext) => Promise<Names>,
) => queryOptions({ queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY })

/** Of the plan as it was made. */
export const planCellsQuery = (planDigest: string) =>
  queryOptions({
    queryKey: ['plan-cells', planDigest],
    queryFn: ({ signal }) => {
      const params = { path: { planDigest } }
      return bodyOf(api.GET('/api/v1/rollouts/plans/{planDigest}/cells', { params, signal }))
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

export const planCellNamesQuery = (planDigest: string, cell: number) => {
  const namesFrom = cell - placeOfName(cell)
  return namesQuery(['plan-cell-names', planDigest, namesFrom], async ({ signal }) => {
    const params = { path: { planDigest }, query: { namesFrom } }
    const path = '/api/v1/rollouts/plans/{planDigest}/cells'
    return (await bodyOf(api.GET(path, { params, signal }))).names ?? []
  })
}

/** What an order would still do, as its nodes are now. */
export const toComeQuery = (id: string) =>
  queryOptions({
    queryKey: ['rollouts', 'to-come', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/rollouts/{id}/to-come', { params: { path: { id } }, signal })),
    structuralSharing: false,
  })

/** Where nodes have changed meanwhile, nobody is known until all is read anew. */
export const toComeNamesQuery = (id: string, { cells: drawn }: RolloutToCome, cell: number) => {
  const { cells, waves } = drawn
  const namesFrom = cell - placeOfName(cell)
  return namesQuery(['to-come-names', id, cells, waves, namesFrom], async ({ client, signal }) => {
    const params = { path: { id }, query: { namesFrom } }
    const found = await bodyOf(api.GET('/api/v1/rollouts/{id}/to-come', { params, signal }))
    const isSame = found.cells.cells === cells && found.cells.waves.join() === waves.join()
    if (isSame) return found.cells.names ?? []
    await client.invalidateQueries(toComeQuery(id))
    return []
  })
}
