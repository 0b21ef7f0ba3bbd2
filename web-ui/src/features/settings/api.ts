// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/health', { signal })),
})
