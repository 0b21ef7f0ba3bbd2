// SPDX-License-Identifier: MIT
// Nodes that are each looked at over a time: who they are, and how fine their rows may be.
import type { Scope } from '../../access/scope.ts'
import { EmptyRange, rangeOf } from '../../metrics-store/asked-range.ts'
import { MAX_POINTS, type Plan } from '../../metrics-store/rings.ts'
import type { AskedSet } from '../../metrics-store/sets.ts'
import { type Member, resolveNodes, SET_ERRORS } from './asked-sets.ts'
import { planWithin, TooMuchToRead } from './budget.ts'

type Deps = { now: () => number; members: () => Promise<readonly Readonly<Member>[]> }
type Asked = { of: string; from?: string; to?: string }
type AskedNodes = {
  title: string
  set: AskedSet
  nameOf: (nodeId: string) => string
  plan: Plan
}

/** What askNodes() may refuse with. */
export const ASK_ERRORS = [...SET_ERRORS, TooMuchToRead, EmptyRange]

export const createAskNodes =
  ({ now, members }: Deps) =>
  async ({ of, ...range }: Asked, scope: Scope): Promise<AskedNodes> => {
    const known = await members()
    const { title, nodes: set } = resolveNodes(of, known, scope)
    const names = new Map(known.map(({ id, name }) => [id, name]))
    const asked = { range: rangeOf(range, now()), stepSeconds: null, maxPoints: MAX_POINTS }
    const plan = planWithin(asked, set.length, now() / 1000)
    return { title, set, nameOf: (nodeId) => names.get(nodeId) ?? '', plan }
  }
