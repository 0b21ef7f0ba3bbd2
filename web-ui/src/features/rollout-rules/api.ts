// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { RolloutRules } from '../../lib/api-types.ts'

/** With the ETag that a change must carry: of what its reader has seen, so nothing reads it again. */
export const rolloutRulesQuery = queryOptions({
  queryKey: ['rollout-rules'],
  queryFn: ({ signal }) => taggedBodyOf(api.GET('/api/v1/rollout-rules', { signal })),
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

export type RulesChange = { rules: RolloutRules; etag: string }

export const saveRulesMutation = mutationOptions({
  mutationKey: ['rollout-rules', 'save'],
  mutationFn: ({ rules, etag }: RulesChange) =>
    bodyOf(
      api.PUT('/api/v1/rollout-rules', {
        params: { header: { 'if-match': etag } },
        body: rules,
      }),
    ),
})
