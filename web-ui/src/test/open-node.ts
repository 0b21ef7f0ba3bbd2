// SPDX-License-Identifier: MIT
// The page of a node, with what it asks for of each.
import type { NodeDetail } from '../lib/api-types.ts'
import { type FakeApi, type Handlers, json } from './fake-api.ts'
import { renderApp } from './render-app.tsx'
import { node } from './samples.ts'

const { id } = node()
const noText = { text: null, generation: null, digest: null, releases: [], desiredText: null }

export function openNode(change: Partial<NodeDetail> = {}, handlers: Handlers = {}): FakeApi {
  return renderApp(`/nodes/${id}`, {
    [`GET /nodes/${id}`]: () => json(node(change)),
    [`GET /nodes/${id}/effective-config`]: () => json(noText),
    [`GET /nodes/${id}/override`]: () => json({ mergePatch: {} }, { etag: '"1"' }),
    ...handlers,
  })
}
