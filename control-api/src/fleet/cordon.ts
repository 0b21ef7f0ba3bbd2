// SPDX-License-Identifier: MIT
// A cordoned node: rollouts pass it by, and it serves on what it has. Nodes and rollouts both show it.

/** As it is stored. */
export type Cordon = { by: string; reason: string; atMs: number }
type Columns = { cordon: string | null }

/** The code of a node's task that a rollout passed by. */
export const CORDONED = 'cordoned'

export const cordonOf = ({ cordon }: Columns): Cordon | null =>
  cordon === null ? null : JSON.parse(cordon)

export function viewCordon(row: Columns) {
  const cordon = cordonOf(row)
  return cordon && { by: cordon.by, at: new Date(cordon.atMs).toISOString(), reason: cordon.reason }
}
