// SPDX-License-Identifier: MIT
// The one place that knows the HTTP client. Everything the console does goes through here, and so
// through the public API and its generated types.

import type { paths } from '@farmstead/api-types'
import createClient from 'openapi-fetch'
import { t } from '../languages/t.ts'
import { ApiError } from './api-error.ts'
import { basePath } from './base-path.ts'
import { speakingAs } from './speaking-as.ts'

/** Where the console lives, with a slash at the end. */
export const baseUrl = new URL(basePath, window.location.origin).href

export const api = createClient<paths>({
  baseUrl,
  credentials: 'same-origin',
  headers: { accept: 'application/json' },
  // Looked up at each call, so that tests can stand at this border.
  fetch: (request) => globalThis.fetch(request),
})

const SAFE = new Set(['GET', 'HEAD'])

api.use({
  onRequest({ request }) {
    const user = speakingAs()
    if (user !== null && !SAFE.has(request.method)) request.headers.set('farmstead-user', user)
  },
  async onResponse({ response }) {
    if (!response.ok) throw await ApiError.fromResponse(response)
  },
  onError({ error }) {
    const aborted = error instanceof DOMException && error.name === 'AbortError'
    return aborted ? error : ApiError.unreachable()
  },
})

/** The body of an answer that has one. */
export async function bodyOf<Body>(
  call: Promise<{ data?: Body | undefined; response: Response }>,
): Promise<Body> {
  const { data, response } = await call
  if (data === undefined) {
    throw new ApiError(response.status, { detail: t('The control plane answered without a body.') })
  }
  return data
}

/** The body together with the ETag that a change of it must carry. */
export async function taggedBodyOf<Body>(
  call: Promise<{ data?: Body | undefined; response: Response }>,
): Promise<{ body: Body; etag: string }> {
  const { data, response } = await call
  const etag = response.headers.get('etag')
  if (data === undefined || etag === null) {
    throw new ApiError(response.status, {
      detail: t('The control plane answered without an ETag.'),
    })
  }
  return { body: data, etag }
}
