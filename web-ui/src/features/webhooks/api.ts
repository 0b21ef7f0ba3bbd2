// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'

/** Deliveries are no events, else each would be a delivery again: how they go is asked for. */
const DELIVERIES_EVERY_MS = 5000

/** There are at most a hundred. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/webhooks', { signal })),
  refetchInterval: DELIVERIES_EVERY_MS,
})

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/webhooks/{id}', { params: { path: { id } }, signal })),
    refetchInterval: DELIVERIES_EVERY_MS,
  })

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/webhooks/{id}/deliveries', { params: { path: { id } }, signal })),
    refetchInterval: DELIVERIES_EVERY_MS,
  })

export type NewWebhook = { url: string; description: string; events: string[] }

export const createWebhookMutation = mutationOptions({
  mutationKey: ['webhooks', 'create'],
  mutationFn: (body: NewWebhook) => bodyOf(api.POST('/api/v1/webhooks', { body })),
})

type Tagged = { id: string; etag: string }
const tagged = ({ id, etag }: Tagged) => ({ path: { id }, header: { 'if-match': etag } })

export const patchWebhookMutation = mutationOptions({
  mutationKey: ['webhooks', 'patch'],
  mutationFn: ({ id, etag, ...body }: Tagged & Partial<NewWebhook> & { disabled?: boolean }) =>
    bodyOf(api.PATCH('/api/v1/webhooks/{id}', { params: tagged({ id, etag }), body })),
})

export const deleteWebhookMutation = mutationOptions({
  mutationKey: ['webhooks', 'delete'],
  mutationFn: async (webhook: Tagged) => {
    await api.DELETE('/api/v1/webhooks/{id}', { params: tagged(webhook) })
  },
})

export const testWebhookMutation = mutationOptions({
  mutationKey: ['webhooks', 'test'],
  mutationFn: (id: string) =>
    bodyOf(api.POST('/api/v1/webhooks/{id}/actions/test', { params: { path: { id } } })),
})

export const redeliverMutation = mutationOptions({
  mutationKey: ['webhooks', 'redeliver'],
  mutationFn: ({ id, eventId }: { id: string; eventId: number }) =>
    bodyOf(
      api.POST('/api/v1/webhooks/{id}/actions/redeliver', {
        params: { path: { id } },
        body: { eventId },
      }),
    ),
})

export const rotateSecretMutation = mutationOptions({
  mutationKey: ['webhooks', 'rotate'],
  mutationFn: (id: string) =>
    bodyOf(
      api.POST('/api/v1/webhooks/{id}/actions/rotate-secret', {
        params: { path: { id } },
        body: {},
      }),
    ),
})
