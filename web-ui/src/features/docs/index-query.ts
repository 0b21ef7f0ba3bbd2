// SPDX-License-Identifier: MIT
// All headings of the docs, for who looks for something.
import { queryOptions } from '@tanstack/react-query'
import { loadChunk } from '../../lib/load-chunk.ts'

export const docsIndexQuery = queryOptions({
  queryKey: ['docs-index'],
  queryFn: async () => (await loadChunk(() => import('virtual:docs-index'))).headings,
  staleTime: Number.POSITIVE_INFINITY,
})
