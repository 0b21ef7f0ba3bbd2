// SPDX-License-Identifier: MIT
// Whose measurements are asked for, in words: "farm", "group:web", "version:site/7", "nodes:zone=eu,!canary", "node:ID" and
// "node:ID@GENERATION". Who may see a part of the farm asks about that part, whatever the words.
import type { Scope } from '../../access/scope.ts'
import { defineError, NodeNotFound, SelectorInvalid } from '../../api-shapes/errors.ts'
import { readSelector } from '../../api-shapes/selector.ts'
import { matches } from '../../labels/selector.ts'
import type { AskedSet } from '../../metrics-store/sets.ts'
import { FARM, groupSum, versionSum } from '../../metrics-store/subjects.ts'

export type ResolvedSet = {
  /** As it was asked for. */
  of: string
  title: string
  /** Of which it is made now. */
  nodes: number
  set: AskedSet
}
export type Member = {
  id: string
  name: string
  group: string
  labels: Readonly<Record<string, string>>
  running: { config: string; version: number; generation: number } | null
}

const MAX_SETS = 10
const NODE = /^(node_[0-9a-z]{26})(?:@(\d{1,15}))?$/
const VERSION = /^(.{1,63})\/(\d{1,9})$/

export const UnknownSet = defineError(
  400,
  'unknown_set',
  'Nobody knows whose measurements that are',
  (asked: string, why: string) =>
    `of=${JSON.stringify(asked)}: ${why}. Say "farm", "group:NAME", "version:CONFIG/NUMBER", "nodes:SELECTOR", "node:ID" or "node:ID@GENERATION", several with ";" between them.`,
)
const TooManySets = defineError(
  400,
  'too_many_sets',
  'Too many sets for one question',
  (count: number) => `${count} are asked for in "of", at most ${MAX_SETS} at once.`,
)
const OneSet = defineError(
  400,
  'one_set',
  'That is about one set',
  (asked: string) => `"${asked}" names several; name one.`,
)
export const SET_ERRORS = [UnknownSet, TooManySets, OneSet, SelectorInvalid, NodeNotFound]

export function resolveOne(
  asked: string,
  members: readonly Readonly<Member>[],
  scope: Scope,
): ResolvedSet {
  const [first, ...others] = resolveSets(asked, members, scope)
  if (!first || others.length > 0) throw new OneSet(asked)
  return first
}

export function resolveSets(
  asked: string,
  members: readonly Readonly<Member>[],
  scope: Scope,
): ResolvedSet[] {
  const words = split(asked)
  if (words.length > MAX_SETS) throw new TooManySets(words.length)
  return words.map((of) => {
    const { title, nodes, sum } = choose(of, members, scope)
    // The sum that is kept is of the whole farm's.
    const isSummed = sum !== null && scope === null
    const set = isSummed ? [{ id: sum, generation: null }] : nodes
    return { of, title, nodes: nodes.length, set }
  })
}

/** The nodes of one set, as they are now. */
export function resolveNodes(asked: string, members: readonly Readonly<Member>[], scope: Scope) {
  const [of = '', ...others] = split(asked)
  if (others.length > 0) throw new OneSet(asked)
  const { title, nodes } = choose(of, members, scope)
  return { title, nodes }
}

/** At semicolons outside of quotes: labels' values may have them. */
function split(asked: string): string[] {
  const words = asked.match(/(?:"(?:[^"\\]|\\.)*"|[^;"]|")+/g) ?? []
  const known = words.map((word) => word.trim()).filter((word) => word !== '')
  if (known.length === 0) throw new UnknownSet(asked, 'it is empty')
  return known
}

type Chosen = {
  title: string
  nodes: AskedSet
  /** What is kept of them all; null: nothing. */
  sum: string | null
}

function choose(of: string, members: readonly Readonly<Member>[], scope: Scope): Chosen {
  const seen = scope ? members.filter(({ labels }) => matches(scope, labels)) : members
  if (of === 'farm') {
    const title = scope ? 'All nodes you see' : 'The whole farm'
    return { title, nodes: seen.map(whole), sum: FARM }
  }
  const [, kind = of, what = ''] = /^([a-z]+):(.*)$/s.exec(of) ?? []
  switch (kind) {
    case 'group': {
      const nodes = seen.filter(({ group }) => group === what).map(whole)
      return { title: `Group ${what}`, nodes, sum: groupSum(what) }
    }
    case 'version': {
      const [, config = '', number] = VERSION.exec(what) ?? []
      if (number === undefined) throw new UnknownSet(of, 'a version is CONFIG/NUMBER')
      return versionOf(config, Number(number), seen)
    }
    case 'nodes': {
      const selector = readSelector(what)
      const nodes = seen.filter(({ labels }) => matches(selector, labels)).map(whole)
      return { title: what === '' ? 'All nodes' : `Nodes with ${what}`, nodes, sum: null }
    }
    case 'node':
      return nodeOf(of, what, seen)
    default:
      throw new UnknownSet(of, 'it is none of these')
  }
}

const whole = ({ id }: { id: string }) => ({ id, generation: null })

/** Its nodes are those that run it now; what ran it before is in the sum alone. */
function versionOf(config: string, version: number, seen: readonly Readonly<Member>[]): Chosen {
  const nodes = seen.flatMap(({ id, running }) =>
    running?.config === config && running.version === version
      ? [{ id, generation: running.generation }]
      : [],
  )
  return { title: `${config} version ${version}`, nodes, sum: versionSum(config, version) }
}

function nodeOf(of: string, what: string, seen: readonly Readonly<Member>[]): Chosen {
  const [, id, number] = NODE.exec(what) ?? []
  if (id === undefined) throw new UnknownSet(of, 'that is no id of a node')
  const node = seen.find((one) => one.id === id)
  if (!node) throw new NodeNotFound(id)
  const generation = number === undefined ? null : Number(number)
  const title = generation === null ? node.name : `${node.name}, generation ${generation}`
  return { title, nodes: [{ id, generation }], sum: null }
}
