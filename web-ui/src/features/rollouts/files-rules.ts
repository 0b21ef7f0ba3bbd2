// SPDX-License-Identifier: MIT
import type { Rollout } from '../../lib/api-types.ts'

type FilesFirst = NonNullable<Rollout['filesFirst']>

/** Those that can have files ahead of their turn. */
export const filesTotal = ({ heldNodes, waitingNodes, refusedNodes }: FilesFirst): number =>
  heldNodes + waitingNodes + refusedNodes
