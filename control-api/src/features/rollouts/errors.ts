// SPDX-License-Identifier: MIT
import { defineError } from '../../errors.ts'

export const RolloutNotFound = defineError(
  404,
  'rollout_not_found',
  'No such rollout',
  (id: string) => `There is no rollout ${id}. GET /api/v1/rollouts lists them.`,
)
export const VersionNotFound = defineError(
  404,
  'version_not_found',
  'No such version',
  (config: string, version: number) =>
    `There is no version ${version} of "${config}". GET /api/v1/configs/${config}/versions lists them.`,
)
export const RolloutActive = defineError(
  409,
  'rollout_active',
  'Another rollout is under way',
  (id: string, what: string, state: string) =>
    `${id} (${what}) is ${state} and owns these nodes. Wait until it has ended, or freeze it: POST /api/v1/rollouts/${id}/actions/freeze, or order with "onOverlap": "supersede".`,
)
export const FleetChanged = defineError(
  409,
  'fleet_changed',
  'The nodes changed meanwhile',
  () =>
    'Nodes or their overrides changed while the rollout was planned. Nothing was started. Try again.',
)
export const StaleState = defineError(
  409,
  'stale_state',
  'The rollout has moved on',
  (state: string, stateVersion: number) =>
    `The rollout is ${state} now (stateVersion ${stateVersion}). Look at it again, then decide.`,
)
export const RolloutEnded = defineError(
  409,
  'rollout_ended',
  'The rollout has ended',
  (state: string) =>
    `The rollout has ended as ${state}, which is for ever. Start a new one instead.`,
)
export const RolloutInvalid = defineError(
  422,
  'rollout_invalid',
  'A node would refuse this version',
  (nodes: string) =>
    `The version has errors on ${nodes}; nothing was started. Each entry of "errors" says where and what.`,
)
export const NotNow = defineError(
  409,
  'action_not_possible',
  'That means nothing now',
  (action: string, why: string) => `${action}: ${why} Look at the rollout's "reason".`,
)
export const PlanChanged = defineError(
  409,
  'plan_changed',
  'The plan is another one by now',
  (planned: string, now: string) =>
    `The order was for the plan ${planned}, it would be ${now} now. Nothing was started. Look at the plan again: POST /api/v1/rollouts?dry_run=1.`,
)
