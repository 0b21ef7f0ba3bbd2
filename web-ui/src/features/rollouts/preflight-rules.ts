// SPDX-License-Identifier: MIT
// What nodes said of a version before it is ordered, put together.
import { t } from '../../languages/t.ts'
import type { Preflight } from '../../lib/api-types.ts'
import { namesOf } from '../../lib/format.ts'

type Node = Preflight['nodes'][number]
export type PathChange = { path: string; running: number; offered: number; nodes: string[] }

/** Paths that would be answered with another status; the same change on several nodes is one. */
export function pathChanges({ samplePaths, nodes }: Preflight): PathChange[] {
  const found = new Map<string, PathChange>()
  for (const { nodeName, paths } of nodes) {
    for (const [i, { running, offered }] of paths.entries()) {
      const sample = samplePaths[i]
      if (!sample || running === null || offered === null || running === offered) continue
      const path = `${sample.host ?? ''}${sample.path}`
      const key = `${path} ${running} ${offered}`
      const known = found.get(key)
      if (known) known.nodes.push(nodeName)
      else found.set(key, { path, running, offered, nodes: [nodeName] })
    }
  }
  return [...found.values()].toSorted((a, b) => b.offered - a.offered)
}

export const isWorse = ({ running, offered }: PathChange) => offered >= 400 && running < 400

export type Refusal = Pick<Node, 'code' | 'message' | 'errors'> & { nodes: string[] }

/** What several nodes say in the same words is said once. */
export function refusals({ nodes }: Preflight): Refusal[] {
  const refusing = nodes.filter(({ state }) => state === 'refuses')
  const alike = Map.groupBy(refusing, ({ code, errors, message }) =>
    JSON.stringify([code, errors.length > 0 ? errors : message]),
  )
  return [...alike.values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, nodes: same.map(({ nodeName }) => nodeName) }] : []
  })
}

/** Of whom nothing is known, and why; null: all have answered. */
export function whoIsMissing(preflight: Preflight): string | null {
  const { nodes, notConnected, tooOld, notAsked } = preflight
  const silent = nodes.filter(({ state }) => state === 'no_answer' || state === 'busy')
  const parts = [
    ...(silent.length > 0
      ? [
          t('{silent} did not answer in time', {
            silent: namesOf(silent.map(({ nodeName }) => nodeName)),
          }),
        ]
      : []),
    ...(notConnected > 0
      ? [t('{notConnected, plural, one {# node} other {# nodes}} not connected', { notConnected })]
      : []),
    ...(tooOld > 0
      ? [t('{tooOld, plural, one {# node} other {# nodes}} too old to be asked', { tooOld })]
      : []),
    ...(notAsked > 0
      ? [
          t(
            '{notAsked, plural, one {# more node} other {# more nodes}} not asked: others of their kind were, or they get the files of a release first',
            { notAsked },
          ),
        ]
      : []),
  ]
  return parts.length > 0 ? `${parts.join('; ')}.` : null
}
