// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const NoClone = defineError(
  409,
  'no_clone',
  'No clone of this node',
  (name: string) =>
    `One process speaks for ${name}: there is nothing to decide. Read the node again.`,
)
export const UnknownIncarnation = defineError(
  409,
  'unknown_incarnation',
  'No such process',
  (incarnation: string) =>
    `No process ${incarnation} speaks for this node. Read the node again: its clone.incarnations are those that do.`,
)
export const NoDrift = defineError(
  409,
  'no_drift',
  'No local change',
  (name: string) =>
    `Nothing was changed on ${name}'s machine, or it was changed back. Read the node again.`,
)
export const DriftChanged = defineError(
  409,
  'drift_changed',
  'The local change is another by now',
  (digest: string) => `It now has the digest ${digest}. Look at it, then decide.`,
)
export const NothingAssigned = defineError(
  409,
  'nothing_assigned',
  'The node was given no version yet',
  (name: string) =>
    `${name} was never given a version, so there is no config its change could be a version of.`,
)
export const NothingToRender = defineError(
  409,
  'nothing_assigned',
  'There is no version for the node yet',
  (name: string) =>
    `${name} was never given a version, and none was released for its group. Name one with config and version.`,
)
export const VersionIncomplete = defineError(
  400,
  'invalid_request',
  'A version is a config and a number',
  () => 'Give both config and version, or neither for the version the node should run.',
)
export const NodeDidNotAnswer = defineError(
  504,
  'node_did_not_answer',
  'The node did not answer',
  (name: string, why: string) => `${name} ${why}. It may go on serving; its machine has its log.`,
)
export const TooManyAsk = defineError(
  429,
  'too_many_requests',
  'Too many ask at once',
  (name: string, what: 'log' | 'answer') =>
    `Others wait for ${name}'s ${what} already. Try again in ten seconds.`,
)
export const CursorAndOffset = defineError(
  400,
  'cursor_and_offset',
  'A cursor and an offset',
  () =>
    'Each says where the page begins. Leave "offset" out to go on after a page, or "cursor" to begin at a place of your own.',
)
export const TooManyToMeasure = defineError(
  400,
  'too_many_to_measure',
  'Too many nodes to sort by what was measured',
  (sort: string, nodes: number, most: number) =>
    `To sort by "${sort}" takes a look at the measurements of every node of the list, and these are ${nodes}: at most ${most} are sorted so. Narrow the list with a filter (group, state, selector, q, …), or sort it by name, group, state or seen.`,
)
export const NoSuchGroup = defineError(
  422,
  'no_such_group',
  'No such group',
  (name: string) => `There is no group "${name}" to move nodes to. GET /api/v1/groups lists them.`,
)
