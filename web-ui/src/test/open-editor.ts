// SPDX-License-Identifier: MIT
// A config's screen with its editor, in front of a control plane that takes what is typed.
import { EditorView } from '@codemirror/view'
import { act, screen } from '@testing-library/react'
import type { Draft, Effect } from '../lib/api-types.ts'
import { keptTextKey } from '../lib/kept-texts.ts'
import { type FakeApi, type Handlers, json } from './fake-api.ts'
import { renderApp } from './render-app.tsx'
import { config, session } from './samples.ts'

export { soon } from './soon.ts'

export const draft = (text: string, change: Partial<Draft> = {}): Draft => ({
  text,
  baseVersion: 2,
  updatedBy: 'ana',
  updatedAt: new Date().toISOString(),
  ...change,
})
export const fine = { ok: true, digest: null, errors: [] }
const none = { total: 0, items: [] }
/** Three nodes, two of which would change. */
export const effect = (change: Partial<Effect> = {}): Effect => ({
  nodes: 3,
  changed: 2,
  groups: { total: 1, items: [{ group: 'default', nodes: 3, changed: 2 }] },
  versions: { total: 1, items: [{ config: 'default', version: 2, nodes: 3 }] },
  refused: { nodes: 0, findings: none },
  unchecked: 0,
  ...change,
})
const schema = {
  type: 'object',
  properties: { workers: { type: 'integer', minimum: 1, maximum: 64 } },
  additionalProperties: false,
}

export function openEditor(handlers: Handlers = {}, search = ''): FakeApi {
  return renderApp(`/configs/default${search}`, {
    'GET /configs/default': () => json(config()),
    'GET /configs/default/draft': () => json(draft('{}\n'), { etag: '"1"' }),
    'GET /config-schema': () => json(schema),
    'POST /configs/validate': () => json(fine),
    'POST /configs/default/effect': () => json(effect()),
    'PUT /configs/default/draft': ({ body }) =>
      json(draft((body as { text: string }).text), { etag: '"2"' }),
    ...handlers,
  })
}

export async function editor(): Promise<EditorView> {
  const box = await screen.findByRole('textbox', { name: 'Draft of config default' })
  const view = EditorView.findFromDOM(box)
  if (view === null) throw new Error('the editor has no view')
  return view
}

/** As if the whole text were typed anew. */
export const write = (view: EditorView, insert: string) =>
  act(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }))
export const puts = (api: FakeApi) => api.requests.filter((request) => request.method === 'PUT')

export const KEPT = keptTextKey(session.user.id, 'default')
