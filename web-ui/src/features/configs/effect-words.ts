// SPDX-License-Identifier: MIT
import type { Effect } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'

/** "2 of 3 nodes would get a different config." */
export function changedWords({ nodes, changed }: Pick<Effect, 'nodes' | 'changed'>): string {
  if (nodes === 0) return 'No node runs this config, and no group gives it to one.'
  if (changed === 0) {
    return nodes === 1
      ? 'Nothing would change: its one node has all this already.'
      : `Nothing would change: all ${plural(nodes, 'node')} have all this already.`
  }
  if (nodes === 1) return 'Its one node would get a different config.'
  const who =
    changed === nodes ? `All ${plural(nodes, 'node')}` : `${changed} of ${plural(nodes, 'node')}`
  return `${who} would get a different config.`
}

/** What the nodes have now, most of them first: "v3 (12 nodes), v2 (1 node)". */
export function haveWords(config: string, { total, items }: Effect['versions']): string {
  const said = items.map(({ config: of, version, nodes }) => {
    const what = version === null ? 'nothing' : of === config ? `v${version}` : `${of} v${version}`
    return `${what} (${plural(nodes, 'node')})`
  })
  const left = total - items.length
  return [...said, ...(left > 0 ? [`${left} others`] : [])].join(', ')
}
