// SPDX-License-Identifier: MIT
import { defineError } from '../../../api-shapes/errors.ts'

export const RolloutNotFound = defineError(
  404,
  'rollout_not_found',
  'No such rollout',
  (id: string) => `There is no rollout ${id}. GET /api/v1/rollouts lists them.`,
)
export const RolloutActive = defineError(
  409,
  'rollout_active',
  'Another rollout is under way',
  (id: string, what: string, state: string) =>
    `${id} (${what}) is ${state} and owns these nodes, or waits for them. Order with "onOverlap": "queue" to wait your turn, with "supersede" to take its place; or end it: POST /api/v1/rollouts/${id}/actions/freeze, or cancel before it has begun.`,
)
export const NoSuchReleaseVersion = defineError(
  422,
  'no_such_release_version',
  'No such version of a release',
  (name: string, number: number) =>
    `The order names version ${number} of the release "${name}", which is not there. GET /api/v1/releases/${name}/versions lists those that are.`,
)
export const ReleaseNotNamed = defineError(
  422,
  'release_not_named',
  'No site has that release',
  (name: string) =>
    `The order names a version of the release "${name}", but the config names it on none of the nodes of this rollout. Leave it out, or give a site "release": "${name}" first.`,
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
export const TooManyTexts = defineError(
  422,
  'too_many_texts',
  'Too many different texts to check',
  (beyond: string) =>
    `Variables and overrides make ${beyond} of this version, and each is checked by farmstead-node before the order. Nothing was started. Order it for a part of the farm at a time, with "selector", or let nodes share what they can.`,
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
    `The order was for the plan ${planned}, it would be ${now} now. Nothing was started. Look at the plan again: POST /api/v1/rollouts?dryRun=1.`,
)
export const PlanGone = defineError(
  404,
  'plan_gone',
  'The plan is not known any more',
  (planDigest: string) =>
    `Nobody remembers the plan ${planDigest} for you: others were made since, or the control plane has started anew. Make it again: POST /api/v1/rollouts?dryRun=1.`,
)
export const PlanStopped = defineError(
  409,
  'plan_stopped',
  'Making the plan was stopped',
  (config: string, version: number) =>
    `You stopped it before all texts that ${config} version ${version} makes were checked. Nothing was started. Ask again when you like: what was checked already is remembered.`,
)
export const PlanNotUnderWay = defineError(
  404,
  'plan_not_under_way',
  'No such plan is being made',
  (id: string) =>
    `You have no plan ${id} being made: it is ready by now, or was stopped. GET /api/v1/rollouts/plans-under-way lists those that are.`,
)
export const QueueFull = defineError(
  409,
  'queue_full',
  'Too many rollouts wait',
  (most: number) =>
    `${most} rollouts wait to begin, which is as many as may. Cancel one, POST /api/v1/rollouts/{id}/actions/cancel, or wait until one has begun.`,
)
export const OwnRollout = defineError(
  403,
  'own_rollout',
  'Nobody approves their own rollout',
  () => 'You ordered it, with a session or a token of yours. Ask somebody else to approve it.',
)
export const ApprovalVoid = defineError(
  409,
  'approval_void',
  'That approval is for another plan',
  (given: string, plan: string) =>
    `You approved the plan ${given}; this rollout's is ${plan}. Look at the rollout again, then send its planDigest.`,
)
export const AlreadyApproved = defineError(
  409,
  'already_approved',
  'You have approved it already',
  () => 'Each approval comes from somebody else. Ask another person.',
)
export const StartTooFar = defineError(
  422,
  'start_too_far',
  'That is too far ahead',
  (days: number) => `startAt lies more than ${days} days ahead. Order it when its time is nearer.`,
)
export const StartPast = defineError(
  422,
  'start_past',
  'That time is over',
  (startAt: string, now: string) =>
    `startAt is ${startAt}, and it is ${now}. Nothing was started. Leave startAt out to begin now; mind its time zone.`,
)
export const NoNodes = defineError(
  422,
  'no_nodes',
  'No node is of it',
  (selector: string, excluded: number) =>
    `${selector === '' ? 'No node' : `No node of the selector "${selector}"`} is given this config (${excluded} are left out; the dry run says why), so nothing would prove it. Nothing was started. With "allowEmpty": true it is taken, ends at once as cancelled, and releases nothing.`,
)
export const EmergencyStartsNow = defineError(
  422,
  'emergency_starts_now',
  'An emergency does not wait',
  () =>
    'With "emergency" a rollout begins at once and takes the place of others: leave "startAt" and "onOverlap" out.',
)
export const NoSuchNodes = defineError(
  422,
  'no_such_nodes',
  'The order names nodes that are not there',
  (ids: readonly string[]) =>
    `There is no ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}, or no more. GET /api/v1/nodes lists them.`,
)
export const GatesUnclear = defineError(
  422,
  'gates_unclear',
  'What a gate compares is not clear',
  (why: string) => why,
)
export const AtOnceAlone = defineError(
  422,
  'at_once_alone',
  'All at once leaves nothing else to say',
  (said: readonly string[]) =>
    `With "atOnce" there are no waves and gates: leave out ${said.join(', ')}, or "atOnce".`,
)
