// SPDX-License-Identifier: MIT
// Two people on one draft: ben has saved while ana typed.
import { screen } from '@testing-library/react'
import { type FakeApi, json } from './fake-api.ts'
import { draft, editor, openEditor, soon, write } from './open-editor.ts'

export const theirs = draft('{\n  "workers": 9\n}\n', { updatedBy: 'ben' })
const change = {
  pointer: '/workers',
  fromPointer: '/workers',
  kind: 'changed',
  from: 1,
  to: 9,
  help: '',
  default: null,
  effect: 'live',
  by: 'ben',
  at: theirs.updatedAt,
}
export const clean = { text: '{\n  "workers": 9,\n  "charset": "utf-8"\n}\n', conflicts: [] }
export const marked = {
  text: '{\n<<<<<<< your text\n  "workers": 2\n=======\n  "workers": 9\n>>>>>>> ben’s text\n}\n',
  conflicts: [{ startLine: 2, mine: [], base: [], current: [] }],
}
export const refused = (merged: object | null) =>
  json(
    {
      code: 'precondition_failed',
      detail: 'ben changed this draft.',
      current: theirs,
      etag: '"5"',
      base: merged && { text: '{}', etag: '"1"' },
      changes: merged && [change],
      moreChanges: 0,
      merged,
    },
    {},
    412,
  )

export async function conflict(merged: object | null = clean): Promise<FakeApi> {
  const api = openEditor({ 'PUT /configs/default/draft': () => refused(merged) })
  const view = await editor()
  write(view, '{ "workers": 2 }')
  await screen.findByText('ben changed the draft while you were typing', {}, soon)
  api.answer({ 'GET /configs/default/draft': () => json(theirs, { etag: '"5"' }) })
  return api
}
export const takesSaves = (api: FakeApi) =>
  api.answer({
    'PUT /configs/default/draft': ({ body }) =>
      json(draft((body as { text: string }).text), { etag: '"6"' }),
  })
