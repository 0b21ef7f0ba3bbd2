// SPDX-License-Identifier: MIT
// Who reads a reason, and how nodes and rollouts are named to them: those outside their scope have no name and
// no number. Pure.
import { countNodes, type Nodes } from '../shapes/reason.ts'

export type Audience = {
  /** All nodes of the rollout are theirs to see. */
  isWhole: boolean
  sees: (nodeId: string) => boolean
  seesRollout: (rolloutId: string) => boolean
}
export const EVERYBODY: Audience = { isWhole: true, sees: () => true, seesRollout: () => true }

export type Named = {
  names: string
  /** The same at the beginning of a sentence. */
  begin: string
  isMany: boolean
  isEmpty: boolean
}

export function named(nodes: Nodes, audience: Audience): Named {
  const { names, ...how } = listed(nodes, audience)
  return { names, begin: audience.isWhole ? names : capital(names), ...how }
}

function listed(all: Nodes, { isWhole, sees }: Audience): Omit<Named, 'begin'> {
  const { nodes } = all
  const total = countNodes(all)
  if (isWhole) {
    const names = some(
      nodes.map(({ name }) => name),
      total,
    )
    return { names, isMany: total > 1, isEmpty: total === 0 }
  }
  const own = nodes.filter(({ id }) => sees(id)).map(({ name }) => name)
  const others = othersThan(own.length, all)
  if (others === null) {
    return { names: some(own), isMany: own.length > 1, isEmpty: own.length === 0 }
  }
  const and = own.length > SHOWN ? ', and ' : ' and '
  const names = own.length > 0 ? `${some(own)}${and}${others}` : others
  return { names, isMany: true, isEmpty: false }
}

/** Of those that were only counted nobody knows whose they are. */
function othersThan(own: number, { nodes, moreNodes }: Nodes): string | null {
  if (moreNodes > 0) return own > 0 ? 'others' : 'other nodes'
  return own < nodes.length ? 'nodes outside your scope' : null
}

/** What stands for a name, and what sentences begin with that follow a wave, else. */
const OURS = /^(another|a node|nodes outside|other nodes|its nodes|nobody|waiting for) /

/** A name stays as it is at the beginning of a sentence. */
export const capital = (text: string): string =>
  OURS.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text

const SHOWN = 3

function some(all: readonly string[], total = all.length): string {
  const shown = all.slice(0, SHOWN).join(', ')
  const more = total - SHOWN
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** One that has no node of theirs is only another, and so are several. */
const ANOTHER = 'another rollout'

export const rolloutName = (id: string, { seesRollout }: Audience): string =>
  seesRollout(id) ? id : ANOTHER
export const rolloutNames = (ids: readonly string[], audience: Audience): string[] => [
  ...new Set(ids.map((id) => rolloutName(id, audience))),
]

export const someRollouts = (ids: readonly string[], audience: Audience): string =>
  some(rolloutNames(ids, audience))

const ID = /rollout_[0-9a-hjkmnp-tv-z]{26}/g
export const rolloutsIn = (text: string): string[] => text.match(ID) ?? []
const NODE_ID = /node_[0-9a-hjkmnp-tv-z]{26}/g
export const nodesIn = (text: string): string[] => text.match(NODE_ID) ?? []

/** For what people wrote, and for sentences of before. */
export const naming = (text: string, audience: Audience): string =>
  text.replaceAll(ID, (id) => rolloutName(id, audience))
