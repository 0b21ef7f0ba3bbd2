// SPDX-License-Identifier: MIT
// Whether the file is there: only the node knows, so it is asked.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, bodyOf } from '../../../lib/api-client.ts'
import { toApiError } from '../../../lib/api-error.ts'
import { formatClock } from '../../../lib/time.ts'

/** Files come and go: what was true is asked anew after a while. */
const HOLDS_MS = 10_000

const statusQuery = (nodeId: string, url: string) =>
  queryOptions({
    queryKey: ['statuses', nodeId, url],
    queryFn: async ({ signal }) => {
      const asked = { params: { path: { id: nodeId } }, body: { urls: [url] }, signal }
      const { items } = await bodyOf(api.POST('/api/v1/nodes/{id}/statuses', asked))
      return items[0]?.status ?? null
    },
    staleTime: HOLDS_MS,
    gcTime: 60_000,
    retry: false,
  })

type Props = { nodeId: string; url: string /** If the file is there. */; expected: number }

export function NodeSays({ nodeId, url, expected }: Props) {
  const { data, error, dataUpdatedAt } = useQuery(statusQuery(nodeId, url))
  const words =
    error !== null
      ? `Whether the file is there, the node did not say: ${toApiError(error).message}`
      : data === undefined
        ? 'Asking the node whether the file is there …'
        : `${saidWords(data, expected)} Asked at ${formatClock(dataUpdatedAt)}.`
  return (
    <p role="status" className={data !== undefined && data !== expected ? '' : 'dim'}>
      {words}
    </p>
  )
}

function saidWords(status: number | null, expected: number): string {
  if (status === null) return 'The node can’t be asked about this host.'
  if (status === expected) return 'The node says that the file is there.'
  const why = status === 404 ? ': the file is not there' : ''
  return `The node says that it answers ${status} just now${why}.`
}
