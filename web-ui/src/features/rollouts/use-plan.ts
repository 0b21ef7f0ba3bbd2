// SPDX-License-Identifier: MIT
import { useDebouncedValue } from '@mantine/hooks'
import {
  keepPreviousData,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useState } from 'react'
import { isApiError } from '../../lib/api-error.ts'
import type { RolloutPlan, Strategy } from '../../lib/api-types.ts'
import { barePlanQuery, type Order, planQuery, type Release } from './api.ts'
import { type Choice, type FieldErrors, readChoice, refusedFields } from './strategy.ts'

/** Long enough for a number, short enough to be read before the button is reached. */
const ASK_AFTER_MS = 400

export type KnownPlan = {
  query: UseQueryResult<RolloutPlan>
  /** What the plan is of; null: what is typed can't be asked for. */
  order: Order | null
  /** What is shown is of what is typed. */
  isOfTyped: boolean
  errors: FieldErrors
  /** Of the waves alone: what holds where nothing else is said. */
  bare: RolloutPlan | undefined
}

/** The plan of what is being typed. */
export function usePlan(release: Release, choice: Choice): KnownPlan {
  const reading = readChoice(choice)
  const typed = reading.ok ? JSON.stringify(orderOf(release, reading.strategy)) : null
  const [asked] = useDebouncedValue(typed, ASK_AFTER_MS)
  const order: Order | null = asked === null ? null : JSON.parse(asked)
  const query = useQuery({
    ...planQuery(order ?? release),
    enabled: order !== null,
    placeholderData: keepPreviousData,
  })
  // While something that is typed can't be asked for, what holds elsewhere is as it was.
  const [known, setKnown] = useState(asked)
  if (asked !== null && asked !== known) setKnown(asked)
  const strategy: Strategy = known === null ? {} : JSON.parse(known).strategy
  const { waves } = strategy
  const isBare = waves !== undefined && Object.keys(strategy).length === 1
  // Behind the plan itself, which has had the same texts checked: both at once would be two plans under way, and take both of
  // one's turns. Not behind one that was stopped.
  const isPlanned = query.isSuccess && !query.isFetching
  const bareOrder = orderOf(release, waves ? { waves } : {})
  const client = useQueryClient()
  const bare = useQuery({
    ...barePlanQuery(bareOrder),
    enabled: waves !== undefined && !isBare && isPlanned,
    // Of before anything else was said.
    placeholderData: (before) => client.getQueryData(planQuery(bareOrder).queryKey) ?? before,
  })
  const refused = isApiError(query.error) ? refusedFields(query.error.errors) : {}
  return {
    query,
    order,
    isOfTyped: asked === typed && !query.isPlaceholderData,
    errors: reading.ok ? refused : reading.errors,
    bare: isBare ? query.data : waves && bare.data,
  }
}

const orderOf = (release: Release, strategy: Strategy): Order => ({ ...release, strategy })
