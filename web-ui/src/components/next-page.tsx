// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { useState } from 'react'

type Props = {
  /** What useInfiniteQuery gives. */
  of: {
    hasNextPage: boolean
    isFetching: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => Promise<unknown>
    refetch: (options: { cancelRefetch: false }) => Promise<unknown>
  }
  /** On the button. */
  children: React.ReactNode
}

/** Below a list that has more than is shown. */
export function NextPage({ of: query, children }: Props) {
  const [isWaiting, setIsWaiting] = useState(false)
  // What is not read while drawing is as it was then.
  const { isFetching } = query
  if (!query.hasNextPage) return null
  const handleClick = async () => {
    setIsWaiting(true)
    // To ask for a page gives up what is fetched again just now, and what it would have said that is new.
    if (isFetching) await query.refetch({ cancelRefetch: false })
    await query.fetchNextPage()
    setIsWaiting(false)
  }
  return (
    <div className="panel-body">
      <Button
        variant="default"
        loading={isWaiting || query.isFetchingNextPage}
        onClick={() => void handleClick()}
      >
        {children}
      </Button>
    </div>
  )
}
