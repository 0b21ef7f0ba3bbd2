// SPDX-License-Identifier: MIT
// States and choices that are stored as they are shown.
import { type Static, Type } from 'typebox'

/** The whole set of states, so that clients need not change when gates and approvals arrive. */
export const RolloutStateSchema = Type.Enum([
  'draft',
  'validating',
  'planned',
  'awaiting_approval',
  'scheduled',
  'queued',
  'running',
  'paused',
  'aborting',
  'reverting',
  'succeeded',
  'frozen',
  'reverted',
  'revert_incomplete',
  'rejected',
  'cancelled',
  'expired',
  'superseded',
])
export type RolloutState = Static<typeof RolloutStateSchema>

export const TaskStateSchema = Type.Enum([
  'pending',
  'offered',
  'acked',
  'nacked',
  'applying',
  'applied',
  'confirmed',
  'healthy',
  'done',
  'unhealthy',
  'unreachable',
  'skipped',
  'apply_reverted',
  'apply_stuck',
  'reverting',
  'reverted',
  'revert_failed',
])
export type TaskState = Static<typeof TaskStateSchema>

/** How tasks are counted: by their states, but for two that mean something else than the state alone says. */
export const STANDING =
  'The state of its task; `gate_failed`: healthy, in a wave that fails a gate; `cordoned`: skipped, for it was cordoned when its turn came'
export const TaskStandingSchema = Type.Enum([...TaskStateSchema.enum, 'gate_failed', 'cordoned'], {
  description: STANDING,
})
export type TaskStanding = Static<typeof TaskStandingSchema>

export const OnOverlapSchema = Type.Enum(['queue', 'refuse', 'supersede'], {
  description:
    'When other rollouts own some of the nodes, or wait for them: queue waits its turn behind them, supersede freezes those under way and ends those that wait. Default: queue',
})
export type OnOverlap = Static<typeof OnOverlapSchema>

export const BackupStateSchema = Type.Enum(['running', 'done', 'failed'])
export type BackupState = Static<typeof BackupStateSchema>
export const BackupTriggerSchema = Type.Enum(['manual', 'schedule'])
export type BackupTrigger = Static<typeof BackupTriggerSchema>

/** good: long enough. expiring: less than a third of its life, and less than 30 days, are left. */
export const CertificateStateSchema = Type.Enum(['good', 'expiring', 'expired'])
