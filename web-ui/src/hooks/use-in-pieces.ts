// SPDX-License-Identifier: MIT
// What takes longer to draw than a frame: React makes it of an answer between other things, and what somebody does
// meanwhile comes first. An answer that is shown at once is a pause as long as all of the page takes.
import type { UseQueryResult } from '@tanstack/react-query'
import { useDeferredValue } from 'react'

type Told<Data> = Pick<UseQueryResult<Data>, 'isError' | 'error' | 'dataUpdatedAt' | 'refetch'>
export type InPieces<Data> = Told<Data> & { data: Data | undefined }

export function useInPieces<Data>(query: UseQueryResult<Data>): InPieces<Data> {
  const drawn = useDeferredValue(query.data)
  // That there is none costs nothing: an error is told at once, and not as of an answer that has gone.
  const data = query.data === undefined ? undefined : drawn
  const { isError, error, dataUpdatedAt, refetch } = query
  return { data, isError, error, dataUpdatedAt, refetch }
}
