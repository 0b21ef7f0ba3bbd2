// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'

type Props = {
  /** What useInfiniteQuery gives. */
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
  /** On the button. */
  children: React.ReactNode
}

/** Below a list that has more than is shown. */
export function NextPage({ of: query, children }: Props) {
  if (!query.hasNextPage) return null
  return (
    <div className="panel-body">
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {children}
      </Button>
    </div>
  )
}
