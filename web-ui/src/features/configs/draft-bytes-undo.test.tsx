// SPDX-License-Identifier: MIT
import { undo } from '@codemirror/commands'
import { act, waitFor } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { opened, texts, typeAt } from '../../test/author-bytes.ts'
import { puts, soon, write } from '../../test/open-editor.ts'

describe('the author’s bytes', () => {
  test.each(Object.entries(texts))(
    'with %s: what is deleted comes back as it was',
    async (_, text) => {
      const { api, view } = await opened(text)
      typeAt(view, '"workers": 1', '2', 1)
      write(view, '')
      act(() => void undo(view))
      act(() => void undo(view))
      typeAt(view, '"workers": 1', '0')
      await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
      expect(puts(api)[0]?.body).toEqual({ text: text.replace('1', '10') })
    },
  )
})
