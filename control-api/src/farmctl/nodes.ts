// SPDX-License-Identifier: MIT
// Nodes are named by people and numbered by the API: commands take either.
import { parseSelector, type Selector } from '../labels/selector.ts'
import { type Api, bodyOf, pages } from './api.ts'
import type { Node, NodeDetail } from './api-types.ts'
import { Failure } from './failures.ts'

export const allNodes = (api: Api) =>
  pages((query) => bodyOf(api.GET('/api/v1/nodes', { params: { query } })))

export async function findNode(api: Api, nameOrId: string): Promise<Node> {
  if (nameOrId.startsWith('node_')) {
    return bodyOf(api.GET('/api/v1/nodes/{id}', { params: { path: { id: nameOrId } } }))
  }
  const [node] = NAME.test(nameOrId) ? await named(api, nameOrId) : []
  if (node) return node
  throw new Failure(`There is no node "${nameOrId}". See: farmctl get nodes`)
}

/** What else is typed is nobody's name, and the control plane would say that it does not fit. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/

const named = async (api: Api, name: string): Promise<Node[]> => {
  const params = { query: { name, limit: 1 } }
  return (await bodyOf(api.GET('/api/v1/nodes', { params }))).items
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

/** The control plane chooses; an error of the selector is shown with its place. */
export function selectNodes(api: Api, selector: string, limit?: number): AsyncGenerator<Node> {
  readSelector(selector)
  return pages((page) => {
    const query = { ...page, ...(selector !== '' && { selector }) }
    return bodyOf(api.GET('/api/v1/nodes', { params: { query } }))
  }, limit)
}
