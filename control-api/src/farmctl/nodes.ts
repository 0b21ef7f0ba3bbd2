// SPDX-License-Identifier: MIT
// Nodes are named by people and numbered by the API: commands take either.
import { matches, parseSelector, type Selector } from '../labels/selector.ts'
import { type Api, bodyOf, pages } from './api.ts'
import type { Node, NodeDetail } from './api-types.ts'
import { Failure } from './failures.ts'

export const allNodes = (api: Api) =>
  pages((query) => bodyOf(api.GET('/api/v1/nodes', { params: { query } })))

export async function findNode(api: Api, nameOrId: string): Promise<Node> {
  if (nameOrId.startsWith('node_')) {
    return bodyOf(api.GET('/api/v1/nodes/{id}', { params: { path: { id: nameOrId } } }))
  }
  for await (const node of allNodes(api)) if (node.name === nameOrId) return node
  throw new Failure(`There is no node "${nameOrId}". See: farmctl get nodes`)
}

/** With what only one node by itself is shown with. */
export async function describeNode(api: Api, nameOrId: string): Promise<NodeDetail> {
  const { id } = await findNode(api, nameOrId)
  return bodyOf(api.GET('/api/v1/nodes/{id}', { params: { path: { id } } }))
}

export function readSelector(text: string): Selector {
  const parsed = parseSelector(text)
  if (parsed.ok) return parsed.selector
  const { column, message } = parsed
  throw new Failure(
    `The selector is not understood at column ${column}: ${message}.\n  ${text}\n  ${'^'.padStart(column)}`,
  )
}

export async function* selectNodes(api: Api, selector: Selector): AsyncGenerator<Node> {
  for await (const node of allNodes(api)) if (matches(selector, node.labels)) yield node
}
