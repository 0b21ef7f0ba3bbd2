// SPDX-License-Identifier: MIT
// Texts whose bytes an editor easily loses, and a key in them.
import type { EditorView } from '@codemirror/view'
import { act } from '@testing-library/react'
import { json } from './fake-api.ts'
import { draft, editor, openEditor } from './open-editor.ts'

export const texts = {
  'CR LF': '{\r\n  "workers": 1\r\n}\r\n',
  'CR alone': '{\r  "workers": 1\r}\r',
  'mixed line ends': '{\r\n  // one\n  // two\r  "workers": 1\r\n}\r\n',
  'no last line end': '{\n  "workers": 1\n}',
  'a byte order mark': '\ufeff{\r\n  "workers": 1\r\n}\r\n',
  'several empty lines': '\r\n\n\r\r\n{ "workers": 1 }\n\r\n',
}
export const opened = async (text: string) => {
  const api = openEditor({
    'GET /configs/default/draft': () => json(draft(text), { etag: '"1"' }),
  })
  return { api, view: await editor() }
}
export const typeAt = (view: EditorView, found: string, insert: string, over = 0) => {
  const from = view.state.doc.toString().indexOf(found) + found.length
  act(() => view.dispatch({ changes: { from: from - over, to: from, insert } }))
}
