// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'

export const RoleSchema = Type.Enum([
  'viewer',
  'editor',
  'operator',
  'approver',
  'admin',
  'auditor',
])
export type Role = Static<typeof RoleSchema>
