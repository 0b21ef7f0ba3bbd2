// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { Alert, AlertRule } from '../../lib/api-types.ts'
import type { RuleSettings } from './rule-draft.ts'

const PAGE_SIZE = 100

/** Newest first. */
export const alertsQuery = (state: Alert['state']) =>
  infiniteQueryOptions({
    queryKey: ['alerts', state],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, state, ...(pageParam !== null && { cursor: pageParam }) }
      return bodyOf(api.GET('/api/v1/alerts', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    // What is pending begins and ends without an event, and what fires gets other values.
    refetchInterval: state === 'resolved' ? false : 15_000,
  })

/** There are at most a hundred. */
export const alertRulesQuery = queryOptions({
  queryKey: ['alert-rules'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/alert-rules', { signal })),
})

/** With the ETag that a change of it must carry. */
export type TaggedRule = { body: AlertRule; etag: string }
export const alertRuleQuery = (id: string) =>
  queryOptions({
    queryKey: ['alert-rules', id],
    queryFn: ({ signal }): Promise<TaggedRule> =>
      taggedBodyOf(api.GET('/api/v1/alert-rules/{id}', { params: { path: { id } }, signal })),
  })

export const createRuleMutation = mutationOptions({
  mutationKey: ['alert-rules', 'create'],
  mutationFn: (body: RuleSettings) => bodyOf(api.POST('/api/v1/alert-rules', { body })),
})

type Tagged = { id: string; etag: string }
const tagged = ({ id, etag }: Tagged) => ({ path: { id }, header: { 'if-match': etag } })

export const changeRuleMutation = mutationOptions({
  mutationKey: ['alert-rules', 'change'],
  mutationFn: ({ id, etag, ...body }: Tagged & RuleSettings) =>
    bodyOf(api.PATCH('/api/v1/alert-rules/{id}', { params: tagged({ id, etag }), body })),
})

export const deleteRuleMutation = mutationOptions({
  mutationKey: ['alert-rules', 'delete'],
  mutationFn: async (rule: Tagged) => {
    await api.DELETE('/api/v1/alert-rules/{id}', { params: tagged(rule) })
  },
})

type PreviewRequest = Pick<RuleSettings, 'appliesTo' | 'forSeconds' | 'keepFiringSeconds'> & {
  condition: Extract<AlertRule['condition'], { kind: 'measurement' | 'burn-rate' }>
  days: number
}
export const previewRuleMutation = mutationOptions({
  mutationKey: ['alert-rules', 'preview'],
  mutationFn: (body: PreviewRequest) => bodyOf(api.POST('/api/v1/alert-rules/preview', { body })),
})

/** There are at most two hundred. */
export const silencesQuery = queryOptions({
  queryKey: ['alert-silences'],
  queryFn: ({ signal }) =>
    bodyOf(api.GET('/api/v1/alert-silences', { params: { query: { limit: 200 } }, signal })),
})

export const acknowledgeMutation = mutationOptions({
  mutationKey: ['alerts', 'acknowledge'],
  mutationFn: ({ id, comment }: { id: string; comment: string }) =>
    bodyOf(
      api.POST('/api/v1/alerts/{id}/actions/acknowledge', {
        params: { path: { id } },
        body: { comment },
      }),
    ),
})

export type NewSilence = { ruleId?: string; selector?: string; reason: string; until: string }
export const silenceMutation = mutationOptions({
  mutationKey: ['alert-silences', 'create'],
  mutationFn: (body: NewSilence) => bodyOf(api.POST('/api/v1/alert-silences', { body })),
})

export const endSilenceMutation = mutationOptions({
  mutationKey: ['alert-silences', 'end'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/alert-silences/{id}', { params: { path: { id } } })
  },
})

/** Of the rule as it is now: it is on or off, whoever changed what else of it. */
export const switchRuleMutation = mutationOptions({
  mutationKey: ['alert-rules', 'switch'],
  mutationFn: async ({ id, enabled }: { id: string; enabled: boolean }) => {
    const params = { path: { id } }
    const { etag } = await taggedBodyOf(api.GET('/api/v1/alert-rules/{id}', { params }))
    return await bodyOf(
      api.PATCH('/api/v1/alert-rules/{id}', { params: tagged({ id, etag }), body: { enabled } }),
    )
  },
})

export const testRuleMutation = mutationOptions({
  mutationKey: ['alert-rules', 'test'],
  mutationFn: (id: string) =>
    bodyOf(api.POST('/api/v1/alert-rules/{id}/actions/test', { params: { path: { id } } })),
})
