// SPDX-License-Identifier: MIT
// Whether the file is there: only the node knows, so it is asked.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { t } from '../../../languages/t.ts'
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
      ? t('Whether the file is there, the node did not say: {message}', {
          message: toApiError(error).message,
        })
      : data === undefined
        ? t('Asking the node whether the file is there …')
        : t('{said} Asked at {at}.', {
            said: saidWords(data, expected),
            at: formatClock(dataUpdatedAt),
          })
  return (
    <p role="status" className={data !== undefined && data !== expected ? '' : 'dim'}>
      {words}
    </p>
  )
}

function saidWords(status: number | null, expected: number): string {
  if (status === null) return t('The node can’t be asked about this host.')
  if (status === expected) return t('The node says that the file is there.')
  if (status === 404) return t('The node says that it answers 404 just now: the file is not there.')
  return t('The node says that it answers {status} just now.', { status })
}
