// SPDX-License-Identifier: MIT
import { defineError } from '../api-shapes/errors.ts'

export const NodeCheckUnavailable = defineError(
  503,
  'node_check_unavailable',
  'The config could not be checked',
  (why: string) =>
    `Only farmstead-node itself decides whether a config is right, and it could not be asked: ${why}. Nothing was stored.`,
)
