// SPDX-License-Identifier: MIT
// A panel's four states in one place: loading, failed, stale, and what the caller draws.

import { Button, Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { t } from '../languages/t.ts'
import { isApiError, toApiError } from '../lib/api-error.ts'
import { formatClock } from '../lib/time.ts'
import { ErrorBox } from './error-box.tsx'
import { Notice } from './notice.tsx'

export type QueryStatesProps<Data> = {
  query: Pick<UseQueryResult<Data>, 'data' | 'isError' | 'error' | 'dataUpdatedAt'> & {
    refetch: () => unknown
  }
  /** What is being read, as in "The nodes could not be read". */
  what: string
  skeletonRows?: number
  children: (data: Data) => React.ReactNode
}

export function QueryStates<Data>({ query, what, skeletonRows, children }: QueryStatesProps<Data>) {
  const retry = () => void query.refetch()
  if (query.data === undefined) {
    return query.isError ? (
      <ErrorBox
        what={what}
        error={query.error}
        onRetry={willStay(query.error) ? undefined : retry}
      />
    ) : (
      <SkeletonRows rows={skeletonRows ?? 3} label={what} />
    )
  }
  return (
    <>
      {query.isError && (
        <StaleNotice what={what} since={query.dataUpdatedAt} error={query.error} onRetry={retry} />
      )}
      {children(query.data)}
    </>
  )
}

/** What is not there, cannot be meant or is not allowed will be so on another try. */
const willStay = (error: unknown) => [400, 403, 404].some((status) => isApiError(error, status))

function StaleNotice(props: { what: string; since: number; error: unknown; onRetry: () => void }) {
  return (
    <Notice
      tone="warn"
      live
      title={t('{what}: last read at {since}', {
        what: props.what,
        since: formatClock(props.since),
      })}
      action={
        <Button variant="default" size="xs" onClick={props.onRetry}>
          {t('Try again')}
        </Button>
      }
    >
      {toApiError(props.error).message}
    </Notice>
  )
}

/** Uneven, as text is; also how many rows a skeleton can have. */
const rowWidths = [92, 75, 88, 61, 84, 70, 95, 66]

export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div
      className="stack-tight panel-body"
      role="status"
      aria-label={t('{label}: loading', { label })}
    >
      {rowWidths.slice(0, rows).map((width) => (
        <Skeleton key={width} height={20} width={`${width}%`} />
      ))}
    </div>
  )
}
