// SPDX-License-Identifier: MIT
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ApiError, toApiError } from '../lib/api-error.ts'
import type { Impact } from '../lib/api-types.ts'

/** Long enough for a word, short enough to be read before the button is reached. */
const ASK_AFTER_MS = 400

export type KnownImpact = {
  /** undefined: not known yet, or refused. */
  impact: Impact | undefined
  refused: ApiError | null
}

/** What a change that is being typed would do; `change` null: there is none to ask about. */
export function useImpact<Change>(
  change: Change | null,
  ask: (change: Change) => Promise<Impact>,
): KnownImpact {
  const typed = JSON.stringify(change)
  const [asked] = useDebouncedValue(typed, ASK_AFTER_MS)
  const isAsked = asked === typed && change !== null
  const answer = useQuery({
    queryKey: ['impact', asked],
    queryFn: () => ask(JSON.parse(asked)),
    enabled: isAsked,
    retry: false,
    gcTime: 0,
  })
  if (!isAsked) return { impact: undefined, refused: null }
  return { impact: answer.data, refused: answer.isError ? toApiError(answer.error) : null }
}
