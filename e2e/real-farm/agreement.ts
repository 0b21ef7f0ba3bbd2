// SPDX-License-Identifier: MIT
// Whether a node, its disk and the control plane say the same.
import type { Api, Node } from '../client/api.ts'
import { labelIn, type RealNode } from './node.ts'

/** The control plane's view, the node's disk and what it serves are the same; else why not. */
async function disagreement(
  api: Pick<Api, 'effectiveText'>,
  node: RealNode,
  view: Node | undefined,
): Promise<string | null> {
  if (!view) return 'the control plane does not know the node'
  const { connected, sync } = view
  if (!connected) return `it is not connected (${sync.state}: ${sync.reason})`
  if (sync.state === 'applying' || sync.state === 'unknown' || sync.state === 'waiting') {
    return `${sync.state}: ${sync.reason}`
  }
  const confirmed = node.confirmed()
  const { label, trouble } = await node.see()
  const told = sync.effective?.digest ?? 'nothing'
  if (confirmed?.digest !== told) {
    return `the control plane believes ${told}, the node keeps ${confirmed?.digest ?? 'nothing'} (${sync.state})`
  }
  if (label !== confirmed?.label) {
    return `it keeps ${confirmed?.label}, and serves ${label ?? trouble}`
  }
  const text = await api.effectiveText(view.id)
  if (text !== null && labelIn(text) !== label) {
    return `the control plane shows the text of ${labelIn(text)}, the node serves ${label}`
  }
  return null
}

/** Looks at each once: who agrees leaves `open`, and `onAgreed` is told at once; of the others it says why they do not. */
export async function dropAgreed(
  api: Pick<Api, 'effectiveText' | 'nodes'>,
  open: Map<RealNode, string>,
  onAgreed: (node: RealNode) => void = () => {},
): Promise<void> {
  const views = await api.nodes().catch(() => [])
  for (const node of [...open.keys()]) {
    const view = views.find(({ name }) => name === (node.copyOf ?? node.name))
    const trouble = await disagreement(api, node, view).catch(String)
    if (trouble !== null) open.set(node, trouble)
    else {
      open.delete(node)
      onAgreed(node)
    }
  }
}

export const whyApart = (open: ReadonlyMap<RealNode, string>): string =>
  [...open].map(([{ name }, trouble]) => `${name}: ${trouble}`).join('; ')
