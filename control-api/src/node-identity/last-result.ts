// SPDX-License-Identifier: MIT
// What became of the last offer to a node, kept with the node.
import type { ConfigError } from '../api-shapes/common.ts'

export type LastResult = {
  atMs: number
  generation: number
  outcome: 'applied' | 'reverted' | 'stuck' | 'refused'
  code: string | null
  message: string
  errors: ConfigError[]
  rolloutId: string | null
}
