// SPDX-License-Identifier: MIT
// What the address of the list holds: which rollouts are listed.
import type { RolloutState } from '../../lib/api-types.ts'
import { rolloutStates } from './rules.ts'

export type RolloutsSearch = {
  state?: RolloutState | undefined
  config?: string | undefined
  author?: string | undefined
}

export function parseRolloutsSearch(search: Record<string, unknown>): RolloutsSearch {
  const parsed: RolloutsSearch = {}
  const state = rolloutStates.find((known) => known === search.state)
  if (state !== undefined) parsed.state = state
  // A word of digits arrives as a number.
  for (const name of ['config', 'author'] as const) {
    const word = String(search[name] ?? '').slice(0, 64)
    if (word !== '') parsed[name] = word
  }
  return parsed
}
