// SPDX-License-Identifier: MIT
// What a node would answer to URLs, with what it has and with another text: the editor asks it, and a node's page.

import { queryOptions } from '@tanstack/react-query'
import { t } from '../languages/t.ts'
import { api, bodyOf } from './api-client.ts'

/** Of one question; more are left out. */
export const MOST_URLS = 50
/** Rollouts go on meanwhile: what was true of a node is asked anew after a while. */
const HOLDS_MS = 30_000

type Asked = { nodeId: string; urls: readonly string[]; text?: string }

export const explainQuery = ({ nodeId, urls, text }: Asked) =>
  queryOptions({
    queryKey: ['explain', nodeId, urls, text ?? null],
    queryFn: ({ signal }) =>
      bodyOf(
        api.POST('/api/v1/nodes/{id}/explain', {
          params: { path: { id: nodeId } },
          body: { urls: urls.slice(0, MOST_URLS), ...(text !== undefined && { text }) },
          signal,
        }),
      ),
    staleTime: HOLDS_MS,
    gcTime: 60_000,
  })

const URL_FORM = /^https?:\/\/[!-~]+$/
const LONGEST = 2048

/** What is wrong with a URL before anybody is asked; null: nothing. */
export function wrongUrl(url: string): string | null {
  if (url === '') return t('Give a URL first.')
  if (!/^https?:\/\//.test(url)) return t('A URL begins with http:// or https://.')
  if (url.length > LONGEST)
    return t('A URL has at most {longest} characters.', { longest: LONGEST })
  return URL_FORM.test(url)
    ? null
    : t('Spaces and letters beyond ASCII are percent-encoded in a URL.')
}
