// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import type { Effect } from '../../lib/api-types.ts'

/** "2 of 3 nodes would get a different config." */
export function changedWords({ nodes, changed }: Pick<Effect, 'nodes' | 'changed'>): string {
  if (nodes === 0) return t('No node runs this config, and no group gives it to one.')
  if (changed === 0) {
    return nodes === 1
      ? t('Nothing would change: its one node has all this already.')
      : t(
          'Nothing would change: all {nodes, plural, one {# node} other {# nodes}} have all this already.',
          { nodes },
        )
  }
  if (nodes === 1) return t('Its one node would get a different config.')
  const who =
    changed === nodes
      ? t('All {nodes, plural, one {# node} other {# nodes}}', { nodes })
      : t('{changed} of {nodes, plural, one {# node} other {# nodes}}', { changed, nodes })
  return t('{who} would get a different config.', { who })
}

/** What the nodes have now, most of them first: "v3 (12 nodes), v2 (1 node)". */
export function haveWords(config: string, { total, items }: Effect['versions']): string {
  const said = items.map(({ config: of, version, nodes }) => {
    const what =
      version === null ? t('nothing') : of === config ? `v${version}` : `${of} v${version}`
    return t('{what} ({nodes, plural, one {# node} other {# nodes}})', { what, nodes })
  })
  const left = total - items.length
  return [...said, ...(left > 0 ? [t('{left} others', { left })] : [])].join(', ')
}
