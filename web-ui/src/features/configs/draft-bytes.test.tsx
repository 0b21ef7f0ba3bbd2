// SPDX-License-Identifier: MIT
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { opened, texts, typeAt } from '../../test/author-bytes.ts'
import { json } from '../../test/fake-api.ts'
import { draft, puts, soon, write } from '../../test/open-editor.ts'

describe('the author’s bytes', () => {
  test.each(Object.entries(texts))('with %s: a key changes what it changes', async (_, text) => {
    const { api, view } = await opened(text)
    typeAt(view, '"workers": 1', '2', 1)
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    expect(puts(api)[0]?.body).toEqual({ text: text.replace('1', '2') })
  })

  test('a new line ends as the others do, and so do lines that are pasted', async () => {
    const { api, view } = await opened(texts['CR LF'])
    typeAt(view, '"workers": 1', ',\n"listen": [\n]')
    expect(view.state.doc.lines).toBe(6)
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    const text = '{\r\n  "workers": 1,\r\n"listen": [\r\n]\r\n}\r\n'
    expect(puts(api)[0]?.body).toEqual({ text })
  })

  test('a text that comes from elsewhere is kept as it came', async () => {
    const { api, view } = await opened('{}\n')
    api.answer({
      'PUT /configs/default/draft': () =>
        json(
          {
            ...{ code: 'precondition_failed', detail: 'ben changed it.', etag: '"5"' },
            ...{ current: draft(texts['mixed line ends'], { updatedBy: 'ben' }), base: null },
            ...{ changes: null, moreChanges: 0, merged: null },
          },
          {},
          412,
        ),
    })
    write(view, '{ }')
    await userEvent.click(await screen.findByRole('button', { name: 'Take ben’s text' }, soon))
    api.answer({
      'PUT /configs/default/draft': ({ body }) =>
        json(draft((body as { text: string }).text), { etag: '"6"' }),
    })
    typeAt(view, '"workers": 1', '2', 1)
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(puts(api)[1]?.body).toEqual({ text: texts['mixed line ends'].replace('1', '2') })
  })
})
