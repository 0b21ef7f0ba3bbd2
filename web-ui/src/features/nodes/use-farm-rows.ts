// SPDX-License-Identifier: MIT
// The farm's nodes as a table draws them: of ten thousand only the blocks in the window are asked for.
import { useThrottledValue } from '@mantine/hooks'
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { Node, NodeList, NodesPage } from '../../lib/api-types.ts'
import { nodeBlockQuery } from './api.ts'
import { type Block, blocksWith, type FarmRow, rowsOf } from './farm-rows.ts'
import { heardFactsQuery, patched } from './node-events.ts'

/** Who drags the scroll bar comes by many blocks; those are asked for that are stopped at. */
const ASK_AT_MOST_EVERY_MS = 150

export type FarmRows = {
  /** undefined: nothing is known yet, or `error` says why it is not. */
  data: FarmRow[] | undefined
  isError: boolean
  error: Error | null
  dataUpdatedAt: number
  refetch: () => void
  /** The nodes of the blocks in the window. */
  nodes: Node[]
  /** To be told which rows are drawn. */
  onDrawn: (indexes: readonly number[], total: number) => void
}

export function useFarmRows(list: NodeList): FarmRows {
  const [drawn, setDrawn] = useState<readonly number[]>([0])
  const onDrawn = useCallback((indexes: readonly number[], total: number) => {
    const next = blocksWith(indexes, total)
    setDrawn((before) => (before.join() === next.join() ? before : next))
  }, [])
  const wanted = useThrottledValue(drawn, ASK_AT_MOST_EVERY_MS)
  const answers = useQueries({
    queries: wanted.map((index) => nodeBlockQuery(list, index)),
    combine: answersOf,
  })
  const ids = answers.flatMap(({ data }) => data?.items.map(({ id }) => id) ?? [])
  // Of the rows that are here: else each event about the farm would draw them anew.
  const heard = useQuery({
    ...heardFactsQuery,
    select: (all) => ids.flatMap((id) => all.get(id) ?? []),
  }).data
  const read = useMemo(() => {
    const blocks = answers.flatMap(({ data, dataUpdatedAt }, i): Block[] =>
      data ? [{ ...patched(data, heard), index: wanted[i] ?? 0, readAt: dataUpdatedAt }] : [],
    )
    return blocks.length === 0
      ? undefined
      : { rows: rowsOf(blocks), nodes: blocks.flatMap(({ items }) => items) }
  }, [answers, wanted, heard])
  const failed = answers.find(({ error }) => error !== null)
  // What was listed stays until the first of another list is there: else each letter of a filter would empty the page.
  const [kept, setKept] = useState(read)
  if (read !== undefined && read !== kept) setKept(read)
  const shown = read ?? (failed ? undefined : kept)
  return {
    data: shown?.rows,
    isError: failed !== undefined,
    error: failed?.error ?? null,
    dataUpdatedAt: Math.max(0, ...answers.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    refetch: () => {
      for (const { error, refetch } of answers) if (error !== null) void refetch()
    },
    nodes: shown?.nodes ?? [],
    onDrawn,
  }
}

/** Only what is looked at, so that nothing is drawn anew when a fetch begins. */
const answersOf = (results: UseQueryResult<NodesPage>[]) =>
  results.map(({ data, error, dataUpdatedAt, refetch }) => ({
    ...{ data, error, dataUpdatedAt, refetch },
  }))
