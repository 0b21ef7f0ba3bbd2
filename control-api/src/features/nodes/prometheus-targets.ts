// SPDX-License-Identifier: MIT
// The nodes as Prometheus looks for what to scrape (its HTTP service discovery). Ten thousand are several megabytes, so the
// text is made in parts, with others' turns between.
import { inSlices, nextTurn } from '../../base/slices.ts'
import type { IndexedNode } from './farm-index.ts'
import type { KnownListeners } from './known-listeners.ts'
import { scrapeTarget } from './urls.ts'

export type Asked = {
  /** What stands for a node that listens on every address. */
  host: 'hostname' | 'address'
  withLoopback: boolean
}
type TargetGroup = { targets: [string]; labels: Record<string, string> }

const AT_ONCE = 200
const META = '__meta_farmstead_'

export async function targetsText(
  nodes: readonly IndexedNode[],
  knownListeners: KnownListeners,
  asked: Asked,
): Promise<string> {
  const listenersOf = await knownListeners(nodes.flatMap(({ node }) => node.textId ?? []))
  const parts: string[] = []
  for (const some of inSlices(nodes, AT_ONCE)) {
    for (const one of some) {
      const { admin } = listenersOf(one.node.textId)
      const target = admin && scrapeTarget(admin, { ...asked, host: hostOf(one, asked) })
      if (target) parts.push(JSON.stringify(groupOf(one, target)))
    }
    if (nodes.length > AT_ONCE) await nextTurn()
  }
  return `[${parts.join(',\n')}]`
}

function hostOf({ node: { hostname, address } }: IndexedNode, { host }: Asked): string {
  return (host === 'address' && plainAddress(address)) || hostname
}

/** An IPv4 address as a socket for both kinds has it. */
const plainAddress = (address: string | null) => address?.replace(/^::ffff:(?=\d+\.)/, '') ?? null

function groupOf({ node, state }: IndexedNode, target: string): TargetGroup {
  const { id, name, group, hostname, address, running, labels } = node
  const facts = {
    node_id: id,
    node_name: name,
    group,
    hostname,
    address: plainAddress(address) ?? '',
    state,
    config: running?.config ?? '',
    version: running ? String(running.version) : '',
  }
  const own = Object.entries(labels).map(([key, value]) => [labelName(key), value])
  return {
    targets: [target],
    labels: {
      ...Object.fromEntries(Object.entries(facts).map(([key, value]) => [META + key, value])),
      ...Object.fromEntries(own),
    },
  }
}

/** As Prometheus' own discoveries do: its names have no dots and dashes. */
const labelName = (key: string) => `${META}label_${key.replaceAll(/[^a-z0-9_]/g, '_')}`
