// SPDX-License-Identifier: MIT
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isApiError } from '../lib/api-error.ts'

const MAX_RETRIES = 2

/** Reads only: no answer and 5xx may pass, everything else will be the same the next time. */
export function shouldRetry(failures: number, error: Error): boolean {
  if (failures >= MAX_RETRIES || !isApiError(error)) return false
  return error.status === 0 || error.status >= 500
}

/** Not a password or a code that was wrong: those are 401, too, and the form says so. */
const LOST = new Set(['not_signed_in', 'password_change_required'])
const isSessionLost = (error: Error) => isApiError(error) && LOST.has(error.code)

export function createQueryClient(onSessionLost: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSessionLost(error)) onSessionLost()
  }
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The router asks for the session itself and acts on the answer.
        if (query.queryKey[0] !== 'session') onError(error)
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (mutation.options.mutationKey?.[0] !== 'session') onError(error)
      },
    }),
    defaultOptions: {
      queries: {
        // Events and polling say when something is old.
        staleTime: 30_000,
        retry: shouldRetry,
        retryDelay: (failures) => 1000 * 2 ** failures,
        // A farm's control plane is often on this machine: the browser's idea of "offline" says nothing.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}
