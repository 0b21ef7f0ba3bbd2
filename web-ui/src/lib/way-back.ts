// SPDX-License-Identifier: MIT
// From which rollout a way leads back to the version before it. Pure.
import type { RolloutSummary } from './api-types.ts'

type Of = Pick<RolloutSummary, 'version' | 'previousVersion' | 'state' | 'namesNodes'>

/**
 * The version before; null: there is none, or the rollout is not over: then its own page takes it back. One that named its
 * nodes left the others on what they had, and so does its page.
 */
export function versionBefore({ version, previousVersion, state, namesNodes }: Of): number | null {
  const isOver = state === 'succeeded' || state === 'frozen'
  if (!isOver || namesNodes || previousVersion === version) return null
  return previousVersion
}
