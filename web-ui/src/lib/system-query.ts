// SPDX-License-Identifier: MIT
// What the control plane says of itself: more than one place of the console asks.
import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './api-client.ts'

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/system', { signal })),
})
