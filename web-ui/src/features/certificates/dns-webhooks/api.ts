// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../../lib/api-client.ts'

const DNS_WEBHOOKS = ['dns-webhooks']
/** There are fifty at most. */
const LIMIT = 100
/** How the last message went is no event. */
const LOOK_EVERY_MS = 10_000

export const dnsWebhooksKey = { queryKey: DNS_WEBHOOKS }

export const dnsWebhooksQuery = queryOptions({
  queryKey: [...DNS_WEBHOOKS, 'list'],
  queryFn: ({ signal }) =>
    bodyOf(api.GET('/api/v1/dns-webhooks', { params: { query: { limit: LIMIT } }, signal })),
  refetchInterval: LOOK_EVERY_MS,
})

export const dnsWebhookQuery = (name: string) =>
  queryOptions({
    queryKey: [...DNS_WEBHOOKS, 'one', name],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/dns-webhooks/{name}', { params: { path: { name } }, signal })),
    refetchInterval: LOOK_EVERY_MS,
  })

export const createDnsWebhookMutation = mutationOptions({
  mutationKey: [...DNS_WEBHOOKS, 'create'],
  gcTime: 0,
  mutationFn: (body: { name: string; url: string }) =>
    bodyOf(api.POST('/api/v1/dns-webhooks', { body })),
})

type Tagged = { name: string; etag: string }
const tagged = ({ name, etag }: Tagged) => ({ path: { name }, header: { 'if-match': etag } })

export const changeDnsWebhookMutation = mutationOptions({
  mutationKey: [...DNS_WEBHOOKS, 'change'],
  mutationFn: ({ name, etag, url }: Tagged & { url: string }) =>
    bodyOf(
      api.PATCH('/api/v1/dns-webhooks/{name}', {
        params: tagged({ name, etag }),
        body: { url },
      }),
    ),
})

export const rotateDnsSecretMutation = mutationOptions({
  mutationKey: [...DNS_WEBHOOKS, 'rotate'],
  gcTime: 0,
  mutationFn: (name: string) =>
    bodyOf(
      api.POST('/api/v1/dns-webhooks/{name}/actions/rotate-secret', { params: { path: { name } } }),
    ),
})

export const deleteDnsWebhookMutation = mutationOptions({
  mutationKey: [...DNS_WEBHOOKS, 'delete'],
  mutationFn: async (one: Tagged) => {
    await api.DELETE('/api/v1/dns-webhooks/{name}', { params: tagged(one) })
  },
})
