// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../../lib/api-client.ts'

const AUTHORITIES = ['certificate-authorities']
/** There are fifty at most. */
const LIMIT = 100
const LOOK_EVERY_MS = 30_000

export const authoritiesKey = { queryKey: AUTHORITIES }

export const authoritiesQuery = queryOptions({
  queryKey: [...AUTHORITIES, 'list'],
  queryFn: ({ signal }) =>
    bodyOf(
      api.GET('/api/v1/certificate-authorities', { params: { query: { limit: LIMIT } }, signal }),
    ),
  refetchInterval: LOOK_EVERY_MS,
})

export const authorityQuery = (name: string) =>
  queryOptions({
    queryKey: [...AUTHORITIES, 'one', name],
    queryFn: ({ signal }) =>
      taggedBodyOf(
        api.GET('/api/v1/certificate-authorities/{name}', { params: { path: { name } }, signal }),
      ),
    refetchInterval: LOOK_EVERY_MS,
  })

const test = (name: string) =>
  bodyOf(
    api.POST('/api/v1/certificate-authorities/{name}/actions/test', { params: { path: { name } } }),
  )

const TEST_GOOD_MS = 5 * 60_000

/** What it offers, for the form of an order. Not beneath their key: it is asked of the authority itself. */
export const offerQuery = (name: string) =>
  queryOptions({
    queryKey: ['authority-offers', name],
    queryFn: () => test(name),
    staleTime: TEST_GOOD_MS,
  })

export const testMutation = mutationOptions({
  mutationKey: [...AUTHORITIES, 'test'],
  mutationFn: test,
})

export type ExternalAccount = { keyId: string; hmacKey: string }
/** What is left out stays; null takes it away. */
export type ChangedAuthority = {
  contact: string[]
  trustedRoots?: string | null
  externalAccount?: ExternalAccount | null
}
export type NewAuthority = {
  name: string
  directoryUrl: string
  contact: string[]
  trustedRoots?: string
  externalAccount?: ExternalAccount
  termsOfServiceAgreed: true
}

export const createAuthorityMutation = mutationOptions({
  mutationKey: [...AUTHORITIES, 'create'],
  // What was sent may hold a key: it is not remembered once nobody looks.
  gcTime: 0,
  mutationFn: (body: NewAuthority) => bodyOf(api.POST('/api/v1/certificate-authorities', { body })),
})

type Tagged = { name: string; etag: string }
const tagged = ({ name, etag }: Tagged) => ({ path: { name }, header: { 'if-match': etag } })

export const changeAuthorityMutation = mutationOptions({
  mutationKey: [...AUTHORITIES, 'change'],
  gcTime: 0,
  mutationFn: ({ name, etag, ...body }: Tagged & ChangedAuthority) =>
    bodyOf(
      api.PATCH('/api/v1/certificate-authorities/{name}', { params: tagged({ name, etag }), body }),
    ),
})

export const deleteAuthorityMutation = mutationOptions({
  mutationKey: [...AUTHORITIES, 'delete'],
  mutationFn: async (one: Tagged) => {
    await api.DELETE('/api/v1/certificate-authorities/{name}', { params: tagged(one) })
  },
})
